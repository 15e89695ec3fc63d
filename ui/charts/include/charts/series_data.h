// One series in memory: the samples in blocks and over them a pyramid of buckets (64 samples, then ×16 per level) with minimum, maximum,
// sum and counts, so that drawing costs pixels and not points.
//
// A full block keeps its values alone; steps and times are in a PlacePool, once for all series of the pool that were measured at the
// same moments: a rank has a dozen of those. A sample then costs 8 bytes and its share of the places, nothing is rounded or left out.
//
// Pieces. After a resume steps are measured again: a sample whose step is smaller than the one before begins a new *piece*. Inside of
// a piece x never falls. Every piece is drawn for itself (no line between them, never a zigzag); wherever one value is asked for
// (cursor, stack, lane) the youngest piece that covers x answers: the later measurement wins.
// Time inside of a piece never falls either: a time that goes back or isn't finite is stored as the time before it.
// Values that aren't finite are gaps.
//
// Thread: one (the window's). Not copyable; charts share it by shared_ptr and see by revision() that something is new.
#pragma once

#include <charts/axis.h>
#include <charts/place_pool.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::charts {

// What a thinned column shows: its extremes in time order (raw values), or its mean (smoothed lines, which have no extremes of their own
// and would look like a fat raw line).
enum class Keep { Extremes, Mean };

// What a chart wants to draw: `columns` equal columns of from…to (equal in log x when x is Log).
struct View {
    XAxis axis = XAxis::Step;
    double origin = 0;  // subtracted from times when axis is Elapsed
    Range x;
    int columns = 1;
    Scale xScale = Scale::Linear;
    Scale yScale = Scale::Linear;  // Log: values ≤ 0 are left out and counted
    Keep keep = Keep::Extremes;
};

struct PlotPoint {
    double x = 0;
    double y = 0;  // NaN: the line is broken here
};

// At most two points per column (minimum and maximum, in time order), plus the last sample in view and one neighbour on either side
// of the view per piece. With Keep::Extremes no minimum or maximum
// ever vanishes, whatever the zoom; equal views give equal points.
struct Thinned {
    std::vector<PlotPoint> points;
    std::size_t visible = 0;  // samples in view
    std::size_t buckets = 0;  // 0: every sample is drawn
};

// What lies in view, all pieces together.
struct Summary {
    std::size_t visible = 0;      // samples
    std::size_t notFinite = 0;    // of these: NaN or infinite
    std::size_t notPositive = 0;  // of these: ≤ 0, hidden by a log axis (0 when yScale is Linear)
    std::optional<Range> values;  // smallest and largest finite value (> 0 when yScale is Log)
};

struct ColumnStats {
    Range x;  // of the column
    double min = 0;
    double max = 0;
    double mean = 0;          // of the youngest piece that has finite values here
    double last = 0;          // likewise
    std::size_t samples = 0;  // finite ones; 0: nothing here, the numbers mean nothing
};

class SeriesData {
public:
    // Series that are measured together should be given one pool.
    explicit SeriesData(std::shared_ptr<PlacePool> pool = std::make_shared<PlacePool>()) : m_pool(std::move(pool)) {}
    SeriesData(const SeriesData&) = delete;
    SeriesData& operator=(const SeriesData&) = delete;

    void append(const Sample& sample);  // amortised O(1)
    void append(std::span<const Sample> samples);
    void clear();
    // Takes away the samples from the first one on whose step is at or above this: a resumed run measures them again. Costs all samples.
    void cutFrom(std::uint64_t step);

    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    Sample at(std::size_t index) const {
        const std::size_t number = index / kBlockSamples, place = index % kBlockSamples;
        if (number == m_blocks.size()) return m_open[place];
        const Block& block = m_blocks[number];
        return {block.places->step(place), block.places->time(place), (*block.values)[place]};
    }
    Sample last() const { return at(m_size - 1); }
    const std::shared_ptr<PlacePool>& pool() const { return m_pool; }
    // Where pieces begin: indices of their first samples; empty when there is no sample.
    const std::vector<std::size_t>& pieces() const { return m_pieces; }
    // Grows with every change. generation() grows with clear() and cutFrom() only.
    std::uint64_t revision() const { return m_revision; }
    std::uint64_t generation() const { return m_generation; }

