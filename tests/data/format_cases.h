// The recorded files of tests/fixtures/formats and what readers must make of them.
#pragma once

#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <base/result.h>

#include <nlohmann/json.hpp>

#include <zlib.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace lockstep::test {

inline std::filesystem::path formatsFolder() { return sourceDir() / "tests/fixtures/formats"; }

inline nlohmann::json formatExpectations() {
    std::ifstream in(formatsFolder() / "expected.json");
    return nlohmann::json::parse(in);
}

// The entries of one format, as rows of a test's data.
inline void addFormatCases(const std::string& format) {
    QTest::addColumn<QString>("text");
    const nlohmann::json expected = formatExpectations();
    for (const auto& one : expected["files"])
        if (one["format"] == format) QTest::newRow(one["file"].get<std::string>().c_str()) << QString::fromStdString(one.dump());
}

inline std::string crcText(std::span<const std::byte> values) {
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(values.data()), static_cast<uInt>(values.size()));
    return QString::number(sum, 16).rightJustified(8, '0').toStdString();
}

// The code that stands for a kind of error.
inline std::string codeOf(const std::string& kind) {
    static const std::map<std::string, std::string> codes = {
        {"crc_mismatch", "F618"}, {"unsupported_dtype", "F619"}, {"unsafe_object", "F619"}, {"unsupported_version", "F619"},
        {"too_large", "F620"},    {"bad_label", "F613"},         {"ragged_row", "F621"},    {"unterminated_quote", "F621"},
        {"not_a_number", "F621"}, {"bad_character", "F621"},     {"bad_utf8", "F621"}};
    const auto found = codes.find(kind);
    return found == codes.end() ? "F601" : found->second;
}

// An error's place: "… byte 12: …", or "… bytes 97 to 197: …", which must hold the offset.
inline void compareOffset(const Error& error, std::int64_t at) {
    const QString message = QString::fromStdString(error.message);
    const auto range = QRegularExpression("bytes (\\d+) to (\\d+)").match(message);
    if (range.hasMatch()) {
        QVERIFY2(range.captured(1).toLongLong() <= at && at <= range.captured(2).toLongLong(), error.message.c_str());
        return;
    }
    const auto place = QRegularExpression("byte (\\d+)").match(message);
    QVERIFY2(place.hasMatch(), error.message.c_str());
    QCOMPARE(place.captured(1).toLongLong(), at);
}

// Every error has a sentence, a next step, an exit code for bad input, and the code of its kind and its place where they are known.
inline void compareError(const Error& error, const nlohmann::json& one) {
    QCOMPARE(QString::fromStdString(error.code), QString::fromStdString(codeOf(one["error"])));
    QCOMPARE(error.exitCode, 3);
    QVERIFY(!error.message.empty() && !error.next.empty());
    QVERIFY(error.message.find('{') == std::string::npos && error.cause.find('{') == std::string::npos);
    if (one.contains("at")) compareOffset(error, one["at"]);
    if (one.contains("line"))
        QVERIFY2(error.message.find("line " + std::to_string(one["line"].get<int>()) + " ") != std::string::npos, error.message.c_str());
}

}  // namespace lockstep::test
