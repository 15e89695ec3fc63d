#include "live_strip.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSignalBlocker>
#include <QSlider>

namespace lockstep::pages {
namespace {

constexpr int kSliderSteps = 99;  // 0 … 0.99; the field goes on to 0.999
constexpr double kFirstSmoothing = 0.6;

}  // namespace

LiveStrip::LiveStrip(const style::Theme& theme, charts::ChartGroup& group, QWidget* parent)
    : CommandBar(theme, parent), m_theme(theme), m_group(group) {
    setObjectName("live.strip");
    addAxisChoice();
    addGap();
    addSmoothing();
    addGap();
    addWorkers();
    addStretch();
    addLive();
}

void LiveStrip::addAxisChoice() {
    m_axis = new QComboBox(this);
    m_axis->setObjectName("live.strip.axis");
    m_axis->setProperty("controlSize", "small");
    m_axis->setToolTip(
        tr("What the x axis shows. In the charts: Ctrl+wheel zooms, dragging or Shift+wheel moves, a double click shows all."));
    m_axis->addItem(tr("Step"), static_cast<int>(charts::XAxis::Step));
    m_axis->addItem(tr("Time"), static_cast<int>(charts::XAxis::Elapsed));
    m_axis->addItem(tr("Clock"), static_cast<int>(charts::XAxis::WallTime));
    addCaption(tr("X"));
    add(m_axis);
    connect(m_axis, &QComboBox::currentIndexChanged, this,
            [this] { m_group.setXAxis(static_cast<charts::XAxis>(m_axis->currentData().toInt())); });
}

void LiveStrip::addSmoothing() {
    m_slider = new QSlider(Qt::Horizontal, this);
    m_slider->setObjectName("live.strip.smoothing");
    m_slider->setAccessibleName(tr("Smoothing"));
    m_slider->setRange(0, kSliderSteps);
    m_slider->setFixedWidth(56);
    m_slider->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_weight = new QDoubleSpinBox(this);
    m_weight->setObjectName("live.strip.weight");
    m_weight->setAccessibleName(tr("Smoothing weight"));
    m_weight->setToolTip(tr("Weight of the exponential moving average, 0 to 0.999"));
    m_weight->setRange(0, 0.999);
    m_weight->setDecimals(3);
    m_weight->setSingleStep(0.05);
    m_weight->setProperty("controlSize", "small");
    const auto widen = [this] { m_weight->setFixedWidth(static_cast<int>(60 * m_theme.textScale())); };
    connect(&m_theme, &style::Theme::changed, this, widen);
    widen();
    m_weight->setButtonSymbols(QAbstractSpinBox::NoButtons);
    addCaption(tr("Smoothing"));
    add(m_slider);
    add(m_weight);
    connect(m_slider, &QSlider::valueChanged, this, [this](int value) { m_weight->setValue(value / 100.0); });
    connect(m_weight, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        const QSignalBlocker quiet(m_slider);
        m_slider->setValue(static_cast<int>(value * 100));
        m_group.setSmoothing(value);
    });
    m_weight->setValue(kFirstSmoothing);
}

void LiveStrip::addWorkers() {
    m_logX = new QCheckBox(tr("Log x"), this);
    m_logX->setObjectName("live.strip.logX");
    m_logY = new QCheckBox(tr("Log y"), this);
    m_logY->setObjectName("live.strip.logY");
    m_workers = new QComboBox(this);
    m_workers->setObjectName("live.strip.workers");
    m_workers->setProperty("controlSize", "small");
    m_workers->addItem(tr("Mean and band"));
    m_workers->addItem(tr("Each"));
    add(m_logX);
    add(m_logY);
    m_workers->setAccessibleName(tr("Workers"));
    m_workers->setToolTip(tr("How charts of every worker are drawn"));
    add(m_workers);
    connect(m_logX, &QCheckBox::toggled, this, [this](bool on) { m_group.setXScale(on ? charts::Scale::Log : charts::Scale::Linear); });
    connect(m_logY, &QCheckBox::toggled, this, &LiveStrip::logYChanged);
    connect(m_workers, &QComboBox::currentIndexChanged, this, &LiveStrip::workersChanged);
}

void LiveStrip::addLive() {
    m_columns = new style::SegmentedControl(m_theme, tr("Columns"), style::ControlSize::Normal, this);
    m_columns->setObjectName("live.strip.columns");
    for (int i = 1; i <= 4; ++i) m_columns->addSegment(QString::number(i), QString::number(i), tr("%n column(s)", nullptr, i));
    m_columns->choose("3");
    m_live = new style::Button(m_theme, style::ButtonKind::Plain, tr("Live"), "follow", style::ControlSize::Small, this);
    m_live->setObjectName("live.strip.live");
    m_live->setCheckable(true);
    m_live->setToolTip(tr("Follow the newest values (End); zooming or moving a chart ends it"));
    add(m_columns);
    add(m_live);
    connect(m_columns, &style::SegmentedControl::chosenByPerson, this, [this](const QString& id) { emit columnsChanged(id.toInt()); });
    connect(m_live, &QPushButton::clicked, this, [this] { m_group.setFollowing(true); });
    connect(&m_group, &charts::ChartGroup::followingChanged, this, &LiveStrip::showFollowing);
    showFollowing(m_group.following());
}

void LiveStrip::showFollowing(bool on) {
    m_live->setChecked(on);
    m_live->setIconName("follow", on ? style::Role::Accent : style::Role::MutedText);
}

WorkerView LiveStrip::workers() const { return m_workers->currentIndex() == 0 ? WorkerView::MeanAndBand : WorkerView::Each; }
bool LiveStrip::logY() const { return m_logY->isChecked(); }
int LiveStrip::columns() const { return m_columns->chosen().toInt(); }
void LiveStrip::setColumns(int columns) { m_columns->choose(QString::number(columns)); }

}  // namespace lockstep::pages
