#include "format_cases.h"
#include "idx_files.h"

#include <support/scratch.h>
#include <support/test.h>

#include <data/idx.h>

#include <sys/resource.h>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace lockstep;
using namespace lockstep::data;

namespace {

std::filesystem::path fixture(const std::string& name) { return test::sourceDir() / "tests/fixtures/formats" / name; }

const char* nameOf(IdxType type) {
    switch (type) {
        case IdxType::U8: return "uint8";
        case IdxType::I8: return "int8";
        case IdxType::I16: return "int16";
        case IdxType::I32: return "int32";
        case IdxType::F32: return "float32";
        case IdxType::F64: return "float64";
    }
    return "";
}

double valueAt(const IdxArray& array, std::size_t i) {
    const std::byte* at = array.values.data() + i * sizeOf(array.header.type);
    float f = 0;
    std::int16_t s = 0;
    switch (array.header.type) {
        case IdxType::U8: return std::to_integer<int>(*at);
        case IdxType::I16: std::memcpy(&s, at, 2); return s;
        case IdxType::F32: std::memcpy(&f, at, 4); return f;
        default: return NAN;
    }
}

}  // namespace

class IdxTest : public QObject {
    Q_OBJECT
private slots:
    void recordedFiles_data() { test::addFormatCases("idx"); }
    void recordedFiles() {
        QFETCH(QString, text);
        const auto one = nlohmann::json::parse(text.toStdString());
        const auto array = readIdx(fixture(one["file"]));
        if (!one["ok"]) {
            VERIFY_ERROR(array, "F601");
            QCOMPARE(array.error().exitCode, 3);
            if (one.contains("at")) {
                const std::string expected = "byte " + std::to_string(one["at"].get<int>()) + ": expected";
                QVERIFY2(array.error().message.find(expected) != std::string::npos, array.error().message.c_str());
            }
            return;
        }
        VERIFY_OK(array);
        QCOMPARE(QString(nameOf(array->header.type)), QString::fromStdString(one["dtype"]));
        QVERIFY(array->header.shape == one["shape"].get<std::vector<std::int64_t>>());
        for (std::size_t i = 0; i < one["first"].size(); ++i) QCOMPARE(valueAt(*array, i), double(float(one["first"][i])));
        const auto sum = crc32(0, reinterpret_cast<const Bytef*>(array->values.data()), static_cast<uInt>(array->values.size()));
        QCOMPARE(QString::number(sum, 16).rightJustified(8, '0'), QString::fromStdString(one["data_crc32"]));
    }
    void aCutGzipSaysWhere() {
        const auto array = readIdx(fixture("idx/cut.idx3-ubyte.gz"));
        VERIFY_ERROR(array, "F601");
        QVERIFY2(array.error().message.find("byte 82: expected more compressed data") != std::string::npos, array.error().message.c_str());
    }
    void everyCutIsRefused_data() {
        QTest::addColumn<bool>("compressed");
        QTest::newRow("plain") << false;
        QTest::newRow("gzip") << true;
    }
    void everyCutIsRefused() {
        QFETCH(bool, compressed);
        test::Scratch scratch;
        const auto whole = readFile(fixture(compressed ? "idx/images.idx3-ubyte.gz" : "idx/images.idx3-ubyte"));
        VERIFY_OK(whole);
        for (std::size_t bytes = 0; bytes < whole->size(); ++bytes) {
            test::writeBytes(scratch / "cut", whole->substr(0, bytes));
            const auto array = readIdx(scratch / "cut");
            VERIFY_ERROR(array, "F601");
        }
    }
    void aGigabyteIsOnlyPromised() {
        // Neither memory nor time is spent on a header that promises more than the file can hold.
        test::Scratch scratch;
        const std::string lie = test::idxBytes({1u << 20, 32, 32}, std::string(100, 'x'));
        test::writeBytes(scratch / "plain", lie);
        test::writeGzip(scratch / "packed.gz", lie);
        rusage before{}, after{};
        getrusage(RUSAGE_SELF, &before);
        for (const char* name : {"plain", "packed.gz"}) {
            const auto array = readIdx(scratch / name);
            VERIFY_ERROR(array, "F601");
            QVERIFY2(array.error().message.find("1073741840 bytes") != std::string::npos, array.error().message.c_str());
        }
        getrusage(RUSAGE_SELF, &after);
        QVERIFY(after.ru_maxrss - before.ru_maxrss < 64 << 10);
    }
    void aBombStopsAtThePromise() {
        // A small header before 64 MB of zeros, packed: reading ends one piece after what was promised.
        test::Scratch scratch;
        test::writeGzip(scratch / "bomb.gz", test::idxBytes({3}, std::string(64 << 20, '\0')));
        std::uint64_t seen = 0;
        const auto header = streamIdx(scratch / "bomb.gz", [&](std::span<const std::byte> bytes) -> Result<void> {
            seen += bytes.size();
            return {};
        });
        VERIFY_ERROR(header, "F601");
        QVERIFY(header.error().message.find("byte 11: expected the end of the file") != std::string::npos);
        QVERIFY(seen <= 2u << 20);
    }
    void membersFollowEachOther() {
        test::Scratch scratch;
        const std::string bytes = test::pictures(3);
        test::writeGzip(scratch / "a", bytes.substr(0, 9));
        test::writeGzip(scratch / "b", bytes.substr(9));
        test::writeBytes(scratch / "both.gz", *readFile(scratch / "a") + *readFile(scratch / "b"));
        const auto array = readIdx(scratch / "both.gz");
        VERIFY_OK(array);
        QCOMPARE(array->values.size(), std::size_t(12));
    }
    void noFileNoFolderNoPipe() {
        test::Scratch scratch;
        VERIFY_ERROR(readIdx(scratch / "none"), "F602");
        VERIFY_ERROR(readIdx(scratch.path()), "F602");
    }
};

LOCKSTEP_TEST(IdxTest)
#include "idx_test.moc"