    double xOf(std::size_t index, XAxis axis, double origin) const {
        const std::size_t number = index / kBlockSamples, place = index % kBlockSamples;
        const bool open = number == m_blocks.size();
        if (axis == XAxis::Step) return static_cast<double>(open ? m_open[place].step : m_blocks[number].places->step(place));
        const double time = open ? m_open[place].time : m_blocks[number].places->time(place);
        return axis == XAxis::Elapsed ? time - origin : time;
    }
    std::optional<Range> extent(XAxis axis, double origin) const;  // nullopt: empty
    Summary summary(const View& view) const;                       // costs the logarithm of the samples
    Thinned thin(const View& view) const;
    std::vector<ColumnStats> columns(const View& view) const;  // always view.columns of them
    // Finite samples in view that lie outside of `y`.
    std::size_t outside(const View& view, const Range& y) const;
    // Up to `most` finite values (> 0 when yScale is Log) in view, evenly spaced in order of samples.
    std::vector<double> sampled(const View& view, std::size_t most) const;
    // Index of the sample nearest to x, of the youngest piece that covers x, else of the one whose end is nearest.
    std::optional<std::size_t> nearest(double x, XAxis axis, double origin) const;

private:
    struct Block {
        std::shared_ptr<const Places> places;
        std::unique_ptr<std::array<double, kBlockSamples>> values;
    };
    static constexpr std::size_t kFirst = 64;  // samples in the lowest buckets: what has to be looked through at both ends of a view
    static constexpr std::size_t kFan = 16;
    static constexpr std::size_t above(std::size_t width) { return width == 1 ? kFirst : width * kFan; }
    struct Stats {
        double sum = 0;
        double min = 0;
        double max = 0;
        double minPositive = 0;
        std::uint32_t minAt = 0;
        std::uint32_t maxAt = 0;
        std::uint32_t minPositiveAt = 0;
        std::uint32_t finite = 0;
        std::uint32_t notPositive = 0;
        std::uint32_t positive() const { return finite - notPositive; }
        void add(const Stats& other);
    };
    struct Span {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t size() const { return end - begin; }
    };

    double valueAt(std::size_t index) const {
        const std::size_t number = index / kBlockSamples, place = index % kBlockSamples;
        return number == m_blocks.size() ? m_open[place].value : (*m_blocks[number].values)[place];
    }
    void sealBlock();
    Stats statsOf(std::size_t index) const;
    Stats stats(Span span) const;
    Span piece(std::size_t number) const;
    // First index in `span` whose x is ≥ x (Bound::Lower) or > x (Upper); the search gallops from `hint`.
    enum class Bound { Lower, Upper };
    std::size_t bound(Span span, double x, Bound kind, const View& view, std::size_t hint) const;
    void addSamples(Stats& sum, Span span) const;
    Span inView(std::size_t pieceNumber, const View& view) const;
    void closeBuckets();
    std::size_t outside(Span span, std::size_t level, const Range& y) const;
    void thinPiece(std::size_t number, const View& view, Thinned& out) const;
    void emitSample(std::size_t index, const View& view, Thinned& out) const;
    std::size_t emitColumns(Span span, const View& view, Thinned& out) const;
    std::size_t emitExtremes(const Stats& here, const View& view, Thinned& out) const;
    std::size_t emitMean(Span span, const Stats& here, const View& view, Thinned& out) const;

    std::shared_ptr<PlacePool> m_pool;
    std::vector<Block> m_blocks;
    std::vector<Sample> m_open;               // the newest, fewer than a block
    std::vector<std::deque<Stats>> m_levels;  // [k]: complete buckets of 64 · 16^k samples; a deque leaves no half of itself empty
    std::vector<std::size_t> m_pieces;
    std::size_t m_size = 0;
    std::uint64_t m_revision = 0;
    std::uint64_t m_generation = 0;
};

}  // namespace lockstep::charts
