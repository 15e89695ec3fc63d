#include <keras/isolated.h>

#include "exchange.h"

#include <base/file.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <new>

namespace lockstep::keras {
namespace {

constexpr rlim_t kSpareMemory = 256u << 20;  // besides the copies of the file's values
constexpr rlim_t kCopies = 4;                // the weights in memory, their tensors, the answer, and one to spare
constexpr rlim_t kSpareOutput = 64u << 20;
constexpr rlim_t kMostCpuSeconds = 60;
constexpr rlim_t kMostFiles = 32;

// Bytes of address space the process has now.
rlim_t addressSpace() {
    std::ifstream in("/proc/self/statm");
    rlim_t pages = 0;
    in >> pages;
    return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

bool limit(int resource, rlim_t most) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return false;
    most = std::min(most, now.rlim_max);
    const rlimit wanted{most, most};
    return ::setrlimit(static_cast<__rlimit_resource>(resource), &wanted) == 0;
}

// For good: the hard limits too.
bool limitThisProcess(const std::filesystem::path& file) {
    struct stat facts {};
    const rlim_t size = ::stat(file.c_str(), &facts) == 0 ? static_cast<rlim_t>(std::max<off_t>(facts.st_size, 0)) : 0;
    return limit(RLIMIT_CORE, 0) && limit(RLIMIT_CPU, kMostCpuSeconds) && limit(RLIMIT_NOFILE, kMostFiles) && limit(RLIMIT_NPROC, 0) &&
           limit(RLIMIT_FSIZE, size + kSpareOutput) && limit(RLIMIT_AS, addressSpace() + kSpareMemory + kCopies * size) &&
           ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

Result<std::vector<std::byte>> answerFor(const std::filesystem::path& file) {
    try {
        return packAnswer(readKeras(file));
    } catch (const std::bad_alloc&) {
        return packAnswer(makeError("F656", {{"file", file.string()}, {"what", "needed more memory than such a file should"}}));
    }
}

}  // namespace

int runReaderTask(const std::filesystem::path& file, const std::filesystem::path& out) {
    const Fd to(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!to.valid() || !limitThisProcess(file)) return 1;
    const auto answer = answerFor(file);
    return answer.ok() && writeAll(to.get(), *answer, out).ok() ? 0 : 1;
}

}  // namespace lockstep::keras
