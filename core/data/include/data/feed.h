// The inputs of a rank's steps, prepared ahead by a thread: features (row_writer.h), labels or targets, and the weights that make sums over
// ranks true means (1/rows of the whole batch for real rows, 0 for padding). Buffers are made once; the loop allocates nothing and takes no
// lock.
#pragma once

#include <base/clock.h>
#include <base/gate.h>
#include <base/result.h>
#include <data/batches.h>
#include <data/dataset.h>
#include <data/row_writer.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace lockstep::data {

inline constexpr std::size_t kUsualBuffers = 8;

struct FeedOptions {
    Split split;  // shares the pages
    Schedule schedule{1, 1, 1};
    SliceShare share;
    Real real = Real::F32;
    bool shuffle = true;               // false: the rows in their order, every epoch
    std::vector<std::uint32_t> order;  // explicit rows of every epoch instead of all; schedule.rows() of them, or empty
    std::uint64_t seed = 1;
    RowTransform transform;
    std::uint64_t firstStep = 1;   // later when a run is resumed
    double weightOfBatch = 1;      // sum of the weights of a batch over all ranks: less when several batches make one update
    bool meanOfReplicas = false;   // Keras' reduction: each replica's rows weigh 1/(replicas · its rows) instead of 1/(rows of the batch)
    std::int64_t targetWidth = 0;  // > 0: labels are given as targets (row_writer.h)
    // ≥ 2; fewer when they would take more than 64 MiB. Of kUsualBuffers or more, up to 32 small ones are made while all take less than
    // 4 MiB: waking the thread that fills them costs a step up to 50 µs in a virtual machine, and it sleeps until half are free.
    std::size_t buffers = kUsualBuffers;
};

struct StepInput {
    StepRows rows;                       // of the whole batch
    std::int64_t ownRows = 0;            // real rows of this rank
    const std::byte* x = nullptr;        // mostRowsOfShare × features
    const std::byte* labels = nullptr;   // i32; zeros when the rows have targets
    const std::byte* targets = nullptr;  // mostRowsOfShare × their width in x's precision; nullptr when there are labels only
    const std::byte* weights = nullptr;  // in x's precision
};

// Bytes that a Feed takes, without the rows themselves: its ring of buffers and the order of an epoch. Of the options only the split's
// shape and target width, schedule, share, real and buffers count.
std::uint64_t feedBytes(const FeedOptions& options);

// next() is called by one thread. The thread that prepares is named "feed" and ends with the object.
class Feed {
public:
    explicit Feed(FeedOptions options);
    ~Feed();
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;

    // The input of the following step, valid until the next call; nullptr after the last step. Error F616: not ready in time.
    Result<const StepInput*> next(Deadline deadline);

private:
    struct Buffer;
    struct Ring;
    friend std::uint64_t feedBytes(const FeedOptions& options);
    void work();
    bool waitForRoom();
    void fill(Buffer& buffer, const StepRows& rows);
    void beginEpoch(int epoch);

    FeedOptions m_options;
    RowWriter m_writer;
    std::vector<Buffer> m_buffers;
    std::vector<std::uint32_t> m_order;
    int m_orderEpoch = -1;
    std::uint64_t m_nextStep;
    Gate m_filled, m_freed;
    std::uint32_t m_made = 0, m_taken = 0;
    std::atomic<bool> m_stop{false};
    std::jthread m_thread;
};

}  // namespace lockstep::data
