#include <charts/series_data.h>

#include <algorithm>
#include <cmath>

namespace lockstep::charts {

void SeriesData::Stats::add(const Stats& other) {
    if (other.finite == 0) return;
    if (finite == 0 || other.min < min) {
        min = other.min;
        minAt = other.minAt;
    }
    if (finite == 0 || other.max > max) {
        max = other.max;
        maxAt = other.maxAt;
    }
    if (other.positive() > 0 && (positive() == 0 || other.minPositive < minPositive)) {
        minPositive = other.minPositive;
        minPositiveAt = other.minPositiveAt;
    }
    sum += other.sum;
    finite += other.finite;
    notPositive += other.notPositive;
}

SeriesData::Stats SeriesData::statsOf(std::size_t index) const {
    const double value = valueAt(index);
    if (!std::isfinite(value)) return {};
    const auto place = static_cast<std::uint32_t>(index);
    return {value, value, value, value, place, place, place, 1, value > 0 ? 0U : 1U};
}

void SeriesData::append(const Sample& sample) {
    const Sample before = m_size == 0 ? Sample{} : last();
    const bool newPiece = m_size == 0 || sample.step < before.step;
    Sample place = sample;
    if (newPiece) m_pieces.push_back(m_size);
    if (!std::isfinite(place.time) || (!newPiece && place.time < before.time)) place.time = before.time;
    m_open.push_back(place);
    ++m_size;
    ++m_revision;
    if (m_size % kFirst == 0) closeBuckets();
    if (m_open.size() == kBlockSamples) sealBlock();
}

void SeriesData::sealBlock() {
    auto values = std::make_unique<std::array<double, kBlockSamples>>();
    std::ranges::transform(m_open, values->begin(), &Sample::value);
    m_blocks.push_back({m_pool->placesOf(m_open), std::move(values)});
    m_open.clear();
}

void SeriesData::append(std::span<const Sample> samples) {
    for (const Sample& each : samples) append(each);
}

void SeriesData::clear() {
    m_blocks.clear();
    m_open = {};
    m_levels.clear();
    m_pieces.clear();
    m_size = 0;
    ++m_revision;
    ++m_generation;
}

void SeriesData::cutFrom(std::uint64_t step) {
    std::size_t kept = 0;
    while (kept < m_size && at(kept).step < step) ++kept;
    if (kept == m_size) return;
    std::vector<Sample> samples;
    samples.reserve(kept);
    for (std::size_t index = 0; index < kept; ++index) samples.push_back(at(index));
    clear();
    append(samples);
}

void SeriesData::closeBuckets() {
    std::size_t level = 0;
    for (std::size_t width = kFirst; m_size % width == 0; width = above(width), ++level) {
        if (m_levels.size() == level) m_levels.emplace_back();
        Stats sum;
        if (level == 0)
            addSamples(sum, {m_size - kFirst, m_size});
        else
            for (std::size_t i = 0; i < kFan; ++i) sum.add(m_levels[level - 1][m_levels[level - 1].size() - kFan + i]);
        m_levels[level].push_back(sum);
    }
}

void SeriesData::addSamples(Stats& sum, Span span) const {
    for (std::size_t index = span.begin; index < span.end; ++index) {
        const double value = valueAt(index);
        if (!std::isfinite(value)) continue;
        if (sum.finite == 0 || value < sum.min) {
            sum.min = value;
            sum.minAt = static_cast<std::uint32_t>(index);
        }
        if (sum.finite == 0 || value > sum.max) {
            sum.max = value;
            sum.maxAt = static_cast<std::uint32_t>(index);
        }
        if (value > 0) {
            if (sum.positive() == 0 || value < sum.minPositive) {
                sum.minPositive = value;
                sum.minPositiveAt = static_cast<std::uint32_t>(index);
            }
        } else {
            ++sum.notPositive;
        }
        sum.sum += value;
        ++sum.finite;
    }
}

// Only complete buckets are stored, and an aligned bucket inside of the span is complete: the tail falls to lower levels by itself.
SeriesData::Stats SeriesData::stats(Span span) const {
    Stats sum;
    while (span.begin < span.end) {
        std::size_t width = 1;
        std::size_t level = 0;
        while (span.begin % above(width) == 0 && span.begin + above(width) <= span.end) {
            width = above(width);
            ++level;
        }
        if (level == 0) {
            const std::size_t next = std::min(span.end, (span.begin / kFirst + 1) * kFirst);
            addSamples(sum, {span.begin, next});
            span.begin = next;
            continue;
        }
        sum.add(m_levels[level - 1][span.begin / width]);
        span.begin += width;
    }
    return sum;
}

SeriesData::Span SeriesData::piece(std::size_t number) const {
    return {m_pieces[number], number + 1 < m_pieces.size() ? m_pieces[number + 1] : m_size};
}

std::optional<Range> SeriesData::extent(XAxis axis, double origin) const {
    std::optional<Range> all;
    for (std::size_t number = 0; number < m_pieces.size(); ++number) {
        const Span span = piece(number);
        const Range range{xOf(span.begin, axis, origin), xOf(span.end - 1, axis, origin)};
        all = all ? all->united(range) : range;
    }
    return all;
}

std::size_t SeriesData::bound(Span span, double x, Bound kind, const View& view, std::size_t hint) const {
    const auto before = [&](std::size_t index) {
        const double here = xOf(index, view.axis, view.origin);
        return kind == Bound::Lower ? here < x : here <= x;
    };
    // Everything below `low` is before x, everything from `high` on is not.
    std::size_t low = std::clamp(hint, span.begin, span.end);
    std::size_t high = low;
    if (low < span.end && before(low)) {
        for (std::size_t step = 1; high < span.end && before(high); step *= 2) {
            low = high + 1;
            high = std::min(high + step, span.end);
        }
    } else {
        for (std::size_t step = 1; low > span.begin && !before(low - 1); step *= 2) {
            high = low - 1;
            low = high - std::min(step, high - span.begin);
        }
    }
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (before(middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

SeriesData::Span SeriesData::inView(std::size_t pieceNumber, const View& view) const {
    const Span all = piece(pieceNumber);
    const double first = xOf(all.begin, view.axis, view.origin);
    const double length = xOf(all.end - 1, view.axis, view.origin) - first;
    // Where an even series would have it.
    const auto guess = [&](double x) {
        const double part = length > 0 ? std::clamp((x - first) / length, 0.0, 1.0) : 0.0;
        return all.begin + static_cast<std::size_t>(part * double(all.size() - 1));
    };
    const std::size_t begin = bound(all, view.x.from, Bound::Lower, view, guess(view.x.from));
    return {begin, bound({begin, all.end}, view.x.to, Bound::Upper, view, guess(view.x.to))};
}

Summary SeriesData::summary(const View& view) const {
    Summary result;
    Stats sum;
    for (std::size_t number = 0; number < m_pieces.size(); ++number) {
        const Span span = inView(number, view);
        sum.add(stats(span));
        result.visible += span.size();
    }
    result.notFinite = result.visible - sum.finite;
    const bool log = view.yScale == Scale::Log;
    if (log) result.notPositive = sum.notPositive;
    if ((log ? sum.positive() : sum.finite) > 0) result.values = Range{log ? sum.minPositive : sum.min, sum.max};
    return result;
}

std::vector<double> SeriesData::sampled(const View& view, std::size_t most) const {
    std::vector<Span> spans;
    std::size_t total = 0;
    for (std::size_t number = 0; number < m_pieces.size(); ++number) {
        spans.push_back(inView(number, view));
        total += spans.back().size();
    }
    const std::size_t stride = std::max<std::size_t>(1, (total + most - 1) / std::max<std::size_t>(1, most));
    std::vector<double> values;
    for (const Span& span : spans)
        for (std::size_t index = span.begin; index < span.end; index += stride) {
            const double value = valueAt(index);
            if (std::isfinite(value) && (view.yScale == Scale::Linear || value > 0)) values.push_back(value);
        }
    return values;
}

std::size_t SeriesData::outside(const View& view, const Range& y) const {
    std::size_t count = 0;
    for (std::size_t number = 0; number < m_pieces.size(); ++number) {
        Span span = inView(number, view);
        while (span.begin < span.end) {
            std::size_t width = 1;
            std::size_t level = 0;
            while (span.begin % above(width) == 0 && span.begin + above(width) <= span.end) {
                width = above(width);
                ++level;
            }
            count += outside({span.begin, span.begin + width}, level, y);
            span.begin += width;
        }
    }
    return count;
}

std::size_t SeriesData::outside(Span span, std::size_t level, const Range& y) const {
    const Stats stats = level == 0 ? statsOf(span.begin) : m_levels[level - 1][span.begin / span.size()];
    if (stats.finite == 0 || (stats.min >= y.from && stats.max <= y.to)) return 0;
    if (stats.max < y.from || stats.min > y.to) return stats.finite;
    std::size_t count = 0;
    const std::size_t part = level == 1 ? 1 : span.size() / kFan;
    for (std::size_t begin = span.begin; begin < span.end; begin += part) count += outside({begin, begin + part}, level - 1, y);
    return count;
}

std::optional<std::size_t> SeriesData::nearest(double x, XAxis axis, double origin) const {
    if (empty()) return std::nullopt;
    const View view{axis, origin, {x, x}, 1, Scale::Linear, Scale::Linear};
    std::optional<std::size_t> best;
    double distance = 0;
    for (std::size_t number = m_pieces.size(); number-- > 0;) {
        const Span all = piece(number);
        std::size_t index = bound(all, x, Bound::Lower, view, all.begin + all.size() / 2);
        const bool covers = index < all.end && (index > all.begin || xOf(index, axis, origin) == x);
        if (index == all.end || (index > all.begin && x - xOf(index - 1, axis, origin) <= xOf(index, axis, origin) - x)) --index;
        if (covers) return index;
        const double away = std::abs(xOf(index, axis, origin) - x);
        if (!best || away < distance) {
            best = index;
            distance = away;
        }
    }
    return best;
}

}  // namespace lockstep::charts
