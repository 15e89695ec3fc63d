#include <models/log_model.h>
#include <text/format.h>

#include "log_store.h"

#include <QElapsedTimer>

#include <algorithm>
#include <iterator>
#include <limits>

namespace lockstep::models {
namespace {

constexpr int kSliceMilliseconds = 6;
constexpr int kLinesBetweenLooks = 256;  // at the clock

QString sourceName(int rank) { return rank == api::kController ? QStringLiteral("controller") : QStringLiteral("rank %1").arg(rank); }

}  // namespace

LogModel::LogModel(QObject* parent) : LogModel(Limits{}, parent) {}

LogModel::LogModel(const Limits& limits, QObject* parent)
    : QAbstractListModel(parent), m_store(std::make_unique<LogStore>(LogStore::Limits{limits.bytes, limits.lines})) {
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, [this] { scan(kSliceMilliseconds); });
}

LogModel::~LogModel() = default;

std::uint64_t LogModel::lineCountEver() const { return m_store->end(); }
std::uint64_t LogModel::lineCount() const { return m_store->end() - m_store->begin(); }
std::uint64_t LogModel::droppedCount() const { return m_dropped; }

void LogModel::append(const std::vector<api::LogLine>& lines) {
    if (lines.empty()) return;
    const auto first = m_store->end();
    for (const auto& line : lines) m_store->append(line);
    for (auto number = first; number < m_store->end(); ++number) {
        const auto& line = m_store->line(number);
        auto& source = m_sources[line.rank];
        ++source.lines;
        if (line.goesOn) continue;
        if (line.level == LogLevel::Warning) ++source.warnings;
        if (line.level == LogLevel::Error) ++source.errors;
    }
    if (m_filter.letsAllThrough())
        showAll();
    else
        scan(kSliceMilliseconds);
    trim();
    emit sourcesChanged();
}

void LogModel::showAll() {
    const auto before = rowCount();
    const auto added = static_cast<int>(m_store->end() - m_shown);
    if (added == 0) return;
    beginInsertRows({}, before, before + added - 1);
    m_shown = m_scanned = m_store->end();
    endInsertRows();
}

void LogModel::clear() {
    m_timer.stop();
    beginResetModel();
    m_store->clear();
    m_sources.clear();
    m_visible.clear();
    m_shown = m_scanned = m_dropped = 0;
    endResetModel();
    emit sourcesChanged();
    scan(0);
}

void LogModel::setFilter(const LogFilter& filter) {
    if (filter == m_filter) return;
    m_timer.stop();
    beginResetModel();
    m_filter = filter;
    m_visible.clear();
    m_visible.shrink_to_fit();
    m_shown = m_store->end();
    m_scanned = m_filter.letsAllThrough() ? m_store->end() : m_store->begin();
    endResetModel();
    scan(kSliceMilliseconds);
}

void LogModel::finishFiltering() { scan(std::numeric_limits<int>::max()); }

void LogModel::scan(int milliseconds) {
    QElapsedTimer clock;
    clock.start();
    std::vector<std::uint64_t> found;
    m_scanned = std::max(m_scanned, m_store->begin());
    while (m_scanned < m_store->end()) {
        if (matches(m_scanned)) found.push_back(m_scanned);
        if (++m_scanned % kLinesBetweenLooks == 0 && clock.elapsed() >= milliseconds) break;
    }
    if (!found.empty()) {
        const auto before = rowCount();
        beginInsertRows({}, before, before + static_cast<int>(found.size()) - 1);
        m_visible.insert(m_visible.end(), found.begin(), found.end());
        endInsertRows();
    }
    if (isFiltering() && !m_timer.isActive()) m_timer.start();
    if (!isFiltering()) m_timer.stop();
    if (m_toldFiltering != isFiltering()) {
        m_toldFiltering = isFiltering();
        emit filteringChanged(m_toldFiltering);
    }
}

bool LogModel::matches(std::uint64_t number) const {
    const auto& line = m_store->line(number);
    if (line.level < m_filter.lowest) return false;
    if (m_filter.rank && line.rank != *m_filter.rank) return false;
    return !m_filter.hasPattern() || m_filter.pattern.match(text::toText(messageOfLine(m_store->text(number)))).hasMatch();
}

