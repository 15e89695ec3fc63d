#include "format_cases.h"
#include "idx_files.h"

#include <data/tfrecord.h>

using namespace lockstep;
using namespace lockstep::data;

namespace {

using Record = TfRecordReader::Record;

// Reads all; `good` counts whole records.
Result<std::vector<Record>> readAll(const std::filesystem::path& file, std::size_t* good = nullptr) {
    LS_TRY_ASSIGN(TfRecordReader reader, TfRecordReader::open(file));
    std::vector<Record> records;
    for (Record record;;) {
        if (good != nullptr) *good = records.size();
        LS_TRY_ASSIGN(const bool more, reader.next(record));
        if (!more) return records;
        records.push_back(record);
    }
}

std::string hexOf(std::span<const std::byte> bytes) {
    return QByteArray(reinterpret_cast<const char*>(bytes.data()), static_cast<int>(bytes.size())).toHex().toStdString();
}

void compareFeature(const ExampleFeature& feature, const nlohmann::json& one) {
    if (one["kind"] == "int64") {
        QVERIFY(feature.kind == ExampleFeature::Kind::Int64);
        QVERIFY(feature.integers == one["values"].get<std::vector<std::int64_t>>());
    } else if (one["kind"] == "float") {
        QVERIFY(feature.kind == ExampleFeature::Kind::Float);
        QCOMPARE(feature.floats.size(), one["values"].size());
        for (std::size_t i = 0; i < feature.floats.size(); ++i) QCOMPARE(feature.floats[i], one["values"][i].get<float>());
    } else if (one["kind"] == "bytes") {
        QVERIFY(feature.kind == ExampleFeature::Kind::Bytes);
        std::vector<std::string> found;
        for (const auto bytes : feature.bytes) found.push_back(hexOf(bytes));
        QVERIFY(found == one["values_hex"].get<std::vector<std::string>>());
    } else {
        QCOMPARE(feature.size(), std::size_t(0));
    }
}

}  // namespace

class TfRecordTest : public QObject {
    Q_OBJECT
private slots:
    void recorded_data() { test::addFormatCases("tfrecord"); }
    void recorded() {
        QFETCH(QString, text);
        const auto one = nlohmann::json::parse(text.toStdString());
        const auto file = test::formatsFolder() / one["file"].get<std::string>();
        std::size_t good = 0;
        const auto records = readAll(file, &good);
        if (one.value("error", "") == "bad_message") {
            VERIFY_OK(records);
            const auto example = parseExample(records->front(), file);
            QVERIFY(!example.ok());
            return test::compareError(example.error(), one);
        }
        QCOMPARE(records.ok(), one["ok"].get<bool>());
        if (!records.ok()) {
            QCOMPARE(good, one["good_records"].get<std::size_t>());
            return test::compareError(records.error(), one);
        }
        QCOMPARE(records->size(), one["records"].get<std::size_t>());
        for (std::size_t i = 0; one.contains("lengths") && i < records->size(); ++i)
            QCOMPARE((*records)[i].bytes.size(), one["lengths"][i].get<std::size_t>());
        if (one.contains("context")) return compareSequence((*records)[0], one);
        for (std::size_t i = 0; one.contains("examples") && i < records->size(); ++i) {
            const auto example = parseExample((*records)[i], file);
            VERIFY_OK(example);
            for (const auto& [name, expected] : one["examples"][i].items()) {
                const auto found = example->find(name);
                if (found == example->end())
                    QCOMPARE(expected["kind"].get<std::string>(), std::string("absent"));
                else
                    compareFeature(found->second, expected);
            }
        }
    }
    // A plain file whose first length has the bytes of a zlib header.
    void aLengthThatLooksLikeZlib() {
        test::Scratch scratch;
        const auto records = readAll(test::formatsFolder() / "tfrecord/examples.tfrecord");
        VERIFY_OK(records);
        const auto whole = readFile(test::formatsFolder() / "tfrecord/examples.tfrecord");
        VERIFY_OK(whole);
        test::writeGzip(scratch / "x.gz", *whole);
        const auto inflated = readAll(scratch / "x.gz");
        VERIFY_OK(inflated);
        QCOMPARE(inflated->size(), records->size());
    }
    void zlibDataThatIsCut() {
        test::Scratch scratch;
        auto packed = readFile(test::formatsFolder() / "tfrecord/examples.tfrecord.zlib");
        VERIFY_OK(packed);
        packed->resize(packed->size() / 2);
        test::writeBytes(scratch / "x", *packed);
        VERIFY_ERROR(readAll(scratch / "x"), "F601");
    }

private:
    static void compareSequence(const Record& record, const nlohmann::json& one) {
        const auto example = parseSequenceExample(record, "x");
        VERIFY_OK(example);
        for (const auto& [name, values] : one["context"].items())
            QVERIFY(example->context.at(name).integers == values.get<std::vector<std::int64_t>>());
        for (const auto& [name, lists] : one["feature_lists"].items()) {
            const auto& found = example->lists.at(name);
            QCOMPARE(found.size(), lists.size());
            for (std::size_t i = 0; i < found.size(); ++i) QVERIFY(found[i].integers == lists[i].get<std::vector<std::int64_t>>());
        }
    }
};

LOCKSTEP_TEST(TfRecordTest)
#include "tfrecord_test.moc"
