#include <models/ranks_model.h>

#include <text/format.h>

#include <QCoreApplication>

#include <algorithm>

namespace lockstep::models {
namespace {

constexpr double kLateRatio = 1.28;

QString rankStateText(const std::string& state) {
    static constexpr std::pair<std::string_view, const char*> kWords[] = {
        {"spawning", QT_TRANSLATE_NOOP("RankState", "Spawning")},   {"running", QT_TRANSLATE_NOOP("RankState", "Running")},
        {"completed", QT_TRANSLATE_NOOP("RankState", "Completed")}, {"stopped", QT_TRANSLATE_NOOP("RankState", "Stopped")},
        {"failed", QT_TRANSLATE_NOOP("RankState", "Failed")},
    };
    for (const auto& [name, word] : kWords)
        if (name == state) return QCoreApplication::translate("RankState", word);
    return text::toText(state);
}

}  // namespace

void RanksModel::setRanks(const std::vector<api::RankStatus>& ranks) {
    const auto sameRank = [](const api::RankStatus& a, const api::RankStatus& b) { return a.rank == b.rank; };
    if (!std::ranges::equal(ranks, m_ranks, sameRank)) {
        beginResetModel();
        m_ranks = ranks;
        updateMedian();
        endResetModel();
        return;
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (m_ranks[i] == ranks[i]) continue;
        m_ranks[i] = ranks[i];
        emit dataChanged(index(static_cast<int>(i), Host), index(static_cast<int>(i), Step));
    }
}

void RanksModel::setStepSeconds(const std::map<int, double>& seconds) {
    for (const auto& [rank, value] : seconds) m_seconds[rank] = value;
    updateMedian();
    if (!m_ranks.empty()) emit dataChanged(index(0, StepTime), index(rowCount() - 1, AgainstMedian));
}

void RanksModel::clear() {
    beginResetModel();
    m_ranks.clear();
    m_seconds.clear();
    m_median.reset();
    endResetModel();
}

void RanksModel::updateMedian() {
    std::vector<double> values;
    for (const auto& rank : m_ranks)
        if (const auto seconds = secondsOf(rank)) values.push_back(*seconds);
    m_median.reset();
    if (values.empty()) return;
    std::ranges::sort(values);
    const auto middle = values.size() / 2;
    m_median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> RanksModel::secondsOf(const api::RankStatus& rank) const {
    const auto found = m_seconds.find(rank.rank);
    return found == m_seconds.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> RanksModel::ratioOf(const api::RankStatus& rank) const {
    const auto seconds = secondsOf(rank);
    return seconds && m_median && *m_median > 0 ? std::optional(*seconds / *m_median) : std::nullopt;
}

int RanksModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_ranks.size()); }

int RanksModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant RanksModel::raw(const api::RankStatus& rank, int column) const {
    const auto number = [](const std::optional<double>& value) { return value ? QVariant(*value) : QVariant(); };
    switch (static_cast<Column>(column)) {
        case Rank: return rank.rank;
        case Host: return text::toText(rank.host);
        case Device: return text::toText(rank.device);
        case Pid: return static_cast<qlonglong>(rank.pid);
        case State: return text::toText(rank.state);
        case Step: return static_cast<qulonglong>(rank.step);
        case StepTime: return number(secondsOf(rank));
        case AgainstMedian: return number(ratioOf(rank));
        case ColumnCount: break;
    }
    return {};
}

QString RanksModel::display(const api::RankStatus& rank, int column) const {
    switch (static_cast<Column>(column)) {
        case Rank: return QString::number(rank.rank);
        case Host: return text::toText(rank.host);
        case Device: return text::toText(rank.device);
        case Pid: return rank.pid > 0 ? QString::number(rank.pid) : QString();
        case State: return rankStateText(rank.state);
        case Step: return text::formatInteger(static_cast<std::int64_t>(rank.step));
        case StepTime: {
            const auto seconds = secondsOf(rank);
            return seconds ? text::formatSeconds(*seconds) : QString();
        }
        case AgainstMedian: {
            const auto ratio = ratioOf(rank);
            return ratio ? text::formatMultiple(*ratio) : QString();
        }
        case ColumnCount: break;
    }
    return {};
}

QVariant RanksModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const auto& rank = m_ranks[static_cast<std::size_t>(index.row())];
    const bool isText = index.column() == Host || index.column() == Device || index.column() == State;
    switch (role) {
        case Qt::DisplayRole: return display(rank, index.column());
        case Qt::TextAlignmentRole: return int((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case RawRole: return raw(rank, index.column());
        case RankRole: return rank.rank;
        case StateRole: return text::toText(rank.state);
        case LateRole: return ratioOf(rank).value_or(0) >= kLateRatio;
        default: return {};
    }
}

QVariant RanksModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (static_cast<Column>(section)) {
        case Rank: return tr("Rank");
        case Host: return tr("Host");
        case Device: return tr("Device");
        case Pid: return tr("Process");
        case State: return tr("State");
        case Step: return tr("Step");
        case StepTime: return tr("Step time");
        case AgainstMedian: return tr("Against median");
        case ColumnCount: break;
    }
    return {};
}

}  // namespace lockstep::models
