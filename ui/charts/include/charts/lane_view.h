// Workers over time: one row per worker, grouped by host, on the group's x axis. A cell (3 px) is the mean of its samples.
//
// Late: that mean divided by the median of all workers in the same cell (of an even number the lower middle: the healthy one of two),
// in steps at ChartColors::lateCuts. Load: linear from Load range. States: coloured spans.
// Silence: where a worker has no sample for longer than three of its intervals, while others have, its row is hatched.
// Lower than its rows it scrolls them (wheel, bar at the right); the lane of events above and the axis below stay where they are.
// Keys beside those of every chart: Up and Down choose a row, Space is a click on it at cursor B.
#pragma once

#include <charts/chart_view.h>
#include <charts/series_data.h>

#include <memory>
#include <optional>
#include <vector>

namespace lockstep::charts {

enum class LaneMode { Late, Load, States };

// Where a worker was in one state. `to` of the last one may lie in the future: it ends at the newest sample.
struct StateSpan {
    std::uint64_t fromStep = 0;
    std::uint64_t toStep = 0;
    double fromTime = 0;  // Unix seconds
    double toTime = 0;
    QString name = {};
    int color = 0;  // series.fill in token order; kDeadState: error
};
inline constexpr int kDeadState = -1;

struct Lane {
    int rank = 0;
    QString host = {};
    QString worker = {};                               // "w6"
    QString device = {};                               // ":2"
    std::shared_ptr<const SeriesData> data = nullptr;  // may be null: only states
    std::vector<StateSpan> states = {};
};

struct LateLane {
    int rank = 0;
    double ratio = 1;  // to the median, over the newest cells
    std::uint64_t sinceStep = 0;
    double sinceTime = 0;  // Unix seconds
};

class LaneView : public ChartView {
    Q_OBJECT
public:
    explicit LaneView(ChartGroup* group, QWidget* parent = nullptr);
    ~LaneView() override;

    void setLanes(std::vector<Lane> lanes);  // rows of one host stay together, in the order given
    const std::vector<Lane>& lanes() const;
    void setMode(LaneMode mode);
    LaneMode mode() const;
    // Ends of the linear ramp and how its values are written; default 0…1 in percent.
    void setLoadRange(const Range& range, ValueFormat format);
    void setFolded(const QString& host, bool folded);  // a folded host is one row: its worst lane
    bool folded(const QString& host) const;
    // The latest worker whose newest cells are above lateCuts[2] (Late mode, after a redraw); nullopt: all keep pace.
    std::optional<LateLane> latest() const;
    // Newest value of the row of `rank` as the value column writes it.
    QString valueOf(int rank) const;

    std::optional<Range> extent() const override;
    QRectF plotArea() const override;
    std::optional<double> convert(double x, XAxis from, XAxis to) const override;
    QImage image(double scale) override;
    QByteArray svg() override;
    QString csv() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void cellHovered(int rank, quint64 step);  // rank −1: no cell
    void cellClicked(int rank, quint64 step);
    void eventClicked(int index);  // of events()
    void foldingChanged();

protected:
    bool hasNewData() const override;
    void redraw(bool refitY) override;
    void redrawCursors() override;
    void colorsChanged() override;
    void hoverMoved(const QPointF& place) override;
    void clicked(const QPointF& place) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    friend struct WholePicture;
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace lockstep::charts
