// Damaged files for every reader: whatever comes in, it gives a value whose parts fit together, or an error of the catalogue, and takes
// no more memory than a small file can ask for. LOCKSTEP_SOAK=1: half an hour for each reader instead of a fixed number of rounds;
// LOCKSTEP_FUZZ_SEED chooses other damage.
#include "data_files.h"
#include "mutator.h"

#include <support/scratch.h>
#include <support/test.h>

#include <data/cifar.h>
#include <data/csv.h>
#include <data/idx.h>
#include <data/image.h>
#include <data/npy.h>
#include <data/tfrecord.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>

using namespace lockstep;
using namespace lockstep::data;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kRounds = 5000;
constexpr std::chrono::minutes kSoak{30};
constexpr long kMostGrowth = 400L << 10;  // KiB of resident memory
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

// Nothing when all is well, else what is not.
using Finding = std::optional<std::string>;

template <class T>
Finding checkError(const Result<T>& result) {
    const Error& error = result.error();
    if (!error.code.starts_with("F6")) return "error " + error.toText();
    if (error.message.empty() || error.next.empty() || error.message.find("{file}") != std::string::npos) return "words of " + error.code;
    return std::nullopt;
}

std::vector<std::string> corpusOf(const std::string& folder) {
    std::vector<std::string> corpus;
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(test::sourceDir() / "tests/fixtures/formats"))
        if (entry.is_regular_file() && entry.path().string().find("/formats/" + folder) != std::string::npos) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) corpus.push_back(readFile(file).value());
    return corpus;
}

// Writes without the care of replaceFile: only this process reads it.
void put(const fs::path& file, const std::string& bytes) {
    const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    const auto written = writeAll(fd.get(), asBytes(bytes), file);
    if (!written.ok()) qFatal("%s", written.error().toText().c_str());
}

std::uint64_t product(const std::vector<std::int64_t>& shape) {
    std::uint64_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::uint64_t>(size);
    return count;
}

Finding checkArray(const Result<NpyArray>& array) {
    if (!array.ok()) return checkError(array);
    if (array->values.size() != product(array->shape) * sizeOf(array->type)) return "size of the values";
    std::vector<float> floats(array->values.size() / sizeOf(array->type));
    toFloats(array->values, array->type, floats.data());
    return std::nullopt;
}

Finding checkIdx(const fs::path& file) {
    const auto array = readIdx(file);
    if (!array.ok()) return checkError(array);
    if (array->values.size() != product(array->header.shape) * sizeOf(array->header.type)) return "size of the values";
    return std::nullopt;
}

Finding checkNpz(const fs::path& file) {
    const auto archive = NpzFile::open(file);
    if (!archive.ok()) return checkError(archive);
    for (const auto& member : archive->members()) {
        if (const auto header = archive->header(member); !header.ok())
            if (const auto finding = checkError(header)) return finding;
        if (const auto finding = checkArray(archive->read(member))) return finding;
    }
    return std::nullopt;
}

Finding checkCsv(const fs::path& file) {
    std::size_t columns = 0;
    bool even = true;
    const auto done = readCsv(file, [&](const CsvRow& row) -> Result<void> {
        if (columns == 0) columns = row.fields.size();
        even = even && row.fields.size() == columns && columns > 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(columns, 3); ++i) (void)csvNumber(file, row, i);
        return {};
    });
    if (!even) return "rows of different length";
    return done.ok() ? std::nullopt : checkError(done);
}

Finding checkCifar(const fs::path& file) {
    for (const CifarKind kind : {CifarKind::Ten, CifarKind::Hundred}) {
        bool inRange = true;
        const auto done = readCifar(file, kind, [&](const CifarRow& row) -> Result<void> {
            inRange = inRange && row.label >= 0 && row.label < classesOf(kind) && row.planes.size() == 3 * kCifarPixels;
            return {};
        });
        if (!inRange) return "label or picture";
        if (done.ok()) continue;
        if (const auto finding = checkError(done)) return finding;
    }
    return std::nullopt;
}

Finding checkImage(const std::string& bytes) {
    const auto image = decodeImage(asBytes(bytes), "x");
    const auto shape = readImageShape(asBytes(bytes), "x");
    if (!shape.ok())
        if (const auto finding = checkError(shape)) return finding;
    if (!image.ok()) return checkError(image);
    const ImageShape& made = image->shape;
    const auto size = static_cast<std::uint64_t>(made.height * made.width * made.channels * made.bits / 8);
    if (image->values.size() != size || size == 0 || size > kMostBytes) return "size of the picture";
    if (!shape.ok() || shape->height != made.height || shape->width != made.width) return "shape of the picture";
    if (resizeToBytes(toChannels(*image, 3), 5, 7).values.size() != 105) return "size of the resized picture";
    return std::nullopt;
}

Finding checkExample(const TfRecordReader::Record& record) {
    if (const auto example = parseExample(record, "x"); !example.ok())
        if (const auto finding = checkError(example)) return finding;
    const auto sequence = parseSequenceExample(record, "x");
    return sequence.ok() ? std::nullopt : checkError(sequence);
}

Finding checkRecords(const fs::path& file) {
    auto reader = TfRecordReader::open(file);
    if (!reader.ok()) return checkError(reader);
    for (TfRecordReader::Record record;;) {
        const auto more = reader->next(record);
        if (!more.ok()) return checkError(more);
        if (!*more) return std::nullopt;
        if (const auto finding = checkExample(record)) return finding;
    }
}

