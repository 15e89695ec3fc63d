// A run as it goes: values, curves, workers, events. It only looks; what a person asks of the run leaves as a signal.
#pragma once

#include <api/runs.h>
#include <bridge/run_feed.h>
#include <charts/chart_view.h>
#include <charts/series_data.h>
#include <pages/page.h>
#include <style/theme.h>

#include <memory>

namespace lockstep::pages {

class LivePage : public Page {
    Q_OBJECT
public:
    // The theme must outlive the page.
    explicit LivePage(const style::Theme& theme, QWidget* parent = nullptr);
    ~LivePage() override;

    // The runs of another project, null = none; they must live until the next call. Closes the run that is shown.
    void setRuns(api::Runs* runs);
    // What the menu of runs offers, newest first.
    void setChoices(std::vector<api::RunSummary> runs);
    void showRun(const RunId& run);
    const std::optional<RunId>& run() const;
    // Everything that is stored of the run has been read and, if the page is shown, drawn.
    bool isComplete() const;
    // What the page holds of a series; null when nothing of it has come.
    std::shared_ptr<const charts::SeriesData> samples(const api::SeriesKey& key) const;

    QString id() const override { return "live"; }
    QString title() const override { return tr("Live"); }
    QString iconName() const override { return "live"; }
    QList<QAction*> pageActions() const override;
    QWidget* dock() const override;
    void activated() override;
    void deactivated() override;

signals:
    void runShown(const QString& run);
    void stopAsked(const QString& run);
    void checkpointAsked(const QString& run);
    void resumeAsked(const QString& run);
    void logAsked(const QString& run, int rank, double time);
    // New values are in the charts: their newest time, Unix seconds.
    void drawn(double newest);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildPage();
    void wireControls();
    void wireFeed();
    QString runText() const;
    void forget();
    void showProblem();
    void offerRuns();
    void takeDetail(const api::RunDetail& detail);
    void takeEvents(const std::vector<api::RunEvent>& events);
    void placeEvents();
    void takeValues(const std::vector<api::SeriesPoints>& values);
    void refresh();
    QString exportTitle(const charts::ChartView& chart) const;
    void exportChart(charts::ChartView& chart, const QString& kind);

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace lockstep::pages
