// Recent runs of the Overview: a table of the newest ten, or of all when asked for, or why there is none.
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
    enum class Shown : std::uint8_t { Newest, All };
    void setShown(Shown shown);
    Shown shown() const { return m_shown; }
    int countOfAll() const { return static_cast<int>(m_all.size()); }
    const api::RunSummary& run(int row) const { return m_runs[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const api::RunSummary& run, int column) const;
    void take(std::vector<api::RunSummary> runs);
    std::vector<api::RunSummary> m_all;
    std::vector<api::RunSummary> m_runs;  // those of them that are rows
    std::vector<std::vector<double>> m_curves;
    Shown m_shown = Shown::Newest;
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
    void heightChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitHeight();
    void showCount();
    void fitColumns();
    void opened(const QModelIndex& index);
    const style::Theme& m_theme;
    OverviewRunModel m_model;
    RunTable* m_table;
    style::EmptyState* m_none;
    style::ElidedLabel* m_loading;
    style::Label* m_count;
    style::Button* m_more;
};

}  // namespace lockstep::pages
