#include "shared_segment.h"

#include <base/units.h>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <climits>
#include <ctime>
#include <new>

namespace lockstep::comm {
namespace {

constexpr std::size_t kPage = 4096;

constexpr std::size_t roundUp(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }
constexpr std::size_t kSlotsAt = roundUp(sizeof(SegmentHeader), kPage);

void futexWake(std::atomic<std::uint32_t>& word) {
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

std::shared_ptr<void> mapShared(int file, std::size_t bytes, std::uint64_t from) {
    const int kind = MAP_SHARED | MAP_POPULATE | (file < 0 ? MAP_ANONYMOUS : 0);
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind, file, static_cast<off_t>(from));
    if (at == MAP_FAILED) return nullptr;
    return {at, [bytes](void* mapped) { ::munmap(mapped, bytes); }};
}

std::size_t SharedSegment::wholeBytes(int size, std::size_t slotBytes) { return kSlotsAt + static_cast<std::size_t>(size) * slotBytes; }

void SharedSegment::setMapping(std::shared_ptr<void> mapping) {
    m_mapping = std::move(mapping);
    m_header = std::launder(static_cast<SegmentHeader*>(m_mapping.get()));
    m_end = wholeBytes(static_cast<int>(m_header->size), m_header->slotBytes);
}

std::vector<std::unique_ptr<SharedSegment>> SharedSegment::makePrivate(int size, std::size_t slotBytes) {
    const auto memory = mapShared(-1, wholeBytes(size, slotBytes));
    if (memory == nullptr) throw std::bad_alloc();
    auto* header = new (memory.get()) SegmentHeader{};
    header->size = static_cast<std::uint32_t>(size);
    header->slotBytes = slotBytes;
    header->end = wholeBytes(size, slotBytes);
    header->state = SegmentState::Ready;
    std::vector<std::unique_ptr<SharedSegment>> views;
    for (int rank = 0; rank < size; ++rank) {
        auto view = std::unique_ptr<SharedSegment>(new SharedSegment);
        view->setMapping(memory);
        view->record(rank).status = RankStatus::Joined;
        view->record(rank).processId = getpid();
        views.push_back(std::move(view));
    }
    return views;
}

std::byte* SharedSegment::slot(int rank, unsigned half) const {
    auto* slots = static_cast<std::byte*>(m_mapping.get()) + kSlotsAt;
    return slots + static_cast<std::size_t>(rank) * m_header->slotBytes + half * halfBytes();
}

std::size_t SharedSegment::extensionStride(std::size_t bytes) { return roundUp(bytes, kPage); }

void SharedSegment::extend(std::size_t bytes) {
    const auto more = extensionStride(bytes) * m_header->size;
    int status = 0;
    do status = ::posix_fallocate(m_file.get(), static_cast<off_t>(m_end), static_cast<off_t>(more));
    while (status == EINTR);
    if (status == 0) m_header->end = m_end + more;
}

Result<std::shared_ptr<std::byte>> SharedSegment::mapExtension(std::size_t bytes) {
    const auto mapping = mapShared(m_file.get(), extensionStride(bytes) * m_header->size, m_end);
    if (mapping == nullptr)
        return makeError("R509", {{"name", "with " + formatBytes(bytes) + " for each bucket"}, {"reason", systemText(errno)}});
    m_end = m_header->end.load();
    return std::shared_ptr<std::byte>(mapping, static_cast<std::byte*>(mapping.get()));
}

bool SharedSegment::processEnded(int rank) const {
    if (!m_file.valid() || record(rank).status.load() == RankStatus::Absent) return false;
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 1 + rank;
    lock.l_len = 1;
    return ::fcntl(m_file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

void wake(SharedSegment& segment, int rank) {
    auto& record = segment.record(rank);
    if (record.sleeping.load() == 0) return;
    record.bell.fetch_add(1);
    futexWake(record.bell);
}

void wakeAll(SharedSegment& segment) {
    for (int rank = 0; rank < static_cast<int>(segment.header().size); ++rank) {
        segment.record(rank).bell.fetch_add(1);
        futexWake(segment.record(rank).bell);
    }
}

void sleepOnBell(std::atomic<std::uint32_t>& bell, std::uint32_t seen, std::chrono::nanoseconds time) {
    if (time.count() <= 0) return;
    timespec limit{};
    limit.tv_sec = static_cast<time_t>(time.count() / 1'000'000'000);
    limit.tv_nsec = static_cast<long>(time.count() % 1'000'000'000);
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&bell), FUTEX_WAIT, seen, &limit, nullptr, 0);
}

}  // namespace lockstep::comm
