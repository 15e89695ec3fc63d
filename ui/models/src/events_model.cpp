#include <models/event_words.h>
#include <models/events_model.h>

#include <text/format.h>

#include <algorithm>

namespace lockstep::models {

void EventsModel::append(const std::vector<api::RunEvent>& events) {
    if (events.empty()) return;
    const bool newest = m_events.empty() || m_events.back().time <= events.front().time;
    if (newest && std::ranges::is_sorted(events, {}, &api::RunEvent::time)) {
        beginInsertRows({}, 0, static_cast<int>(events.size()) - 1);
        m_events.insert(m_events.end(), events.begin(), events.end());
        endInsertRows();
        return;
    }
    beginResetModel();
    m_events.insert(m_events.end(), events.begin(), events.end());
    std::ranges::stable_sort(m_events, {}, &api::RunEvent::time);
    endResetModel();
}

void EventsModel::setStates(const std::vector<api::RunEvent>& states) {
    if (states == m_states) return;
    beginResetModel();
    std::erase_if(m_events, [this](const api::RunEvent& event) { return std::ranges::find(m_states, event) != m_states.end(); });
    m_states = states;
    m_events.insert(m_events.end(), states.begin(), states.end());
    std::ranges::stable_sort(m_events, {}, &api::RunEvent::time);
    endResetModel();
}

void EventsModel::clear() {
    beginResetModel();
    m_events.clear();
    m_states.clear();
    endResetModel();
}

int EventsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_events.size()); }

int EventsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant EventsModel::raw(const api::RunEvent& event, int column) const {
    switch (static_cast<Column>(column)) {
        case Time: return event.time;
        case Kind: return text::toText(event.kind);
        case Rank: return event.rank;
        case Step: return static_cast<qulonglong>(event.step);
        case Text: return text::toText(event.text);
        case ColumnCount: break;
    }
    return {};
}

QString EventsModel::display(const api::RunEvent& event, int column) const {
    switch (static_cast<Column>(column)) {
        case Time: return text::formatTimeOfDay(event.time, text::Fineness::Milliseconds);
        case Kind: return eventKindText(event.kind);
        case Rank: return event.rank >= 0 ? QString::number(event.rank) : QString();
        case Step: return event.step > 0 ? text::formatInteger(static_cast<std::int64_t>(event.step)) : QString();
        case Text: return eventSentence(event);
        case ColumnCount: break;
    }
    return {};
}

QVariant EventsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const auto& shown = event(index.row());
    const bool number = index.column() == Rank || index.column() == Step;
    switch (role) {
        case Qt::DisplayRole: return display(shown, index.column());
        // The whole of it, as the controller said it.
        case Qt::ToolTipRole: {
            const QString said = shown.text.empty() ? eventSentence(shown) : text::toText(shown.text);
            return text::formatTimeOfDay(shown.time, text::Fineness::Milliseconds) + QStringLiteral("  ") + said;
        }
        case Qt::TextAlignmentRole: return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case RawRole: return raw(shown, index.column());
        case KindRole: return text::toText(shown.kind);
        case TimeRole: return shown.time;
        case RankRole: return shown.rank;
        case StepRole: return static_cast<qulonglong>(shown.step);
        default: return {};
    }
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (static_cast<Column>(section)) {
        case Time: return tr("Time");
        case Kind: return tr("Kind");
        case Rank: return tr("Rank");
        case Step: return tr("Step");
        case Text: return tr("What happened");
        case ColumnCount: break;
    }
    return {};
}

}  // namespace lockstep::models
