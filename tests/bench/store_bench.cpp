// What storing and reading a million points costs, and what opening a long run costs a client. Writes into a scratch folder below the
// system's temporary folder (or the folder given).
#include <base/file.h>
#include <store/reader.h>
#include <store/writer.h>

#include <fmt/core.h>

#include <unistd.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

using namespace lockstep;
using namespace lockstep::store;

namespace {

constexpr std::uint64_t kPoints = 1000000;
constexpr std::uint64_t kPerCommit = 100;

class Timer {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count(); }

private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

template <class Value>
Value must(Result<Value> result) {
    if (result.ok()) return std::move(result).value();
    fmt::print(stderr, "{}\n", result.error().toText());
    std::exit(1);
}

void must(const Result<void>& result) {
    if (result.ok()) return;
    fmt::print(stderr, "{}\n", result.error().toText());
    std::exit(1);
}

void write(const std::filesystem::path& file) {
    const auto writer = must(Writer::open(file));
    const Timer timer;
    std::vector<telemetry::Batch> batches(1);
    batches[0].key = {"loss", telemetry::kNoRank};
    for (std::uint64_t step = 1; step <= kPoints; step += kPerCommit) {
        batches[0].points.clear();
        for (auto each = step; each < step + kPerCommit; ++each)
            batches[0].points.push_back(
                {each, 1.7e9 + 0.01 * double(each), double(float(2.3 * std::exp(-double(each) / 9e4) + 0.1 * std::sin(double(each))))});
        must(writer->append(batches, "bench", step));
        must(writer->flush());
    }
    const double seconds = timer.seconds();
    const auto bytes = std::filesystem::file_size(file);
    fmt::print(
        "{{\"what\":\"write\",\"points\":{},\"commits\":{},\"points_per_second\":{:.0f},\"microseconds_per_commit\":{:.1f},"
        "\"bytes_per_point\":{:.2f}}}\n",
        kPoints, kPoints / kPerCommit, double(kPoints) / seconds, seconds / double(kPoints / kPerCommit) * 1e6,
        double(bytes) / double(kPoints));
}

void read(const std::filesystem::path& file) {
    const telemetry::SeriesKey key{"loss", telemetry::kNoRank};
    const Timer firstPaint;
    const auto reader = must(Reader::open(file));
    const auto buckets = must(reader->buckets(key, 0, kPoints, 1000));
    fmt::print("{{\"what\":\"first_paint\",\"buckets\":{},\"milliseconds\":{:.2f}}}\n", buckets.size(), firstPaint.seconds() * 1e3);
    const Timer zoom;
    const auto zoomed = must(reader->buckets(key, 345678, 456789, 1000));
    fmt::print("{{\"what\":\"zoom\",\"buckets\":{},\"milliseconds\":{:.2f}}}\n", zoomed.size(), zoom.seconds() * 1e3);
    const Timer all;
    const auto points = must(reader->points(key));
    fmt::print("{{\"what\":\"all_points\",\"points\":{},\"milliseconds\":{:.2f}}}\n", points.size(), all.seconds() * 1e3);
    const Timer counter;
    for (int i = 0; i < 1000; ++i) must(reader->changeCounter());
    fmt::print("{{\"what\":\"change_counter\",\"microseconds\":{:.2f}}}\n", counter.seconds() * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
    const auto parent = argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::temp_directory_path();
    const auto folder = parent / ("lockstep-bench-" + std::to_string(::getpid()));
    must(makeFolders(folder));
    write(folder / "run.db");
    read(folder / "run.db");
    std::filesystem::remove_all(folder);
    return 0;
}
