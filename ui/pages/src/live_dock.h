// Beside the charts: the values at the cursors A and B, and what happened, newest first.
#pragma once

#include "live_series.h"

#include <charts/chart_group.h>
#include <models/events_model.h>
#include <models/values_model.h>
#include <style/card.h>

#include <QWidget>

class QTableView;

namespace lockstep::pages {

class LiveDock : public QWidget {
    Q_OBJECT
public:
    LiveDock(const style::Theme& theme, charts::ChartGroup& group, QWidget* parent = nullptr);

    void clear();
    void addEvents(const std::vector<api::RunEvent>& events);
    // After values or cursors have changed. Without cursors A is the first value and B the newest.
    void update(const LiveSeries& series);

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
    QTableView* m_valuesTable = nullptr;
    models::ValuesModel m_values;
    models::EventsModel m_events;
};

}  // namespace lockstep::pages
