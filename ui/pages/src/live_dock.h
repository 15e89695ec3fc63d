// Beside the charts: the values at the cursors A and B, and what happened, newest first.
#pragma once

#include "live_series.h"

#include <charts/chart_group.h>
#include <models/events_model.h>
#include <models/values_model.h>
#include <style/card.h>

#include <QWidget>

#include <array>

class QTableView;

namespace lockstep::pages {

class LiveDock : public QWidget {
    Q_OBJECT
public:
    LiveDock(const style::Theme& theme, charts::ChartGroup& group, QWidget* parent = nullptr);

    void clear();
    void addEvents(const std::vector<api::RunEvent>& events);
    // What the states of the run come to, with the steps they stand at.
    void setStates(const std::vector<api::RunEvent>& states) { m_events.setStates(states); }
    // After values or cursors have changed. Without cursors A is the first value and B the newest.
    void update(const LiveSeries& series);

    // As wide as the values need; it doesn't shrink again while a run is shown.
    QSize minimumSizeHint() const override;

signals:
    void eventChosen(int rank, double time);

private:
    QTableView* makeValues();
    QTableView* makeEvents();
    void copyValues() const;
    void spanHeadings();
    std::optional<double> stepAt(const charts::SeriesData& data, std::optional<double> x, bool newest) const;
    std::optional<double> valueAt(const charts::SeriesData& data, std::optional<double> x, bool newest) const;

    const style::Theme& m_theme;
    charts::ChartGroup& m_group;
    void widen();

    QTableView* m_valuesTable = nullptr;
    std::array<int, models::ValuesModel::ColumnCount> m_widths{};  // that names and figures have wanted so far
    int m_wanted = 0;                                              // all of them
    models::ValuesModel m_values;
    models::EventsModel m_events;
};

}  // namespace lockstep::pages
