// A group of ranks that work in lockstep. Every call carries a deadline; every failure names who is missing. After an error a group is
// broken: every later call gives the same error, and a new membership epoch needs a new group.
//
// Threads: collectives of one group are called by one thread at a time, in the same order on all ranks. abort() and info() from any
// thread, also while a collective waits.
#pragma once

#include <base/clock.h>
#include <base/result.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep::comm {

enum class Element : std::uint8_t { F32, F64, I32, I64 };

struct AllReduce {
    std::span<std::byte> data;  // in place: the sum over all ranks, the same bits on every rank; all of a reserve() or any memory
    Element element = Element::F32;
    Deadline deadline = Deadline::in(Seconds(60));
};

struct Broadcast {
    std::span<std::byte> data;  // from `root` to everyone
    int root = 0;
    Deadline deadline = Deadline::in(Seconds(60));
};

struct GroupInfo {
    std::uint64_t epoch = 0;  // membership epoch
    int rank = 0;
    int size = 1;
    std::string transport;  // "none", "threads", "shm", "tcp"
    std::vector<int> late;  // ranks that have not arrived at the collective in progress
    std::uint64_t bytesSent = 0;
};

class Group {
public:
    virtual ~Group() = default;
    // Errors: R505 (deadline: who is late), R506 (a peer is gone: which), R507 (aborted: why).
    virtual Result<void> allReduce(const AllReduce& options) = 0;
    virtual Result<void> broadcast(const Broadcast& options) = 0;
    virtual Result<void> barrier(Deadline deadline) = 0;
    // Memory of the group for a buffer that is summed again and again: allReduce of all of it needs no copies. A collective: every rank
    // calls it with the same size, and then sums either this memory or none. Zeroed, aligned to pages, valid as long as the group.
    // During allReduce, also one that fails, others write into it. Empty where nothing is gained (transport, size) or the host has no
    // room: then sum any memory.
    virtual Result<std::span<std::byte>> reserve(std::size_t /*bytes*/, Deadline /*deadline*/) { return std::span<std::byte>(); }
    // Makes the call in progress and every later one fail with `why`, on this rank.
    virtual void abort(Error why) = 0;
    virtual GroupInfo info() const = 0;
};

// A group of one: every collective is the identity.
std::unique_ptr<Group> makeSingleGroup();

// N ranks as threads of one process, for tests. Element i belongs to rank i; the shared state lives as long as any of them.
std::vector<std::unique_ptr<Group>> makeThreadGroups(int size);

// Ranks on one host. The segment /dev/shm<name> is made by whichever rank comes first and unlinked once all have joined, so that
// nothing is left when ranks are killed later. Name: "/lockstep-<uid>-<8 hex>-<epoch>".
struct SharedMemoryOptions {
    std::string name;
    int rank = 0;
    int size = 1;
    std::uint64_t epoch = 0;
    std::size_t capacity = 4u << 20;  // bytes of one rank's slot; larger reductions go in pieces of half of it
    // Longest busy wait before a rank sleeps; adapts below it, and is 0 where there are fewer processors than ranks.
    std::chrono::microseconds longestSpin{100};
    Deadline deadline = Deadline::in(Seconds(60));
};
Result<std::unique_ptr<Group>> joinSharedMemory(const SharedMemoryOptions& options);

// Ranks on any hosts, over TCP, each connected with each other one. Every connection is authenticated before any other byte is
// believed: both sides send a nonce and prove HMAC-SHA-256(key, run | epoch | ranks | nonces). What is sent afterwards is neither signed
// nor secret. Ranks may start in any order; strangers that connect can't disturb the ranks that belong together.
// Errors: R501 (deadline: who is missing), N403 (port taken: by whom), N404 (a peer with another key, run, epoch or size, another program
// at its address, or a second process for one rank; tried again for a moment first; a rank that waits hears it too, when the refused
// one proves the key and keeps calling), N406 (address).
struct TcpOptions {
    int rank = 0;
    int size = 1;
    std::uint64_t epoch = 0;
    std::string run;                            // run id, or what both sides derive from TF_CONFIG when started by hand
    std::string key;                            // shared secret, ≥ 16 bytes; never logged
    std::vector<std::string> addresses;         // "host:port" of each rank
    int listenFd = -1;                          // already bound listening socket of this rank, -1 = bind addresses[rank]; taken over
    std::chrono::microseconds longestSpin{50};  // see SharedMemoryOptions
    Deadline deadline = Deadline::in(Seconds(60));
};
Result<std::unique_ptr<Group>> joinTcp(const TcpOptions& options);

}  // namespace lockstep::comm
