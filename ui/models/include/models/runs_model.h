// The runs of a project as a table, newest first. Fed with batches; emits row ranges. Sorting and filtering belong into proxies, which
// compare RawRole.
#pragma once

#include <api/run.h>

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace lockstep::models {

// "Running", "Warming up", translated.
QString stateText(api::RunState state);
QString stateText(const api::RunSummary& run);  // also of one that can't be read

class RunsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { State, Name, Strategy, Ranks, Progress, Loss, Accuracy, Started, Duration, ColumnCount };
    enum Role {
        RawRole = Qt::UserRole + 1,  // number or text that sorts; invalid when there is none
        RunIdRole,                   // QString
        StateRole,                   // QString, api::nameOf()
        ProblemCodeRole,             // QString, empty when the run's files can be read
        SparklineRole,               // QList<double>
    };
    struct Row {
        api::RunSummary summary;
        std::vector<double> sparkline;
        bool operator==(const Row&) const = default;
    };

    using QAbstractTableModel::QAbstractTableModel;

    // New or different rows in any order, and runs that are gone.
    void apply(const std::vector<Row>& changed, const std::vector<RunId>& removed);
    void clear();
    // Runs that are not over last until now: call once a second. Unix seconds.
    void setNow(double now);

    const std::vector<Row>& rows() const { return m_rows; }
    std::optional<int> rowOf(const RunId& run) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString display(const Row& row, int column) const;
    QVariant raw(const Row& row, int column) const;
    std::optional<double> duration(const api::RunSummary& summary) const;
    void removeRuns(const std::vector<RunId>& removed);
    void replaceRows(const std::vector<Row>& known);
    void insertRows(std::vector<Row> fresh);

    std::vector<Row> m_rows;
    double m_now = 0;
};

}  // namespace lockstep::models
