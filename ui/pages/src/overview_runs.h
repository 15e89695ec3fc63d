// Recent runs of the Overview: a table of at most ten, or why there is none.
#pragma once

#include <api/run.h>
#include <style/card.h>

#include <QAbstractTableModel>
#include <QTableView>

#include <vector>

namespace lockstep::pages {

class OverviewRunModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { StateColumn, NameColumn, StepColumn, LossColumn, CurveColumn, StartedColumn, kColumns };
    enum Roles { IdRole = Qt::UserRole, CurveRole, MutedRole };
    using QAbstractTableModel::QAbstractTableModel;

    void setRuns(std::vector<api::RunSummary> runs, std::vector<std::vector<double>> curves);
    const api::RunSummary& run(int row) const { return m_runs[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const api::RunSummary& run, int column) const;
    std::vector<api::RunSummary> m_runs;
    std::vector<std::vector<double>> m_curves;
};

class RunTable : public QTableView {
public:
    using QTableView::QTableView;
    using QTableView::sizeHintForColumn;
};

class OverviewRuns : public style::Card {
    Q_OBJECT
public:
    OverviewRuns(const style::Theme& theme, QWidget* parent);
    void setRuns(std::vector<api::RunSummary> runs, std::vector<std::vector<double>> curves);
    void setLoading(const QString& sentence);
    bool isEmpty() const { return m_model.rowCount() == 0; }

signals:
    void openRun(const QString& runId);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitHeight();
    void fitColumns();
    void opened(const QModelIndex& index);
    const style::Theme& m_theme;
    OverviewRunModel m_model;
    RunTable* m_table;
    style::EmptyState* m_none;
    style::ElidedLabel* m_loading;
};

}  // namespace lockstep::pages
