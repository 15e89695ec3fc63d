#include "idx_files.h"

#include <support/scratch.h>
#include <support/test.h>

#include <data/feed.h>

#include <map>

using namespace lockstep;
using namespace lockstep::data;

namespace {

template <class T>
std::span<const T> as(const std::byte* bytes, std::size_t count) {
    return {reinterpret_cast<const T*>(bytes), count};
}

}  // namespace

class FeedTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        test::writeDataset(m_scratch.path(), 13, 2);
        auto dataset = loadDataset(idxOptions());
        VERIFY_OK(dataset);
        m_split = dataset->train;
    }
    void pixelsLabelsWeights() {
        Feed feed(options({1, 0, 1}, 5, 1, false));
        const auto input = next(feed);
        QVERIFY(input != nullptr);
        const auto x = as<float>(input->x, 20);
        for (int i = 0; i < 20; ++i) QCOMPARE(x[i], float(16 * (i / 4) + i % 4) / 255.0f);
        QCOMPARE(as<std::int32_t>(input->labels, 5)[4], 1);
        QCOMPARE(as<float>(input->weights, 5)[4], 0.2f);
        QVERIFY(reinterpret_cast<std::uintptr_t>(input->x) % 64 == 0);
        next(feed);
        const auto last = next(feed);  // 13 = 5 + 5 + 3: padded
        QCOMPARE(last->ownRows, 3);
        QVERIFY(last->rows.lastOfEpoch);
        QCOMPARE(as<float>(last->weights, 5)[2], 1.0f / 3);
        QCOMPARE(as<float>(last->weights, 5)[3], 0.0f);
        QCOMPARE(as<float>(last->x, 20)[12], 0.0f);
        QCOMPARE(as<std::int32_t>(last->labels, 5)[3], 0);
        QVERIFY(next(feed) == nullptr);
        QVERIFY(next(feed) == nullptr);
    }
    void doublesAreWidenedFloats() {
        auto wide = options({1, 0, 1}, 5, 1, false);
        wide.real = Real::F64;
        Feed feed(wide);
        const auto input = next(feed);
        QCOMPARE(as<double>(input->x, 20)[7], double(float(16 + 3) / 255.0f));
        QCOMPARE(as<double>(input->weights, 5)[0], 0.2);
    }
    void anyNumberOfRanksSeesTheSameBatches() {
        // Labels and pixels name the row; every batch must be the same set of rows, in the same order, for 1 to 4 ranks.
        const auto whole = rowsSeen({1});
        QCOMPARE(whole.size(), std::size_t(9));
        for (const int ranks : {2, 3, 4}) QVERIFY(rowsSeen(std::vector<int>(ranks, 1)) == whole);
        QVERIFY(rowsSeen({2, 1}) == whole);
    }
    void resumedInTheMiddle() {
        Feed from(options({2, 1, 1}, 5, 3, true));
        for (int i = 0; i < 4; ++i) next(from);
        auto later = options({2, 1, 1}, 5, 3, true);
        later.firstStep = 5;
        Feed resumed(later);
        for (int step = 5; step <= 9; ++step) {
            const auto a = next(from), b = next(resumed);
            QCOMPARE(a->rows.step, std::uint64_t(step));
            QVERIFY(a->rows == b->rows);
            QCOMPARE(std::memcmp(a->x, b->x, 3 * 4 * sizeof(float)), 0);
        }
    }
    void explicitOrder() {
        auto chosen = options({1, 0, 1}, 2, 1, true);
        chosen.order = {12, 3, 3, 0};
        chosen.schedule = Schedule(4, 2, 1);
        Feed feed(chosen);
        const auto first = next(feed);
        QCOMPARE(as<float>(first->x, 8)[0], 16.0f * 12 / 255);
        QCOMPARE(as<float>(first->x, 8)[4], 16.0f * 3 / 255);
    }
    void twoBuffersAndManySteps() {
        auto small = options({1, 0, 1}, 1, 40, true);
        small.buffers = 2;
        Feed feed(small);
        std::uint64_t steps = 0;
        while (const auto input = next(feed)) QCOMPARE(input->rows.step, ++steps);
        QCOMPARE(steps, 520u);
    }
    void endsEarlyWithoutHanging() {
        for (int taken = 0; taken < 5; ++taken) {
            Feed feed(options({1, 0, 1}, 1, 1000, true));
            for (int i = 0; i < taken; ++i) next(feed);
        }
    }

private:
    LoadOptions idxOptions() const {
        LoadOptions options;
        options.dataset = "idx";
        options.folder = m_scratch.path();
        options.cacheFolder = m_scratch / "cache";
        return options;
    }
    FeedOptions options(SliceShare share, std::int64_t batch, int epochs, bool shuffle) const {
        FeedOptions options;
        options.split = m_split;
        options.schedule = Schedule(m_split.rows, batch, epochs);
        options.share = share;
        options.shuffle = shuffle;
        options.seed = 5;
        return options;
    }
    static const StepInput* next(Feed& feed) {
        const auto input = feed.next(Deadline::in(Seconds(30)));
        return input.ok() ? *input : nullptr;
    }
    // Rows of each step, ranks joined in order; `slices` of each rank.
    std::vector<std::vector<int>> rowsSeen(const std::vector<int>& slices) const {
        const int total = std::accumulate(slices.begin(), slices.end(), 0);
        std::vector<std::vector<int>> steps;
        int first = 0;
        for (const int count : slices) {
            Feed feed(options({total, first, count}, 5, 3, true));
            first += count;
            for (std::size_t step = 0; const auto input = next(feed); ++step) {
                if (steps.size() <= step) steps.emplace_back();
                for (std::int64_t i = 0; i < input->ownRows; ++i)
                    steps[step].push_back(static_cast<int>(std::lround(as<float>(input->x, 40)[4 * i] * 255)) / 16);
            }
        }
        return steps;
    }

    test::Scratch m_scratch;
    Split m_split;
};

LOCKSTEP_TEST(FeedTest)
#include "feed_test.moc"
