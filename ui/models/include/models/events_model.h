// What happened in a run, newest first.
#pragma once

#include <api/run.h>

#include <QAbstractTableModel>

#include <vector>

namespace lockstep::models {

class EventsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Time, Kind, Rank, Step, Text, ColumnCount };
    enum Role {
        RawRole = Qt::UserRole + 1,  // number or text that sorts
        KindRole,                    // QString: "checkpoint", "error", …
        TimeRole,                    // double, Unix seconds
        RankRole,                    // int, -1 = the whole run
        StepRole,                    // qulonglong
    };

    using QAbstractTableModel::QAbstractTableModel;

    void append(const std::vector<api::RunEvent>& events);  // oldest first, as they come
    // What the states of the run come to (models::eventsOf), all of them; they stand among the others by their time.
    void setStates(const std::vector<api::RunEvent>& states);
    void clear();
    const api::RunEvent& event(int row) const { return m_events[m_events.size() - 1 - static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant raw(const api::RunEvent& event, int column) const;
    QString display(const api::RunEvent& event, int column) const;

    std::vector<api::RunEvent> m_events;  // oldest first
    std::vector<api::RunEvent> m_states;  // those among them that stand for states
};

}  // namespace lockstep::models
