// Called as `lockstep worker` is: worker --task=read-keras -- FILE OUT. Other ways:
//   measure FILE      reads a .keras or .safetensors file in this process and prints the error's code or "ok", the largest resident
//                     size in KiB and the milliseconds it took
//   limits FILE OUT   reads as the worker does, then prints its limits: core bytes, CPU seconds, MiB of address space
//   rewrite FROM TO   writes a model again, its configuration in the form for every Keras 3
#include <keras/architecture.h>
#include <keras/isolated.h>
#include <keras/safetensors.h>

#include <sys/resource.h>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

using namespace lockstep;

namespace {

long peakKib() {
    std::ifstream in("/proc/self/status");
    std::string word;
    long value = 0;
    while (in >> word)
        if (word == "VmHWM:") in >> value;
    return value;
}

int measure(const std::filesystem::path& file) {
    const auto start = std::chrono::steady_clock::now();
    std::string code = "ok";
    if (file.extension() == ".safetensors") {
        if (const auto read = keras::readSafetensors(file); !read.ok()) code = read.error().code;
    } else {
        if (const auto read = keras::readKeras(file); !read.ok()) code = read.error().code;
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    std::printf("%s %ld %.0f\n", code.c_str(), peakKib(), took.count());
    return 0;
}

unsigned long long limitOf(__rlimit_resource resource) {
    rlimit limit{};
    getrlimit(resource, &limit);
    return limit.rlim_max;
}

int printLimits(const std::filesystem::path& file, const std::filesystem::path& out) {
    const int code = keras::runReaderTask(file, out);
    std::printf("%llu %llu %llu\n", limitOf(RLIMIT_CORE), limitOf(RLIMIT_CPU), limitOf(RLIMIT_AS) >> 20);
    return code;
}

Result<void> rewrite(const std::filesystem::path& from, const std::filesystem::path& to) {
    LS_TRY_ASSIGN(auto model, keras::readKeras(from));
    LS_TRY_ASSIGN(const auto architecture, keras::parseArchitecture(model.config, from.string()));
    model.config = keras::printArchitecture(architecture);
    model.metadata = {"", "2026-05-13@21:23:40"};
    return keras::writeKeras(to, model);
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view first = count > 1 ? arguments[1] : "";
    if (first == "measure" && count == 3) return measure(arguments[2]);
    if (first == "limits" && count == 4) return printLimits(arguments[2], arguments[3]);
    if (first == "worker" && count == 6) return keras::runReaderTask(arguments[4], arguments[5]);
    if (first != "rewrite" || count != 4) return 2;
    const auto written = rewrite(arguments[2], arguments[3]);
    if (!written.ok()) std::fprintf(stderr, "%s\n", written.error().toText().c_str());
    return written.ok() ? 0 : 1;
}
