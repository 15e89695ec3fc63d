#include <models/runs_model.h>

#include <text/format.h>

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <ranges>

namespace lockstep::models {
namespace {

bool isNewer(const RunsModel::Row& a, const RunsModel::Row& b) { return a.summary.run.value > b.summary.run.value; }

QVariant optionalNumber(const std::optional<double>& value) { return value ? QVariant(*value) : QVariant(); }

}  // namespace

QString stateText(api::RunState state) {
    const auto translated = [](const char* text) { return QCoreApplication::translate("RunState", text); };
    switch (state) {
        case api::RunState::Draft: return translated(QT_TRANSLATE_NOOP("RunState", "Draft"));
        case api::RunState::Checking: return translated(QT_TRANSLATE_NOOP("RunState", "Checking"));
        case api::RunState::Blocked: return translated(QT_TRANSLATE_NOOP("RunState", "Blocked"));
        case api::RunState::Queued: return translated(QT_TRANSLATE_NOOP("RunState", "Queued"));
        case api::RunState::Staging: return translated(QT_TRANSLATE_NOOP("RunState", "Staging"));
        case api::RunState::Spawning: return translated(QT_TRANSLATE_NOOP("RunState", "Spawning"));
        case api::RunState::Rendezvous: return translated(QT_TRANSLATE_NOOP("RunState", "Rendezvous"));
        case api::RunState::WarmingUp: return translated(QT_TRANSLATE_NOOP("RunState", "Warming up"));
        case api::RunState::Running: return translated(QT_TRANSLATE_NOOP("RunState", "Running"));
        case api::RunState::Paused: return translated(QT_TRANSLATE_NOOP("RunState", "Paused"));
        case api::RunState::Checkpointing: return translated(QT_TRANSLATE_NOOP("RunState", "Checkpointing"));
        case api::RunState::Completed: return translated(QT_TRANSLATE_NOOP("RunState", "Completed"));
        case api::RunState::Stopped: return translated(QT_TRANSLATE_NOOP("RunState", "Stopped"));
        case api::RunState::Failed: return translated(QT_TRANSLATE_NOOP("RunState", "Failed"));
        case api::RunState::Lost: return translated(QT_TRANSLATE_NOOP("RunState", "Lost"));
    }
    return QString();
}

QString stateText(const api::RunSummary& run) {
    return run.problem ? QCoreApplication::translate("RunState", "Unreadable") : stateText(run.state);
}

void RunsModel::apply(const std::vector<Row>& changed, const std::vector<RunId>& removed) {
    removeRuns(removed);
    std::vector<Row> known, fresh;
    for (const auto& row : changed) (rowOf(row.summary.run) ? known : fresh).push_back(row);
    replaceRows(known);
    insertRows(std::move(fresh));
}

void RunsModel::clear() {
    beginResetModel();
    m_rows.clear();
    endResetModel();
}

void RunsModel::setNow(double now) {
    m_now = now;
    for (int row = 0; row < static_cast<int>(m_rows.size()); ++row) {
        const auto& summary = m_rows[static_cast<std::size_t>(row)].summary;
        if (summary.started > 0 && summary.ended == 0 && !api::isIdle(summary.state))
            emit dataChanged(index(row, Duration), index(row, Duration), {Qt::DisplayRole, RawRole});
    }
}

std::optional<int> RunsModel::rowOf(const RunId& run) const {
    const auto found = std::ranges::lower_bound(m_rows, run, std::ranges::greater(), [](const Row& row) { return row.summary.run; });
    if (found == m_rows.end() || found->summary.run != run) return std::nullopt;
    return static_cast<int>(found - m_rows.begin());
}

// From the end, so that what is left to do keeps its places; neighbours go as one range.
void RunsModel::removeRuns(const std::vector<RunId>& removed) {
    std::vector<int> places;
    for (const auto& run : removed)
        if (const auto row = rowOf(run)) places.push_back(*row);
    std::ranges::sort(places, std::ranges::greater());
    const auto repeated = std::ranges::unique(places);
    places.erase(repeated.begin(), repeated.end());
    for (std::size_t i = 0; i < places.size();) {
        auto end = i + 1;
        while (end < places.size() && places[end] == places[end - 1] - 1) ++end;
        const int first = places[end - 1], last = places[i];
        beginRemoveRows({}, first, last);
        m_rows.erase(m_rows.begin() + first, m_rows.begin() + last + 1);
        endRemoveRows();
        i = end;
    }
}

void RunsModel::replaceRows(const std::vector<Row>& known) {
    std::vector<int> places;
    for (const auto& row : known) {
        const int place = *rowOf(row.summary.run);
        if (m_rows[static_cast<std::size_t>(place)] == row) continue;
        m_rows[static_cast<std::size_t>(place)] = row;
        places.push_back(place);
    }
    std::ranges::sort(places);
    for (std::size_t i = 0; i < places.size();) {
        auto end = i + 1;
        while (end < places.size() && places[end] <= places[end - 1] + 1) ++end;
        emit dataChanged(index(places[i], 0), index(places[end - 1], ColumnCount - 1));
        i = end;
    }
}

void RunsModel::insertRows(std::vector<Row> fresh) {
    std::ranges::sort(fresh, isNewer);
    const auto repeated = std::ranges::unique(fresh, {}, [](const Row& row) { return row.summary.run; });
    fresh.erase(repeated.begin(), repeated.end());
    for (auto begin = fresh.begin(); begin != fresh.end();) {
        const auto place = std::ranges::lower_bound(m_rows, *begin, isNewer);
        auto end = std::next(begin);
        while (end != fresh.end() && (place == m_rows.end() || isNewer(*end, *place))) ++end;
        const int first = static_cast<int>(place - m_rows.begin());
        beginInsertRows({}, first, first + static_cast<int>(end - begin) - 1);
        m_rows.insert(place, std::make_move_iterator(begin), std::make_move_iterator(end));
        endInsertRows();
        begin = end;
    }
}

int RunsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

int RunsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

std::optional<double> RunsModel::duration(const api::RunSummary& summary) const {
    if (summary.started <= 0) return std::nullopt;
    if (summary.ended > 0) return summary.ended - summary.started;
    // Nobody knows when a lost run ended.
    if (api::isIdle(summary.state) || m_now <= 0) return std::nullopt;
    return std::max(0.0, m_now - summary.started);
}

QVariant RunsModel::raw(const Row& row, int column) const {
    const auto& run = row.summary;
    switch (static_cast<Column>(column)) {
        case State: return static_cast<int>(run.state);
        case Name: return text::toText(run.name);
        case Strategy: return text::toText(run.strategy);
        case Ranks: return run.ranks;
        case Progress: return static_cast<qulonglong>(run.step);
        case Loss: return optionalNumber(run.loss);
        case Accuracy: return optionalNumber(run.accuracy);
        case Started: return run.started;
        case Duration: return optionalNumber(duration(run));
        case ColumnCount: break;
    }
    return {};
}

QString RunsModel::display(const Row& row, int column) const {
    const auto& run = row.summary;
    switch (static_cast<Column>(column)) {
        case State: return stateText(run);
        case Name: return run.name.empty() ? text::toText(run.run.value) : text::toText(run.name);
        case Strategy: return text::toText(run.strategy);
        case Ranks: return run.ranks > 0 ? QString::number(run.ranks) : QString();
        case Progress:
            if (run.steps == 0) return run.step == 0 ? QString() : text::formatInteger(static_cast<std::int64_t>(run.step));
            return text::formatCount(run.step, run.steps);
        case Loss: return run.loss ? text::formatFigure(*run.loss) : QString();
        case Accuracy: return run.accuracy ? text::formatPercent(*run.accuracy, 2) : QString();
        case Started: return text::formatDateTime(run.started);
        case Duration: {
            const auto seconds = duration(run);
            return seconds ? text::formatDuration(*seconds) : QString();
        }
        case ColumnCount: break;
    }
    return {};
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const auto& row = m_rows[static_cast<std::size_t>(index.row())];
    const auto& run = row.summary;
    switch (role) {
        case Qt::DisplayRole: return display(row, index.column());
        case Qt::ToolTipRole:
            if (run.problem) return text::toText(run.problem->message + " " + run.problem->next + " (" + run.problem->code + ")");
            return index.column() == State && !run.cause.empty() ? QVariant(text::toText(run.cause))
                                                                 : QVariant(text::toText(run.run.value));
        case Qt::TextAlignmentRole: return int((index.column() >= Ranks ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case RawRole: return raw(row, index.column());
        case RunIdRole: return text::toText(run.run.value);
        case StateRole: return text::toText(std::string(api::nameOf(run)));
        case ProblemCodeRole: return run.problem ? text::toText(run.problem->code) : QString();
        case SparklineRole: return QVariant::fromValue(QList<double>(row.sparkline.begin(), row.sparkline.end()));
        default: return {};
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int((section >= Ranks ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (static_cast<Column>(section)) {
        case State: return tr("State");
        case Name: return tr("Run");
        case Strategy: return tr("Strategy");
        case Ranks: return tr("Ranks");
        case Progress: return tr("Step");
        case Loss: return tr("Loss");
        case Accuracy: return tr("Accuracy");
        case Started: return tr("Started");
        case Duration: return tr("Duration");
        case ColumnCount: break;
    }
    return {};
}

}  // namespace lockstep::models
