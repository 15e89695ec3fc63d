// Files that are damaged or were made to harm. Whatever may break a parser of HDF5 is read in another process, as the program does.
#include "fixtures.h"

#include <support/test.h>

#include "archive.h"

#include <base/checksum.h>
#include <base/file.h>
#include <keras/architecture.h>
#include <keras/isolated.h>

#include <QProcess>

#include <cstring>
#include <fstream>
#include <map>
#include <random>

using namespace lockstep;
using namespace lockstep::keras;

namespace {

// AddressSanitizer keeps freed memory for a while.
#ifdef __SANITIZE_ADDRESS__
constexpr long kMostKib = 256 * 1024;
#else
constexpr long kMostKib = 64 * 1024;
#endif

int mutations() { return qEnvironmentVariableIsSet("LOCKSTEP_SOAK") ? 20'000 : 150; }

Result<KerasFile> readApart(const std::filesystem::path& file) { return readKerasIsolated(file, {test::readerProgram(), Seconds(20)}); }

// A few bytes, most of them in the first `front` bytes.
std::string mutated(std::string bytes, std::mt19937& random, std::size_t front) {
    const auto below = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most - 1)(random); };
    const std::size_t changes = 1 + below(6);
    for (std::size_t i = 0; i < changes; ++i) {
        constexpr unsigned char kValues[] = {0, 1, 0x7f, 0x80, 0xff};
        const std::size_t place = below(4) == 0 ? below(bytes.size()) : below(std::min(front, bytes.size()));
        bytes[place] = static_cast<char>(below(2) == 0 ? kValues[below(5)] : below(256));
    }
    return bytes;
}

