// The card of worker lanes at the bottom of the Live page: who is how late, busy, full or waiting, over time.
#pragma once

#include "heat_legend.h"
#include "live_series.h"

#include <api/run.h>
#include <charts/lane_view.h>
#include <style/card.h>

namespace lockstep::pages {

class LiveLanes : public style::Card {
    Q_OBJECT
public:
    LiveLanes(const style::Theme& theme, charts::ChartGroup& group, QWidget* parent = nullptr);

    void setRanks(const std::vector<api::RankStatus>& ranks);
    // Of a run that has ended the card tells what was.
    void setEnded(bool ended);
    void setEvents(const std::vector<charts::ChartEvent>& events) { m_view->setEvents(events); }
    void update(const LiveSeries& series);
    charts::LaneView* view() const { return m_view; }
    // The legend gives way, so it must not count.
    QSize minimumSizeHint() const override;
    // More workers than fit into this height scroll inside of the card.
    void setMostHeight(int pixels);

signals:
    void cellChosen(int rank, double time);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addModes();
    void choose(const QString& mode);
    void showLanes();
    void showLateSentence();
    void showLegend(double most);
    void fitHeader();
    int headerWidth() const;  // of title and choice
    void fitHeight();
    void cellClicked(int rank, std::uint64_t step);

    const style::Theme& m_theme;
    charts::LaneView* m_view;
    style::SegmentedControl* m_modes = nullptr;
    style::IconLabel* m_lateIcon = nullptr;
    style::ElidedLabel* m_late = nullptr;
    HeatLegend* m_legend = nullptr;
    int m_mostHeight = 0;
    bool m_ended = false;
    std::vector<api::RankStatus> m_ranks;
    const LiveSeries* m_series = nullptr;
};

}  // namespace lockstep::pages
