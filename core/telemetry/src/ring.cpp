#include <telemetry/ring.h>

#include <base/units.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace lockstep::telemetry {
namespace {

constexpr std::uint64_t kMagic = 0x31474E4952534CULL;  // "LSRING1"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 4096;
constexpr std::size_t kMostCapacity = 1u << 22;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

struct Header {
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t recordBytes;
    std::uint64_t capacity;
    // Each side writes its own cache line only.
    alignas(64) std::atomic<std::uint64_t> pushed;
    std::atomic<std::uint64_t> dropped;
    alignas(64) std::atomic<std::uint64_t> taken;
};
static_assert(sizeof(Header) <= kHeaderBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

Error notARing(std::string what) { return makeError("F608", {{"what", std::move(what)}}); }

Error noMemory(std::size_t bytes, int reason) {
    return makeError("M901", {{"what", "the telemetry ring"}, {"size", formatBytes(bytes)}, {"reason", systemText(reason)}});
}

Result<void> check(const Header& header, std::uint64_t capacity) {
    if (header.magic != kMagic) return notARing("its first bytes are not those of a ring");
    if (header.version != kVersion) return notARing("its version is " + std::to_string(header.version) + ", not 1");
    if (header.recordBytes != sizeof(Sample) || header.capacity != capacity) return notARing("its sizes do not fit");
    const auto taken = header.taken.load(std::memory_order_acquire);
    if (header.pushed.load(std::memory_order_acquire) - taken > capacity) return notARing("its counters are impossible");
    return {};
}

Result<std::size_t> checkFile(int fd) {
    struct stat facts {};
    if (::fstat(fd, &facts) != 0) return notARing(systemText(errno));
    const auto bytes = static_cast<std::uint64_t>(facts.st_size);
    if (!S_ISREG(facts.st_mode) || bytes < kHeaderBytes) return notARing("it is too short");
    // Without the seal the other side could shrink the file and reading would end this process.
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return notARing("it is not a sealed memory file");
    const auto capacity = (bytes - kHeaderBytes) / sizeof(Sample);
    if (!std::has_single_bit(capacity) || capacity > kMostCapacity || kHeaderBytes + capacity * sizeof(Sample) != bytes)
        return notARing("its size is not that of a ring");
    return static_cast<std::size_t>(capacity);
}

}  // namespace

struct Ring::Impl {
    Fd fd;
    std::byte* memory = nullptr;
    std::size_t capacity = 0;
    std::uint64_t knownTaken = 0;  // the writer's last look at `taken`: saves a cache miss per push

    Impl() = default;
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        if (memory != nullptr) ::munmap(memory, bytes());
    }

    std::size_t bytes() const { return kHeaderBytes + capacity * sizeof(Sample); }
    Header& header() const { return *reinterpret_cast<Header*>(memory); }
    std::byte* record(std::uint64_t number) const { return memory + kHeaderBytes + (number & (capacity - 1)) * sizeof(Sample); }

    // Populated at once: the training thread must not pay page faults.
    Result<void> map() {
        void* place = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd.get(), 0);
        if (place == MAP_FAILED) return noMemory(bytes(), errno);
        memory = static_cast<std::byte*>(place);
        return {};
    }
};

Ring::Ring(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Ring::Ring(Ring&&) noexcept = default;
Ring& Ring::operator=(Ring&&) noexcept = default;
Ring::~Ring() = default;

Result<Ring> Ring::create(std::size_t capacity) {
    assert(std::has_single_bit(capacity) && capacity <= kMostCapacity);
    auto impl = std::make_unique<Impl>();
    impl->capacity = capacity;
    impl->fd = Fd(::memfd_create("lockstep-telemetry", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!impl->fd.valid()) return noMemory(impl->bytes(), errno);
    if (::ftruncate(impl->fd.get(), static_cast<off_t>(impl->bytes())) != 0) return noMemory(impl->bytes(), errno);
    if (::fcntl(impl->fd.get(), F_ADD_SEALS, kSeals) != 0) return noMemory(impl->bytes(), errno);
    LS_TRY(impl->map());
    auto* header = new (impl->memory) Header{};
    header->version = kVersion;
    header->recordBytes = sizeof(Sample);
    header->capacity = capacity;
    header->magic = kMagic;
    return Ring(std::move(impl));
}

Result<Ring> Ring::attach(Fd fd) {
    if (!fd.valid()) return notARing("there is no open file");
    auto impl = std::make_unique<Impl>();
    LS_TRY_ASSIGN(impl->capacity, checkFile(fd.get()));
    impl->fd = std::move(fd);
    LS_TRY(impl->map());
    LS_TRY(check(impl->header(), impl->capacity));
    impl->knownTaken = impl->header().taken.load(std::memory_order_acquire);
    return Ring(std::move(impl));
}

int Ring::fd() const { return m_impl->fd.get(); }

bool Ring::push(const Sample& sample) noexcept {
    auto& impl = *m_impl;
    auto& header = impl.header();
    const auto number = header.pushed.load(std::memory_order_relaxed);
    if (number - impl.knownTaken >= impl.capacity) {
        impl.knownTaken = header.taken.load(std::memory_order_acquire);
        if (number - impl.knownTaken >= impl.capacity) {
            header.dropped.store(header.dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            return false;
        }
    }
    std::memcpy(impl.record(number), &sample, sizeof(sample));
    // Published last: a writer killed before this line leaves the record unseen, never half seen.
    header.pushed.store(number + 1, std::memory_order_release);
    return true;
}

std::vector<Sample> Ring::peek(std::size_t most) const {
    const auto& impl = *m_impl;
    if (!verify().ok()) return {};
    const auto from = impl.header().taken.load(std::memory_order_relaxed);
    // Checked again: the counter belongs to the other process and may have been damaged since.
    const auto there = impl.header().pushed.load(std::memory_order_acquire) - from;
    if (there > impl.capacity) return {};
    std::vector<Sample> samples(std::min<std::size_t>(most, there));
    for (std::size_t i = 0; i < samples.size(); ++i) std::memcpy(&samples[i], impl.record(from + i), sizeof(Sample));
    return samples;
}

void Ring::release(std::size_t count) {
    auto& header = m_impl->header();
    const auto from = header.taken.load(std::memory_order_relaxed);
    const auto there = header.pushed.load(std::memory_order_acquire) - from;
    if (there > m_impl->capacity) return;
    header.taken.store(from + std::min<std::uint64_t>(count, there), std::memory_order_release);
}

std::vector<Sample> Ring::drain(std::size_t most) {
    auto samples = peek(most);
    release(samples.size());
    return samples;
}

std::uint64_t Ring::pushed() const { return m_impl->header().pushed.load(std::memory_order_acquire); }
std::uint64_t Ring::taken() const { return m_impl->header().taken.load(std::memory_order_acquire); }
std::uint64_t Ring::dropped() const { return m_impl->header().dropped.load(std::memory_order_relaxed); }
Result<void> Ring::verify() const { return check(m_impl->header(), m_impl->capacity); }

}  // namespace lockstep::telemetry
