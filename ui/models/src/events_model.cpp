#include <models/events_model.h>

#include <text/format.h>

#include <QCoreApplication>

namespace lockstep::models {

QString eventKindText(const std::string& kind) {
    static constexpr std::pair<std::string_view, const char*> kWords[] = {
        {"phase", QT_TRANSLATE_NOOP("RunEvent", "Phase")},    {"checkpoint", QT_TRANSLATE_NOOP("RunEvent", "Checkpoint")},
        {"exit", QT_TRANSLATE_NOOP("RunEvent", "Exit")},      {"warning", QT_TRANSLATE_NOOP("RunEvent", "Warning")},
        {"error", QT_TRANSLATE_NOOP("RunEvent", "Error")},    {"command", QT_TRANSLATE_NOOP("RunEvent", "Command")},
        {"resume", QT_TRANSLATE_NOOP("RunEvent", "Resumed")},
    };
    for (const auto& [name, word] : kWords)
        if (name == kind) return QCoreApplication::translate("RunEvent", word);
    return text::toText(kind);
}

void EventsModel::append(const std::vector<api::RunEvent>& events) {
    if (events.empty()) return;
    beginInsertRows({}, 0, static_cast<int>(events.size()) - 1);
    m_events.insert(m_events.end(), events.begin(), events.end());
    endInsertRows();
}

void EventsModel::clear() {
    beginResetModel();
    m_events.clear();
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
        case Text: return text::toText(event.text);
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
        case Qt::ToolTipRole: return text::toText(shown.text);
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
