#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <keras/safetensors.h>

#include <zlib.h>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include <nlohmann/json.hpp>

using namespace lockstep;
using namespace lockstep::keras;

namespace {

using Json = nlohmann::json;

std::filesystem::path fixtures() { return test::sourceDir() / "tests/fixtures/formats/safetensors"; }

Json cases() {
    std::ifstream in(fixtures() / "expected.json");
    return Json::parse(in).at("files");
}

// The words of the error for each kind of fault.
const std::map<std::string, std::vector<std::string>> kWords{
    {"bad_header", {"header", "twice"}},           {"too_large", {"more than the", "too large"}},
    {"bad_offsets", {"overlaps", "gap", "needs"}}, {"truncated", {"cut off", "it ends at byte"}},
    {"trailing_data", {"follow the last tensor"}}, {"unsupported_dtype", {"is of type F33"}}};

bool saysOneOf(const std::string& message, const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return message.find(word) != std::string::npos; });
}

}  // namespace

class SafetensorsTest : public QObject {
    Q_OBJECT
private slots:
    void fixtures_data() {
        QTest::addColumn<int>("row");
        int row = 0;
        for (const Json& item : cases()) QTest::newRow(item.at("file").get<std::string>().c_str()) << row++;
    }
    void fixtures() {
        QFETCH(int, row);
        const Json item = cases()[static_cast<std::size_t>(row)];
        const auto name = std::filesystem::path(item.at("file").get<std::string>()).filename();
        const auto read = readSafetensors(::fixtures() / name);
        QCOMPARE(read.ok(), item.at("ok").get<bool>());
        if (!read.ok()) {
            const std::string& message = read.error().message;
            QCOMPARE(read.error().code, std::string("F658"));
            QVERIFY2(saysOneOf(message, kWords.at(item.at("error"))), message.c_str());
            if (item.contains("at")) QVERIFY2(message.find("byte " + item["at"].dump()) != std::string::npos, message.c_str());
            if (item.contains("tensor_name"))
                QVERIFY2(message.find("\"" + item["tensor_name"].get<std::string>() + "\"") != std::string::npos, message.c_str());
            return;
        }
        QCOMPARE(read->tensors.size(), item.at("tensors").size());
        for (const auto& [tensorName, tensor] : read->tensors) {
            const Json& wanted = item["tensors"].at(tensorName);
            QCOMPARE(std::string(nameOf(tensor.element)), wanted.at("dtype").get<std::string>());
            QVERIFY(tensor.shape.dims() == wanted.at("shape").get<std::vector<std::int64_t>>());
            const auto sum = crc32(0, reinterpret_cast<const Bytef*>(tensor.bytes.data()), static_cast<uInt>(tensor.bytes.size()));
            QCOMPARE(QString::number(sum, 16).rightJustified(8, '0'), QString::fromStdString(wanted.at("data_crc32")));
        }
        QCOMPARE(read->metadata.size(), item.at("metadata").size());
        for (const auto& [key, text] : read->metadata) QCOMPARE(text, item["metadata"].at(key).get<std::string>());
    }

    void roundTrip() {
        const test::Scratch folder;
        const auto good = readSafetensors(::fixtures() / "good.safetensors");
        VERIFY_OK(good);
        VERIFY_OK(writeSafetensors(folder / "a.safetensors", *good));
        const auto again = readSafetensors(folder / "a.safetensors");
        VERIFY_OK(again);
        QVERIFY(*again == *good);
        VERIFY_OK(writeSafetensors(folder / "b.safetensors", {}));
        QVERIFY(readSafetensors(folder / "b.safetensors")->tensors.empty());
        const auto bytes = *readFile(folder / "a.safetensors");
        std::uint64_t header = 0;
        std::memcpy(&header, bytes.data(), sizeof header);
        QCOMPARE(header % 8, std::uint64_t{0});
    }
    void valuesThatCantBeWritten() {
        const Tensor one{Element::F32, {1}, std::vector<std::byte>(4)};
        VERIFY_ERROR(printSafetensors({{}, {{"a", one}, {"a", one}}}), "F659");
        VERIFY_ERROR(printSafetensors({{}, {{"__metadata__", one}}}), "F659");
        VERIFY_ERROR(printSafetensors({{}, {{"a", {Element::F64, {1}, std::vector<std::byte>(4)}}}}), "F659");
    }
    void mutations() {
        const auto whole = *readFile(::fixtures() / "good.safetensors");
        std::mt19937 random(4);
        for (int i = 0; i < 3000; ++i) {
            std::string bytes = whole.substr(0, i % 3 == 0 ? random() % whole.size() : whole.size());
            for (int k = 0; k < 3 && !bytes.empty(); ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
            const auto read = parseSafetensors(std::as_bytes(std::span(bytes.data(), bytes.size())), "x");
            if (!read.ok()) QCOMPARE(read.error().code, std::string("F658"));
        }
    }
};

LOCKSTEP_TEST(SafetensorsTest)
#include "safetensors_test.moc"
