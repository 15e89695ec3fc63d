// Joining a segment: who comes first makes it, all lock their byte, who comes last unlinks it.
#include "shared_segment.h"
#include "words.h"

#include <base/thread.h>
#include <base/units.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <new>
#include <optional>
#include <thread>

namespace lockstep::comm {
namespace {

constexpr std::array<char, 8> kMagic = {'L', 'S', 'G', 'R', 'O', 'U', 'P', '1'};
constexpr std::uint32_t kVersion = 2;
constexpr auto kLivenessEvery = std::chrono::milliseconds(100);

struct flock byteLock(short type, off_t from, off_t count) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = from;
    lock.l_len = count;
    return lock;
}

bool tryLock(int file, off_t byte) {
    auto lock = byteLock(F_WRLCK, byte, 1);
    return ::fcntl(file, F_OFD_SETLK, &lock) == 0;
}

void unlock(int file, off_t byte) {
    auto lock = byteLock(F_UNLCK, byte, 1);
    ::fcntl(file, F_OFD_SETLK, &lock);
}

bool anyRankAlive(int file) {
    auto lock = byteLock(F_WRLCK, 1, kMostSharedRanks);
    return ::fcntl(file, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

struct stat factsOf(int file) {
    struct stat facts {};
    ::fstat(file, &facts);
    return facts;
}

}  // namespace

class SegmentJoin {
public:
    explicit SegmentJoin(const SharedMemoryOptions& options) : m_options(options), m_path("/dev/shm" + options.name) {
        m_slotBytes = (options.capacity + 8191) / 8192 * 8192;  // two halves of whole pages
    }

    Result<std::unique_ptr<SharedSegment>> run() {
        LS_TRY(check());
        while (true) {
            LS_TRY_ASSIGN(const bool entered, tryEnter());
            if (entered) break;
            if (m_options.deadline.passed()) return missing();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        LS_TRY(waitForOthers());
        return std::move(m_segment);
    }

private:
    Error refuse(std::string reason) const { return makeError("R509", {{"name", m_options.name}, {"reason", std::move(reason)}}); }

    Result<void> check() const {
        const auto& name = m_options.name;
        if (name.size() < 2 || name.size() > 200 || name[0] != '/' || name.find('/', 1) != std::string::npos || name[1] == '.')
            return refuse("the name must be one slash and a file name");
        if (m_options.size < 1 || m_options.size > kMostSharedRanks)
            return refuse("shared memory serves 1 to " + std::to_string(kMostSharedRanks) + " ranks, not " +
                          std::to_string(m_options.size));
        if (m_options.rank < 0 || m_options.rank >= m_options.size)
            return refuse("rank " + std::to_string(m_options.rank) + " is not in a group of " + std::to_string(m_options.size));
        return {};
    }

    // False = somebody else is at it, or it vanished: try again.
    Result<bool> tryEnter() {
        Fd file(::open(m_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file.valid()) return refuse(systemText(errno));
        if (!tryLock(file.get(), 0)) return false;
        const auto facts = factsOf(file.get());
        if (facts.st_nlink == 0) return false;
        if (!S_ISREG(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & 077) != 0)
            return refuse("it belongs to user " + std::to_string(facts.st_uid) + " or others may open it");
        if (facts.st_size != 0 && !anyRankAlive(file.get())) {  // left over from a run that was killed while joining
            ::unlink(m_path.c_str());
            return false;
        }
        LS_TRY(facts.st_size == 0 ? make(file.get()) : checkSame(file.get(), facts.st_size));
        LS_TRY(takeRank(std::move(file)));
        return true;
    }

    Result<void> make(int file) {
        const auto bytes = SharedSegment::wholeBytes(m_options.size, m_slotBytes);
        // Reserved now: a full /dev/shm is an error here and not a signal later.
        int status = 0;
        do status = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
        while (status == EINTR);
        const auto mapping = status == 0 ? mapShared(file, bytes) : nullptr;
        if (mapping == nullptr) {
            const int reason = status != 0 ? status : errno;
            ::unlink(m_path.c_str());
            return refuse(formatBytes(bytes) + " in /dev/shm: " + systemText(reason));
        }
        auto* header = new (mapping.get()) SegmentHeader{};
        header->version = kVersion;
        header->size = static_cast<std::uint32_t>(m_options.size);
        header->epoch = m_options.epoch;
        header->slotBytes = m_slotBytes;
        header->end = bytes;
        header->creator = getpid();
        header->magic = kMagic;
        return {};
    }

    Result<void> checkSame(int file, off_t bytes) {
        if (bytes < static_cast<off_t>(sizeof(SegmentHeader))) return refuse("it is not a group's segment");
        const auto mapping = mapShared(file, sizeof(SegmentHeader));
        if (mapping == nullptr) return refuse(systemText(errno));
        const auto& header = *std::launder(static_cast<const SegmentHeader*>(mapping.get()));
        if (header.magic != kMagic || header.version != kVersion) return refuse("it was made by another version");
        const auto differs = [&](const char* what, std::uint64_t theirs, std::uint64_t ours) {
            return refuse(std::string(what) + " is " + std::to_string(theirs) + " for process " + std::to_string(header.creator) +
                          " that made it, " + std::to_string(ours) + " for rank " + std::to_string(m_options.rank));
        };
        if (header.epoch != m_options.epoch) return differs("the epoch", header.epoch, m_options.epoch);
        if (header.size != static_cast<std::uint32_t>(m_options.size))
            return differs("the number of ranks", header.size, static_cast<std::uint64_t>(m_options.size));
        if (header.slotBytes != m_slotBytes) return differs("the capacity", header.slotBytes, m_slotBytes);
        if (bytes != static_cast<off_t>(SharedSegment::wholeBytes(m_options.size, m_slotBytes))) return refuse("its size is wrong");
        return {};
    }

    Result<void> takeRank(Fd file) {
        auto mapping = mapShared(file.get(), SharedSegment::wholeBytes(m_options.size, m_slotBytes));
        if (mapping == nullptr) return refuse(systemText(errno));
        auto segment = std::unique_ptr<SharedSegment>(new SharedSegment);
        segment->setMapping(std::move(mapping));
        auto& record = segment->record(m_options.rank);
        const auto claim = [&] {
            return "rank " + std::to_string(m_options.rank) + " has joined already (process " + std::to_string(record.processId.load()) +
                   ")";
        };
        if (!tryLock(file.get(), 1 + m_options.rank)) return refuse(claim());
        if (record.status.load() != RankStatus::Absent) return refuse(claim() + " and ended");
        record.processId = getpid();
        for (const int processor : usableProcessors())
            segment->header().processors[static_cast<std::size_t>(processor) / 64 % 16] |= std::uint64_t{1} << processor % 64;
        record.status = RankStatus::Joined;
        segment->m_file = std::move(file);
        m_segment = std::move(segment);
        if (present().size() == static_cast<std::size_t>(m_options.size)) {
            ::unlink(m_path.c_str());
            m_segment->header().state = SegmentState::Ready;
            wakeAll(*m_segment);
        }
        unlock(m_segment->m_file.get(), 0);
        return {};
    }

    std::vector<int> present() const {
        std::vector<int> ranks;
        for (int rank = 0; m_segment != nullptr && rank < m_options.size; ++rank)
            if (m_segment->record(rank).status.load() != RankStatus::Absent) ranks.push_back(rank);
        return ranks;
    }

    Error missing() const {
        return missingError(otherRanks(present(), m_options.size), present(), std::chrono::steady_clock::now() - m_start);
    }

    Result<void> waitForOthers() {
        auto& own = m_segment->record(m_options.rank);
        auto& state = m_segment->header().state;
        own.sleeping = 1;
        while (state.load() == SegmentState::Gathering) {
            const auto seen = own.bell.load();
            if (state.load() != SegmentState::Gathering) break;
            if (const auto gone = goneWhileGathering(); gone.has_value() && state.load() == SegmentState::Gathering) return giveUp(*gone);
            if (m_options.deadline.passed()) return giveUp(missing());
            sleepOnBell(own.bell, seen,
                        std::min<std::chrono::nanoseconds>(kLivenessEvery, m_options.deadline.at() - std::chrono::steady_clock::now()));
        }
        own.sleeping = 0;
        if (state.load() != SegmentState::Abandoned) return {};
        return goneWhileGathering().value_or(missing());
    }

    std::optional<Error> goneWhileGathering() const {
        for (const int rank : present())
            if (rank != m_options.rank && m_segment->record(rank).status.load() == RankStatus::Joined && m_segment->processEnded(rank))
                return goneError(rank, "its process ended while the group gathered");
        return std::nullopt;
    }

    // Unlinks the segment unless the last rank came in this very moment.
    Result<void> giveUp(Error why) {
        auto& header = m_segment->header();
        const auto patience = Deadline::in(Seconds(1));
        while (!tryLock(m_segment->m_file.get(), 0) && !patience.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (header.state.load() == SegmentState::Ready) {
            unlock(m_segment->m_file.get(), 0);
            return {};
        }
        if (header.state.exchange(SegmentState::Abandoned) == SegmentState::Gathering && factsOf(m_segment->m_file.get()).st_nlink > 0)
            ::unlink(m_path.c_str());
        m_segment->record(m_options.rank).status = RankStatus::Left;
        wakeAll(*m_segment);
        unlock(m_segment->m_file.get(), 0);
        return why;
    }

    const SharedMemoryOptions& m_options;
    std::string m_path;
    std::size_t m_slotBytes = 0;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::unique_ptr<SharedSegment> m_segment;
};

Result<std::unique_ptr<SharedSegment>> SharedSegment::join(const SharedMemoryOptions& options) { return SegmentJoin(options).run(); }

}  // namespace lockstep::comm
