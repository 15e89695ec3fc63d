// Headers that promise a gigabyte and more in files of a few bytes. They are refused at once, in a process that may take 64 MiB more
// than it has.
#include "data_files.h"

#include <support/scratch.h>
#include <support/test.h>

#include <data/csv.h>
#include <data/idx.h>
#include <data/image.h>
#include <data/npy.h>
#include <data/tfrecord.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>

using namespace lockstep;
using namespace lockstep::data;
namespace fs = std::filesystem;

namespace {

constexpr rlim_t kAllowed = rlim_t{64} << 20;

// AddressSanitizer keeps its own terabytes of address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimited = false;
#else
constexpr bool kLimited = true;
#endif

rlim_t addressSpace() {
    unsigned long pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr || std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    if (file != nullptr) std::fclose(file);
    return rlim_t{pages} * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// Runs `read` in a child with little memory. Exit: 0 = refused with an error of a file, 1 = anything else; a signal when it died.
int inChild(const std::function<Result<void>()>& read) {
    const pid_t child = fork();
    if (child == 0) {
        const rlim_t limit = addressSpace() + kAllowed;
        const rlimit space{limit, limit}, time{2, 2};
        if (kLimited) setrlimit(RLIMIT_AS, &space);
        setrlimit(RLIMIT_CPU, &time);
        const auto done = read();
        _exit(!done.ok() && done.error().code.starts_with("F6") ? 0 : 1);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

template <class T>
Result<void> only(const Result<T>& result) {
    if (result.ok()) return {};
    return result.error();
}

std::string chunk(const std::string& kind, const std::string& data) {
    const std::string checked = kind + data;
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
    const auto big = [](std::uint64_t value) {
        std::string text;
        for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
        return text;
    };
    return big(data.size()) + checked + big(crc);
}

std::string deflated(const std::string& bytes) {
    std::string packed(compressBound(bytes.size()), '\0');
    uLongf size = packed.size();
    compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
    packed.resize(size);
    return packed;
}

// A whole PNG but for its pixels, of which it has few. `width` and `height` are two bytes each.
std::string pngOf(const std::string& width, const std::string& height) {
    const std::string zero(2, '\0');
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", zero + width + zero + height + std::string("\x08\x02\0\0\0", 5)) +
           chunk("IDAT", deflated(std::string(3000, 'x'))) + chunk("IEND", "");
}

// One stored member whose directory says it is large.
std::string npzOf(const std::string& stored, std::uint64_t promised, int method) {
    const std::string sizes = test::littleEndian(stored.size(), 4) + test::littleEndian(promised, 4);
    const std::string common = test::littleEndian(20, 2) + test::littleEndian(0, 2) + test::littleEndian(method, 2) +
                               test::littleEndian(0, 4) + test::littleEndian(0, 4) + sizes + test::littleEndian(5, 2) +
                               test::littleEndian(0, 2);
    const std::string local = "PK\x03\x04" + common + "x.npy" + stored;
    const std::string entry = "PK\x01\x02" + test::littleEndian(20, 2) + common + test::littleEndian(0, 2 + 2 + 2 + 4 + 4) + "x.npy";
    return local + entry + "PK\x05\x06" + test::littleEndian(0, 4) + test::littleEndian(1, 2) + test::littleEndian(1, 2) +
           test::littleEndian(entry.size(), 4) + test::littleEndian(local.size(), 4) + test::littleEndian(0, 2);
}

Result<void> readRecords(const fs::path& file) {
    LS_TRY_ASSIGN(auto reader, TfRecordReader::open(file));
    for (TfRecordReader::Record record;;) {
        LS_TRY_ASSIGN(const bool more, reader.next(record));
        if (!more) return {};
        LS_TRY(parseExample(record, file));
    }
}

Result<void> readPicture(const fs::path& file) {
    LS_TRY_ASSIGN(const std::string bytes, readFile(file));
    return only(decodeImage(asBytes(bytes), file));
}

Result<void> readArchive(const fs::path& file) {
    LS_TRY_ASSIGN(const NpzFile archive, NpzFile::open(file));
    for (const auto& member : archive.members()) LS_TRY(archive.read(member));
    return {};
}

}  // namespace

class LiesTest : public QObject {
    Q_OBJECT
private slots:
    void lies_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("reader");
        const auto row = [](const char* name, const std::string& bytes, const char* reader) {
            QTest::newRow(name) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())) << reader;
        };
        row("idx", test::idxBytes({1u << 15, 1u << 15}, "x"), "idx");
        row("npy", test::npyBytes("|u1", "(1073741824,)", "x"), "npy");
        row("npy, beyond all", test::npyBytes("<f8", "(1073741824, 1073741824)", "x"), "npy");
        row("npy, Fortran order",
            std::string("\x93NUMPY\x01\0\x41\0", 10) + "{'descr':'>f8','fortran_order':True,'shape':(1000,1000,1000)}    ", "npy");
        row("npy, header", std::string("\x93NUMPY\x02\0\0\0\0\x40", 12), "npy");
        row("npz, stored", npzOf("x", 1u << 30, 0), "npz");
        row("npz, deflated", npzOf(std::string(2000000, 'x'), 1u << 30, 8), "npz");
        row("npz, array", npzOf(test::npyBytes("|u1", "(1073741824,)", "x"), 129, 0), "npz");
        row("png", pngOf("\x7f\xff", "\x7f\xff"), "image");
        row("png below the limit", pngOf(std::string("\x20\0", 2), std::string("\x20\0", 2)), "image");
        row("tfrecord", test::littleEndian(1u << 30, 8) + test::maskedCrc(test::littleEndian(1u << 30, 8)) + "x", "tfrecord");
        row("tfrecord, beyond all", test::littleEndian(~0ull, 8) + test::maskedCrc(test::littleEndian(~0ull, 8)) + "x", "tfrecord");
        row("a long list in an Example", test::recordBytes("\x0a\xff\xff\xff\xff\x03x"), "tfrecord");
        row("csv without an end", "a,\"" + std::string(40u << 20, 'x'), "csv");
    }
    void lies() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, reader);
        test::Scratch scratch;
        const fs::path file = scratch / "lie";
        test::writeBytes(file, bytes.toStdString());
        bytes.clear();
        const std::map<QString, std::function<Result<void>()>> readers = {{"idx", [&] { return only(readIdx(file)); }},
                                                                          {"npy", [&] { return only(openNpy(file)); }},
                                                                          {"npz", [&] { return readArchive(file); }},
                                                                          {"image", [&] { return readPicture(file); }},
                                                                          {"tfrecord", [&] { return readRecords(file); }},
                                                                          {"csv", [&] { return readCsv(file, [](const CsvRow&) { return Result<void>(); }); }}};
        QCOMPARE(inChild(readers.at(reader)), 0);
    }
    // The header of a JPEG, its size replaced.
    void jpeg() {
        test::Scratch scratch;
        for (const std::string& size : {std::string("\x7f\xff\x7f\xff"), std::string("\x20\0\x20\0", 4)}) {
            auto bytes = readFile(test::sourceDir() / "tests/fixtures/formats/images/cat/gradient.jpg");
            VERIFY_OK(bytes);
            const auto frame = bytes->find("\xff\xc0");
            QVERIFY(frame != std::string::npos);
            bytes->replace(frame + 5, 4, size);
            test::writeBytes(scratch / "lie", *bytes);
            QCOMPARE(inChild([&] { return readPicture(scratch / "lie"); }), 0);
        }
    }
    // The child really has the limit: what takes 64 MiB fails there.
    void theLimitHolds() {
        if (!kLimited) QSKIP("no limit of memory under a sanitizer");
        const int status = inChild([] {
            const std::unique_ptr<char, decltype(&std::free)> much(static_cast<char*>(std::malloc(80u << 20)), &std::free);
            return much ? Result<void>() : Result<void>(makeError("F606", {}));
        });
        QCOMPARE(status, 0);
    }
};

LOCKSTEP_TEST(LiesTest)
#include "lies_test.moc"
