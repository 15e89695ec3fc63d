// The input pipeline, in processor time: pictures of CIFAR's size, moved, mirrored and normalised, as the thread of a feed makes them.
//   input_bench [PICTURES]
#include <base/thread.h>
#include <data/feed.h>

#include <time.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace lockstep;
using namespace lockstep::data;

namespace {

constexpr std::int64_t kBatch = 128;

struct Case {
    std::string name;
    RowTransform transform;
};

// Time of processors, of all threads: what others do on this computer doesn't count.
double secondsOfProcessor() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Median of five passes over all rows, in a random order as in training.
double writeRate(const Split& split, const RowTransform& transform) {
    std::vector<std::uint32_t> order(static_cast<std::size_t>(split.rows));
    shuffleRows(order, 1, 0);
    RowWriter writer(split, Real::F32, transform);
    std::vector<std::byte> x(static_cast<std::size_t>(kBatch) * writer.rowBytes());
    std::vector<std::int32_t> labels(static_cast<std::size_t>(kBatch));
    std::vector<double> rates;
    for (int pass = 0; pass < 5; ++pass) {
        const double begin = secondsOfProcessor();
        for (std::size_t i = 0; i < order.size(); ++i) writer.write(order[i], pass, x.data(), labels.data(), i % labels.size());
        rates.push_back(static_cast<double>(split.rows) / (secondsOfProcessor() - begin));
    }
    std::ranges::sort(rates);
    return rates[rates.size() / 2];
}

// Whole feed, its thread and the taker on one core.
double feedRate(const Split& split, const RowTransform& transform) {
    FeedOptions options;
    options.split = split;
    options.schedule = Schedule(split.rows, kBatch, 5);
    options.transform = transform;
    const double begin = secondsOfProcessor();
    Feed feed(options);
    std::int64_t rows = 0;
    for (;;) {
        const auto input = feed.next(Deadline::in(Seconds(60)));
        if (!input.ok() || *input == nullptr) break;
        rows += (*input)->ownRows;
    }
    return static_cast<double>(rows) / (secondsOfProcessor() - begin);
}

}  // namespace

int main(int count, char** arguments) {
    LoadOptions load;
    load.dataset = "synthetic";
    load.syntheticRows = count > 1 ? std::max(1L, std::strtol(arguments[1], nullptr, 10)) : 20000;
    const auto dataset = loadDataset(load);
    if (!dataset.ok()) {
        std::fprintf(stderr, "%s\n", dataset.error().toText().c_str());
        return 1;
    }
    const auto processors = usableProcessors();
    pinThisThread(std::span(processors).first(1));  // threads made later stay there too
    const Normalisation normalise{{0.4914f, 0.4822f, 0.4465f}, {0.2470f, 0.2435f, 0.2616f}};
    const std::vector<Case> cases = {{"value/255", {}},
                                     {"crop 4, flip", {{4, true}, {}, 1}},
                                     {"normalise", {{}, normalise, 1}},
                                     {"crop 4, flip, normalise", {{4, true}, normalise, 1}}};
    std::printf("%lld pictures of 32 x 32 x 3, batches of %lld, processor time\n", static_cast<long long>(dataset->train.rows),
                static_cast<long long>(kBatch));
    std::printf("%-28s %16s %16s %14s\n", "", "rows/s (writer)", "rows/s (feed)", "us per row");
    for (const Case& one : cases) {
        const double writer = writeRate(dataset->train, one.transform), feed = feedRate(dataset->train, one.transform);
        std::printf("%-28s %16.0f %16.0f %14.2f\n", one.name.c_str(), writer, feed, 1e6 / feed);
    }
    return 0;
}