// Right checksums for all chunks whose length fits, so that damage gets past them.
std::string withPngChecksums(std::string bytes) {
    const auto big = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
        return value;
    };
    for (std::size_t at = 8; at + 12 <= bytes.size();) {
        const std::size_t length = big(at);
        if (length > bytes.size() - at - 12) break;
        const auto crc = crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + at + 4), static_cast<uInt>(length + 4));
        for (std::size_t i = 0; i < 4; ++i) bytes[at + 8 + length + i] = static_cast<char>(crc >> (24 - 8 * i));
        at += 12 + length;
    }
    return bytes;
}

}  // namespace

class FuzzTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (const char* seed = std::getenv("LOCKSTEP_FUZZ_SEED")) m_seed = std::strtoull(seed, nullptr, 10);
        m_file = m_scratch / "damaged";
    }
    void idx() {
        run("idx/", [&](const std::string& bytes, std::uint64_t) { return onFile(bytes, checkIdx); });
    }
    void cifar() {
        run("cifar/", [&](const std::string& bytes, std::uint64_t) { return onFile(bytes, checkCifar); });
    }
    void npy() {
        run("npy/", [](const std::string& bytes, std::uint64_t) { return checkArray(readNpy(asBytes(bytes), nullptr, "x.npy")); });
    }
    void npz() {
        run("npz/", [&](const std::string& bytes, std::uint64_t) { return onFile(bytes, checkNpz); });
    }
    void csv() {
        run("csv/", [&](const std::string& bytes, std::uint64_t) { return onFile(bytes, checkCsv); });
    }
    void image() {
        run("images", [](const std::string& bytes, std::uint64_t round) {
            return checkImage(round % 4 != 0 && bytes.starts_with("\x89PNG") ? withPngChecksums(bytes) : bytes);
        });
    }
    void tfrecord() {
        run("tfrecord/", [&](const std::string& bytes, std::uint64_t round) {
            // Half of them as the payload of a whole record.
            if (round % 2 == 0) return onFile(bytes, checkRecords);
            const auto payload = asBytes(std::string_view(bytes).substr(std::min<std::size_t>(bytes.size(), 12)));
            return checkExample({0, {payload.begin(), payload.end()}});
        });
    }
    // The whole way to a data set, decoded copy and all.
    void datasets() {
        const std::vector<std::string> corpus = {
            "a,b,label\n1,2,cat\n3,4,dog\n5,6,cat\n", "1,2,0\n3,4,1\n",
            test::recordBytes(test::exampleBytes(test::floatsFeature("x", {1, 2}) + test::wholeFeature("label", 1)))};
        fuzz(corpus, kRounds / 100, [&](const std::string& bytes, std::uint64_t round) -> Finding {
            put(m_file, bytes);
            const auto dataset = loadDataset(test::loadOptions(round % 2 == 0 ? "csv" : "tfrecord", m_file, m_scratch / "cache"));
            if (!dataset.ok()) return checkError(dataset);
            const Split& train = dataset->train;
            const auto bytesOfRows = static_cast<std::uint64_t>(train.rows * train.rowElements()) * sizeOf(train.element);
            if (train.rows < 1 || train.features.size() != bytesOfRows || train.labels.size() != static_cast<std::size_t>(train.rows))
                return "size of the rows";
            for (const std::int32_t label : train.labels)
                if (label < 0 || label >= dataset->classes) return "label";
            return std::nullopt;
        });
    }

private:
    using Check = std::function<Finding(const std::string& bytes, std::uint64_t round)>;

    Finding onFile(const std::string& bytes, Finding (*check)(const fs::path&)) {
        put(m_file, bytes);
        return check(m_file);
    }
    void run(const std::string& folder, const Check& check) {
        const auto corpus = corpusOf(folder);
        QVERIFY(!corpus.empty());
        for (const std::string& bytes : corpus) {
            const Finding finding = check(bytes, 2);
            QVERIFY2(!finding, finding.value_or("").c_str());
        }
        fuzz(corpus, kRounds, check);
    }
    void fuzz(const std::vector<std::string>& corpus, std::uint64_t rounds, const Check& check) {
        const test::Mutator mutator(corpus, m_seed);
        const bool soak = qEnvironmentVariableIsSet("LOCKSTEP_SOAK");
        const auto end = std::chrono::steady_clock::now() + kSoak;
        rusage before{}, after{};
        getrusage(RUSAGE_SELF, &before);
        for (std::uint64_t round = 0; soak ? std::chrono::steady_clock::now() < end : round < rounds; ++round) {
            const Finding finding = check(mutator.make(round), round);
            if (finding) QFAIL(("seed " + std::to_string(m_seed) + ", round " + std::to_string(round) + ": " + *finding).c_str());
        }
        getrusage(RUSAGE_SELF, &after);
        QVERIFY2(after.ru_maxrss - before.ru_maxrss < kMostGrowth, std::to_string(after.ru_maxrss - before.ru_maxrss).c_str());
    }

    test::Scratch m_scratch;
    fs::path m_file;
    std::uint64_t m_seed = 1;
};

LOCKSTEP_TEST(FuzzTest)
#include "fuzz_test.moc"