// Rows of lines that go are taken away while their lines are still there.
void LogModel::trim() {
    const auto begin = m_store->begin();
    const auto gone = m_store->excess();
    if (gone == 0) return;
    const auto firstKept = begin + gone;
    auto rows = static_cast<int>(gone);
    if (!m_filter.letsAllThrough()) rows = static_cast<int>(std::ranges::lower_bound(m_visible, firstKept) - m_visible.begin());
    if (rows > 0) beginRemoveRows({}, 0, rows - 1);
    if (!m_filter.letsAllThrough()) m_visible.erase(m_visible.begin(), m_visible.begin() + rows);
    m_store->dropExcess();
    m_dropped += gone;
    m_scanned = std::max(m_scanned, m_store->begin());
    if (rows > 0) endRemoveRows();
    emit linesDropped(gone);
}

void LogModel::setFollowing(bool following) {
    if (m_following == following) return;
    m_following = following;
    emit followingChanged(following);
}

int LogModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return static_cast<int>(m_filter.letsAllThrough() ? m_shown - m_store->begin() : m_visible.size());
}

std::uint64_t LogModel::numberOf(int row) const {
    return m_filter.letsAllThrough() ? m_store->begin() + static_cast<std::uint64_t>(row) : m_visible[static_cast<std::size_t>(row)];
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const auto number = numberOf(index.row());
    const auto& line = m_store->line(number);
    switch (role) {
        case Qt::DisplayRole: return text::toText(messageOfLine(m_store->text(number)));
        case Qt::ToolTipRole:
        case TextRole: return text::toText(m_store->text(number));
        case RankRole: return static_cast<int>(line.rank);
        case GoesOnRole: return line.goesOn;
        case LevelRole: return static_cast<int>(line.level);
        case TimeRole: return line.order - static_cast<double>(line.behind);
        case DatedRole: return line.dated;
        case NumberRole: return static_cast<qulonglong>(number);
        default: return {};
    }
}

bool LogModel::beginsError(int row) const {
    const auto& line = m_store->line(numberOf(row));
    return line.level == LogLevel::Error && !line.goesOn;
}

std::optional<int> LogModel::nextError(int row) const {
    const int count = rowCount();
    for (int step = 1; step <= count; ++step) {
        const int at = (row + step) % count;
        if (beginsError(at)) return at;
    }
    return std::nullopt;
}

std::optional<int> LogModel::previousError(int row) const {
    const int count = rowCount();
    for (int step = 1; step <= count; ++step) {
        const int at = ((row < 0 ? count : row) - step + count) % count;
        if (beginsError(at)) return at;
    }
    return std::nullopt;
}

std::optional<int> LogModel::rowAt(std::optional<int> rank, double time) const {
    int low = 0, high = rowCount();  // the first row after this time
    if (high == 0) return std::nullopt;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (m_store->line(numberOf(middle)).order <= time)
            low = middle + 1;
        else
            high = middle;
    }
    if (rank) {
        for (int row = low - 1; row >= 0; --row)
            if (m_store->line(numberOf(row)).rank == *rank) return row;
        for (int row = low; row < rowCount(); ++row)
            if (m_store->line(numberOf(row)).rank == *rank) return row;
    }
    return std::max(0, low - 1);
}

std::optional<int> LogModel::rowOfNumber(std::uint64_t number) const {
    if (rowCount() == 0) return std::nullopt;
    int low = 0, high = rowCount() - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (numberOf(middle) < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

QString LogModel::textOf(int firstRow, int lastRow, int context) const {
    if (firstRow < 0 || lastRow < firstRow || lastRow >= rowCount()) return {};
    QString text;
    const auto add = [&](std::uint64_t number) {
        text += sourceName(m_store->line(number).rank) + QStringLiteral(" | ") + text::toText(m_store->text(number)) + QLatin1Char('\n');
    };
    if (context == 0) {
        for (int row = firstRow; row <= lastRow; ++row) add(numberOf(row));
        return text;
    }
    const auto around = static_cast<std::uint64_t>(context);
    const auto first = numberOf(firstRow), last = numberOf(lastRow);
    const auto begin = first - std::min(around, first - m_store->begin());
    for (auto number = begin; number < std::min(m_store->end(), last + around + 1); ++number) add(number);
    return text;
}

}  // namespace lockstep::models
