// The strip of controls above the charts of the Live page. It sets the chart group and says the rest by signals.
#pragma once

#include <charts/chart_group.h>
#include <style/card.h>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QSlider;

namespace lockstep::pages {

enum class WorkerView { MeanAndBand, Each };

class LiveStrip : public style::CommandBar {
    Q_OBJECT
public:
    LiveStrip(const style::Theme& theme, charts::ChartGroup& group, QWidget* parent = nullptr);

    WorkerView workers() const;
    bool logY() const;
    int columns() const;
    void setColumns(int columns);

signals:
    void workersChanged();
    void logYChanged(bool on);
    void columnsChanged(int columns);

private:
    void addAxisChoice();
    void addSmoothing();
    void addWorkers();
    void addLive();
    void showFollowing(bool on);

    const style::Theme& m_theme;
    charts::ChartGroup& m_group;
    QComboBox* m_axis = nullptr;
    QSlider* m_slider = nullptr;
    QDoubleSpinBox* m_weight = nullptr;
    QCheckBox* m_logX = nullptr;
    QCheckBox* m_logY = nullptr;
    QComboBox* m_workers = nullptr;
    style::SegmentedControl* m_columns = nullptr;
    style::Button* m_live = nullptr;
};

}  // namespace lockstep::pages