void store(const std::filesystem::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace

class DamageTest : public QObject {
    Q_OBJECT
private slots:
    void hostile_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* code, const char* words) { QTest::newRow(name) << code << words; };
        row("absolute", "F650", "leads out of the archive");
        row("traversal", "F650", "leads out of the archive");
        row("deflated", "F650", "metadata.json is compressed");
        row("no_weights", "F650", "it has no model.weights.h5");
        row("not_hdf5", "F651", "is no HDF5 file");
        row("no_json", "F652", "config.json in");
        row("twice_json", "F652", "\"class_name\" twice");
        row("soft_link", "F651", "/layers/dense/vars has a member 0 that is a link");
        row("external_link", "F651", "that is a link to another place or file");
        row("external_group", "F651", "/layers has a member conv2d that is a link");
        row("virtual", "F651", "/layers/dense/vars/0 is virtual");
        row("external_data", "F651", "values in other files");
        row("shape_lie", "F651", "claims the shape [262144, 1024]");
        row("chunked_lie", "F651", "stored in pieces");
        row("text", "F651", "neither float16");
        row("big_endian", "F651", "neither float16");
        row("opaque", "F651", "neither float16");
        row("missing_index", "F651", "is no index of the variables");
        row("group_for_dataset", "F651", "/layers/dense/vars/0 is no dataset");
        row("many_axes", "F651", "has 12 axes");
        row("deep", "F651", "nested too deeply");
        row("loop", "F651", "nested too deeply");
        row("odd_name", "F651", "with the name \"..?\"");
        row("name_is_number", "F651", "attribute name that is no text");
    }
    void hostile() {
        QFETCH(QString, code);
        QFETCH(QString, words);
        const auto file = test::kerasFixtures() / "bad" / (std::string(QTest::currentDataTag()) + ".keras");
        const auto here = readKeras(file);
        QVERIFY(!here.ok());
        QCOMPARE(QString::fromStdString(here.error().code), code);
        QVERIFY2(QString::fromStdString(here.error().message).contains(words), here.error().message.c_str());
        QVERIFY(here.error().message.ends_with('.') && here.error().message.size() < 400);
        const auto apart = readApart(file);
        QVERIFY(!apart.ok());
        QVERIFY2(apart.error() == here.error(), apart.error().toText().c_str());
    }

    void filesThatAreNone() {
        const test::Scratch folder;
        VERIFY_ERROR(readKeras(folder / "none.keras"), "F602");
        VERIFY_ERROR(readKeras(folder.path()), "F602");
        store(folder / "empty", "");
        VERIFY_ERROR(readKeras(folder / "empty"), "F650");
        store(folder / "text", "This is no archive, only some words that go on for long enough.");
        VERIFY_ERROR(readKeras(folder / "text"), "F650");
    }

    void texts() {
        const test::Scratch folder;
        test::Parts parts{.weights = test::partsOf("mlp.keras").weights};
        const auto refused = [&](std::string config) {
            parts.config = std::move(config);
            const auto read = readKeras(test::makeModel(folder, parts));
            return read.ok() ? std::string("ok") : read.error().code + " " + read.error().message;
        };
        const auto hasReason = [&](std::string config, const char* reason) {
            const std::string got = refused(std::move(config));
            return got.starts_with("F652") && got.find(reason) != std::string::npos;
        };
        QVERIFY(hasReason(std::string(100'000, '['), "nested too deeply"));
        QVERIFY(hasReason(
            "{\"a\": [" +
                [] {
                    std::string many;
                    for (int i = 0; i < 700'000; ++i) many += "[],";
                    return many;
                }() +
                "[]]}",
            "too many values"));
        QVERIFY(hasReason("", "not JSON at byte 0"));
        QVERIFY(hasReason("7", "no object"));
        QVERIFY(hasReason("{\"a\": \"\xff\"}", "not JSON"));
        QVERIFY(hasReason("{} x", "not JSON"));
        QVERIFY(refused(std::string(kMostConfigBytes + 1, ' ')).starts_with("F650"));
        parts.metadata = "[]";
        QVERIFY(refused("{}").starts_with("F652 metadata.json"));
    }

    void everyPrefixOfAnArchive() {
        const test::Scratch folder;
        const auto whole = *readFile(test::kerasFixtures() / "more/built.keras");
        for (std::size_t size = 0; size < whole.size(); size += 97) {
            store(folder / "cut", whole.substr(0, size));
            VERIFY_ERROR(readKeras(folder / "cut"), "F650");
        }
    }

    void membersTwice() {
        const test::Scratch folder;
        const auto parts = test::partsOf("more/built.keras");
        const auto archive = makeArchive({{"metadata.json", asBytes(parts.metadata)},
                                          {"config.json", asBytes(parts.config)},
                                          {"model.weights.h5", asBytes(parts.weights)},
                                          {"confix.json", asBytes(parts.config)}});
        VERIFY_OK(archive);
        std::string bytes = *archive;
        for (std::size_t at = 0; (at = bytes.find("confix.json", at)) != std::string::npos;) bytes[at + 5] = 'g';
        store(folder / "twice", bytes);
        const auto read = readKeras(folder / "twice");
        VERIFY_ERROR(read, "F650");
        QVERIFY(read.error().message.find("two of its members have the same name") != std::string::npos);
    }

    // A byte of a stored member that differs is always noticed.
    void everyMemberHasAChecksum() {
        const test::Scratch folder;
        const auto whole = *readFile(test::kerasFixtures() / "more/built.keras");
        for (const char* inside : {"keras_version", "batch_shape", "TREE"}) {
            auto bytes = whole;
            bytes[bytes.find(inside)] ^= 1;
            store(folder / "changed", bytes);
            VERIFY_ERROR(readKeras(folder / "changed"), "F650");
        }
    }

    void mutatedArchives() {
        const test::Scratch folder;
        std::mt19937 random(1);
        const auto whole = *readFile(test::kerasFixtures() / "more/built.keras");
        // The members' list at the end is what an archive can lie with.
        for (int i = 0; i < 4 * mutations(); ++i) {
            std::string bytes = whole;
            std::string tail = mutated(bytes.substr(bytes.size() - 320), random, 320);
            bytes.replace(bytes.size() - 320, 320, tail);
            store(folder / "changed", bytes);
            const auto read = readKeras(folder / "changed");
            if (!read.ok()) QVERIFY2(read.error().code == "F650", read.error().toText().c_str());
        }
    }

    void mutatedConfigurations() {
        std::mt19937 random(2);
        for (const char* name : {"bnmlp.keras", "more/transformer.keras"}) {
            const auto config = test::partsOf(name).config;
            for (int i = 0; i < 4 * mutations(); ++i) {
                const auto read = parseArchitecture(mutated(config, random, config.size()), "x");
                if (!read.ok()) QVERIFY2(read.error().code.starts_with("F65"), read.error().toText().c_str());
            }
        }
    }

    void mutatedWeights() {
        const test::Scratch folder;
        std::mt19937 random(3);
        std::map<std::string, int> outcomes;
        for (const char* name : {"bnmlp.keras", "more/halves.keras"}) {
            auto parts = test::partsOf(name);
            const auto whole = parts.weights;
            for (int i = 0; i < mutations(); ++i) {
                parts.weights = mutated(whole, random, 12'000);
                const auto read = readApart(test::makeModel(folder, parts));
                const std::string code = read.ok() ? "ok" : read.error().code;
                ++outcomes[code];
                QVERIFY2(code == "ok" || code == "F651" || code == "F656", code.c_str());
            }
        }
        QVERIFY(outcomes["F651"] > 0 && outcomes["ok"] > 0);
        qInfo("mutated weights: %d read, %d refused, %d broke the reader", outcomes["ok"], outcomes["F651"], outcomes["F656"]);
    }

    void cutWeights() {
        const test::Scratch folder;
        auto parts = test::partsOf("more/halves.keras");
        const auto whole = parts.weights;
        for (std::size_t size = 0; size < whole.size(); size += 401) {
            parts.weights = whole.substr(0, size);
            const auto read = readApart(test::makeModel(folder, parts));
            QVERIFY(!read.ok());
            QVERIFY2(read.error().code == "F651", read.error().toText().c_str());
        }
    }

    // Lies about sizes are refused before memory is taken for them.
    void lies_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("code");
        for (const char* name : {"shape_lie", "chunked_lie", "external_data", "loop", "deep"})
            QTest::newRow(name) << QString("keras/bad/%1.keras").arg(name) << "F651";
        for (const char* name : {"length-huge", "length-past-end", "shape-overflow", "past-end"})
            QTest::newRow(name) << QString("formats/safetensors/%1.safetensors").arg(name) << "F658";
    }
    void lies() {
        QFETCH(QString, file);
        QFETCH(QString, code);
        measure((test::sourceDir() / "tests/fixtures" / file.toStdString()).string(), code);
    }
    void liesOfArchives() {
        const test::Scratch folder;
        auto bytes = *readFile(test::kerasFixtures() / "more/built.keras");
        // Both descriptions of config.json, in front of it and in the list at the end, give it a gigabyte.
        const std::uint32_t lie = 1u << 30;
        int changed = 0;
        for (std::size_t at = bytes.find("config.json"); at != std::string::npos; at = bytes.find("config.json", at + 1)) {
            const bool listed = std::memcmp(bytes.data() + at - 46, "PK\1\2", 4) == 0;
            const std::size_t sizes = listed ? at - 46 + 20 : at - 30 + 18;
            std::memcpy(bytes.data() + sizes, &lie, sizeof lie);
            std::memcpy(bytes.data() + sizes + 4, &lie, sizeof lie);
            ++changed;
        }
        QCOMPARE(changed, 2);
        store(folder / "lie.keras", bytes);
        measure((folder / "lie.keras").string(), "F650");
    }
    void liesOfTexts() {
        const test::Scratch folder;
        test::Parts parts{.weights = test::partsOf("mlp.keras").weights};
        parts.config = "{\"a\": [";
        while (parts.config.size() < kMostConfigBytes - 16) parts.config += "[],";
        parts.config += "[]]}";
        measure(test::makeModel(folder, parts).string(), "F652");
    }

private:
    static void measure(const std::string& file, const QString& code) {
        QProcess reader;
        reader.start(QString::fromStdString(test::readerProgram().string()), {"measure", QString::fromStdString(file)});
        QVERIFY(reader.waitForFinished(20'000));
        const auto fields = QString::fromUtf8(reader.readAllStandardOutput()).split(' ');
        QCOMPARE(fields.size(), 3);
        QCOMPARE(fields[0], code);
        QVERIFY2(fields[1].toLong() < kMostKib, qPrintable(fields[1]));
        QVERIFY2(fields[2].toDouble() < 1000, qPrintable(fields[2]));
    }
};

LOCKSTEP_TEST(DamageTest)
#include "damage_test.moc"
