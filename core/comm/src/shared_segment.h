// The memory that the ranks of one host share, and who holds it. Layout version 2:
// a header, one record per rank, one slot per rank, then what ranks reserved (reserve()). Everything that several ranks touch is atomic, or
// written before a counter is raised and read after that counter was seen.
//
// A rank proves that it lives by a lock on byte 1 + rank of the segment's file: the kernel drops the lock with the last descriptor
// and mapping of a process, however that ends and in whatever pid namespace it runs. Byte 0 guards joining.
#pragma once

#include <base/clock.h>
#include <base/file.h>
#include <base/result.h>
#include <comm/group.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::comm {

inline constexpr int kMostSharedRanks = 64;
inline constexpr std::size_t kLine = 128;  // two cache lines: processors fetch them in pairs

enum class RankStatus : std::uint32_t { Absent, Joined, Left, Failing, Failed };
enum class SegmentState : std::uint32_t { Gathering, Ready, Abandoned };

struct RankRecord {
    // Written by the rank, watched by the others: 2 * piece + phase, wrapping.
    alignas(kLine) std::atomic<std::uint32_t> counter;
    std::array<std::atomic<std::uint64_t>, 2> operation;  // of even and odd pieces, see words.h
    // Rung by the others when the rank sleeps.
    alignas(kLine) std::atomic<std::uint32_t> bell;
    std::atomic<std::uint32_t> sleeping;
    alignas(kLine) std::atomic<RankStatus> status;
    std::atomic<std::int32_t> processId;
    std::array<char, 240> why;  // text of a failure: written between Failing and Failed
};

struct SegmentHeader {
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t size;
    std::uint64_t epoch;
    std::uint64_t slotBytes;
    std::atomic<std::int32_t> creator;  // process id, for messages
    std::atomic<SegmentState> state;
    std::atomic<std::uint64_t> end;                         // of the file, so of the last reservation
    std::array<std::atomic<std::uint64_t>, 16> processors;  // union of what the ranks may use
    std::array<RankRecord, kMostSharedRanks> ranks;
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

// One rank's view of the memory. The mapping ends, and the rank's lock with it, on destruction.
class SharedSegment {
public:
    // Memory of this process, for threads. Element i is rank i's view.
    static std::vector<std::unique_ptr<SharedSegment>> makePrivate(int size, std::size_t slotBytes);
    // See joinSharedMemory().
    static Result<std::unique_ptr<SharedSegment>> join(const SharedMemoryOptions& options);

    ~SharedSegment() = default;
    SharedSegment(const SharedSegment&) = delete;
    SharedSegment& operator=(const SharedSegment&) = delete;

    SegmentHeader& header() const { return *m_header; }
    RankRecord& record(int rank) const { return m_header->ranks[static_cast<std::size_t>(rank)]; }
    // Half 0 or 1 of the slot of `rank`; pieces alternate between them.
    std::byte* slot(int rank, unsigned half) const;
    std::size_t halfBytes() const { return m_header->slotBytes / 2; }
    // More memory behind the slots: `bytes` for each rank. One rank extends the file, then, with a barrier between, all map what it
    // added; a second barrier before the next reservation. Whether there is room is what header().end says: it grew or it did not.
    void extend(std::size_t bytes);
    bool extended() const { return m_header->end.load() > m_end; }
    Result<std::shared_ptr<std::byte>> mapExtension(std::size_t bytes);
    static std::size_t extensionStride(std::size_t bytes);  // from one rank's memory to the next one's
    // Whether the ranks are processes of their own; otherwise they are threads and can't reserve.
    bool hasFile() const { return m_file.valid(); }
    // Whether the process of `rank` has ended. Always false for threads.
    bool processEnded(int rank) const;

private:
    SharedSegment() = default;
    static std::size_t wholeBytes(int size, std::size_t slotBytes);
    void setMapping(std::shared_ptr<void> mapping);

    std::shared_ptr<void> m_mapping;  // of one rank, or of all threads together
    SegmentHeader* m_header = nullptr;
    Fd m_file;                // holds the locks; invalid for threads
    std::uint64_t m_end = 0;  // of the file as far as this rank has mapped it

    friend class SegmentJoin;
};

// Maps `bytes` of `file` (-1: zeroed memory of this process); unmapped with the last copy of the pointer. Null when refused (errno).
std::shared_ptr<void> mapShared(int file, std::size_t bytes, std::uint64_t from = 0);
// Rings the bell of `rank` when it sleeps.
void wake(SharedSegment& segment, int rank);
// Rings all bells, asleep or not.
void wakeAll(SharedSegment& segment);
// Sleeps until the bell differs from `seen`, at most `time`.
void sleepOnBell(std::atomic<std::uint32_t>& bell, std::uint32_t seen, std::chrono::nanoseconds time);

}  // namespace lockstep::comm
