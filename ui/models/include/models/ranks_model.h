// The ranks of a run: where they are, what they do, how fast against the others.
#pragma once

#include <api/run.h>

#include <QAbstractTableModel>

#include <map>
#include <optional>
#include <vector>

namespace lockstep::models {

class RanksModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Rank, Host, Device, Pid, State, Step, StepTime, AgainstMedian, ColumnCount };
    enum Role {
        RawRole = Qt::UserRole + 1,  // number or text that sorts; invalid when there is none
        RankRole,                    // int
        StateRole,                   // QString, in English: "running"
        LateRole,                    // bool: its step takes ≥ 1.28 times the median of the ranks (tokens heat.late, third stop)
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setRanks(const std::vector<api::RankStatus>& ranks);
    // The newest step time of ranks; they stay until they are set again.
    void setStepSeconds(const std::map<int, double>& seconds);
    void clear();

    const std::vector<api::RankStatus>& ranks() const { return m_ranks; }
    std::optional<double> medianStepSeconds() const { return m_median; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::optional<double> secondsOf(const api::RankStatus& rank) const;
    std::optional<double> ratioOf(const api::RankStatus& rank) const;
    void updateMedian();
    QVariant raw(const api::RankStatus& rank, int column) const;
    QString display(const api::RankStatus& rank, int column) const;

    std::vector<api::RankStatus> m_ranks;
    std::map<int, double> m_seconds;
    std::optional<double> m_median;
};

}  // namespace lockstep::models
