// What the charts of one page share: the x axis, smoothing, the visible stretch of x, follow, the cursors and the one refresh timer.
//
// Follow: while following, the visible stretch is refitted at each refresh to all data of the members. Any zoom or pan leaves follow;
// from then on neither x nor y moves by itself until setFollowing(true) (the End key, a double click).
// Refresh: a timer of 100 ms asks each visible member for new data and redraws only those that have some; what the user does (zoom,
// settings) is redrawn in the next pass of the event loop. Who puts in data at a pace of its own drives the group (setDriven): then the
// timer rests, and no chart is drawn twice for the same data. Many charts are drawn in several passes of about 12 ms, so that input never
// waits for all of them. Hidden members are not drawn. Nothing is animated.
//
// The group outlives nothing: members hold it by QPointer and take themselves out when they go.
#pragma once

#include <charts/axis.h>

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::charts {

class ChartView;

inline constexpr int kRefreshMs = 100;

class ChartGroup : public QObject {
    Q_OBJECT
public:
    explicit ChartGroup(QObject* parent = nullptr);
    ~ChartGroup() override;

    XAxis xAxis() const { return m_axis; }
    void setXAxis(XAxis axis);  // cursors and a zoomed stretch are carried over to the same samples
    Scale xScale() const { return m_scale; }
    void setXScale(Scale scale);
    double smoothing() const { return m_smoothing; }
    void setSmoothing(double weight);  // 0…0.999
    double startTime() const { return m_startTime; }
    void setStartTime(double unixSeconds);  // zero of XAxis::Elapsed

    Range range() const { return m_range; }   // visible, in units of xAxis()
    void setRange(const Range& range);        // leaves follow
    void zoom(double factor, double centre);  // > 1 shows less; `centre` stays where it is; on a log axis in log units
    void pan(double part);                    // by a part of the visible stretch; negative = to the left. Both end where no data is left
    bool following() const { return m_following; }
    void setFollowing(bool on);

    std::optional<double> cursorA() const { return m_cursorA; }
    std::optional<double> cursorB() const { return m_cursorB; }
    void setCursorA(std::optional<double> x);
    void setCursorB(std::optional<double> x);  // of a pinned B: nothing happens
    // B stays where it is put until it is released (nullopt).
    void pinCursorB(std::optional<double> x);
    bool cursorBPinned() const { return m_pinnedB; }

    void setDriven(bool driven);                                   // new data is drawn by refreshNow() only
    void refreshNow();                                             // the work of one timer tick; also for pictures without an event loop
    std::uint64_t viewRevision() const { return m_viewRevision; }  // grows with everything that moves what charts show

signals:
    void rangeChanged();
    void followingChanged(bool on);
    void axisChanged();  // kind or scale
    void smoothingChanged(double weight);
    void cursorsChanged();  // at most once per pass of the event loop
    void refreshed();       // after each tick that drew something

private:
    friend class ChartView;
    void add(ChartView* member);
    void remove(ChartView* member);
    void requestRefresh();
    void tick();
    bool refresh(qint64 budgetMs);  // false: the budget was used up before all were drawn
    void touchView();
    Range onScale(const Range& range) const;
    std::optional<Range> extent() const;  // of all members' data
    void fitToData();
    void announceCursors();
    std::optional<double> converted(double x, XAxis from) const;

    std::vector<ChartView*> m_members;
    QTimer m_timer;
    QTimer m_soon;
    QTimer m_cursorSoon;
    XAxis m_axis = XAxis::Step;
    Scale m_scale = Scale::Linear;
    double m_smoothing = 0;
    double m_startTime = 0;
    Range m_range;
    bool m_following = true;
    std::optional<double> m_cursorA;
    std::optional<double> m_cursorB;
    bool m_pinnedB = false;
    bool m_driven = false;
    std::uint64_t m_viewRevision = 1;
    std::size_t m_next = 0;     // member at which the last pass stopped
    bool m_unfinished = false;  // it stopped before all were drawn
};

}  // namespace lockstep::charts
