// The grid of metric cards on the Live page: which charts there are, what they draw, how they stand in columns.
#pragma once

#include "live_series.h"
#include "live_strip.h"
#include "metric_card.h"
#include "rank_mean.h"

#include <charts/line_chart.h>
#include <charts/stack_chart.h>

#include <QScrollArea>

#include <map>

class QGridLayout;

namespace lockstep::pages {

class LiveGrid : public QScrollArea {
    Q_OBJECT
public:
    LiveGrid(const style::Theme& theme, charts::ChartGroup& group, QWidget* parent = nullptr);

    void setEvents(const std::vector<charts::ChartEvent>& events);
    void setEmptyText(const QString& text);
    void setColumns(int columns);
    void setLogY(bool on);
    // After values have come: new series get their lines, means and last values are brought up to date.
    void update(const LiveSeries& series, WorkerView workers);
    QList<MetricCard*> cards() const;
    QSize minimumSizeHint() const override { return {320, 140}; }

private:
    struct Metric {                                          // one card
        std::vector<std::pair<std::string, QString>> lines;  // series of the whole run and their short names; the first is Main
        std::string perRank;                                 // or: one metric of every rank
        charts::ValueFormat format = charts::ValueFormat::Number;
        MetricCard* card = nullptr;
        charts::LineChart* chart = nullptr;
        RankMean mean;
    };
    void addLines(const QString& title, const QString& unit, int height, std::vector<std::pair<std::string, QString>> lines);
    void addRanks(const QString& title, const QString& unit, int height, std::string series, charts::ValueFormat format);
    void addMetric(Metric metric, const QString& title, const QString& unit, int height);
    void addStack();
    void place();
    void showWholeRun(Metric& metric, const LiveSeries& series);
    void showRanks(Metric& metric, const LiveSeries& series, WorkerView workers);
    void showStack(const LiveSeries& series);
    void dressAll();
    int usableColumns() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    const style::Theme& m_theme;
    charts::ChartGroup& m_group;
    QWidget* m_inside;
    QGridLayout* m_layout;
    std::vector<Metric> m_metrics;
    MetricCard* m_stackCard = nullptr;
    charts::StackChart* m_stack = nullptr;
    std::map<std::string, RankMean> m_stackParts;
    int m_columns = 3;
    int m_placed = 0;
};

}  // namespace lockstep::pages
