#include "format_cases.h"

#include <data/npy.h>

using namespace lockstep;
using namespace lockstep::data;

namespace {

nlohmann::json fetched() {
    QFETCH(QString, text);
    return nlohmann::json::parse(text.toStdString());
}

void compareArray(const NpyArray& array, const nlohmann::json& one) {
    QCOMPARE(std::string(nameOf(array.type)), one["dtype"].get<std::string>());
    QVERIFY(array.shape == one["shape"].get<std::vector<std::int64_t>>());
    for (std::size_t i = 0; i < one["first"].size(); ++i) {
        const auto& first = one["first"][i];
        const double expected = first.is_boolean() ? (first.get<bool>() ? 1 : 0) : first.get<double>();
        const double found = valueAt(array.values, array.type, i);
        QVERIFY2(std::abs(found - expected) <= 1e-8 * std::abs(expected), std::to_string(found).c_str());
    }
    QCOMPARE(test::crcText(array.values), one["data_crc32"].get<std::string>());
}

std::string npyText(const std::string& header, const std::string& values) {
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() & 255);
    text += static_cast<char>(header.size() >> 8);
    return text + header + values;
}

Result<NpyArray> parsed(const std::string& text) { return readNpy(std::as_bytes(std::span(text)), nullptr, "x.npy"); }

}  // namespace

class NpyTest : public QObject {
    Q_OBJECT
private slots:
    void recordedArrays_data() { test::addFormatCases("npy"); }
    void recordedArrays() {
        const auto one = fetched();
        const auto array = openNpy(test::formatsFolder() / one["file"].get<std::string>());
        QCOMPARE(array.ok(), one["ok"].get<bool>());
        if (array.ok())
            compareArray(*array, one);
        else
            test::compareError(array.error(), one);
    }
    void recordedArchives_data() { test::addFormatCases("npz"); }
    void recordedArchives() {
        const auto one = fetched();
        const auto archive = NpzFile::open(test::formatsFolder() / one["file"].get<std::string>());
        if (one["ok"]) {
            VERIFY_OK(archive);
            QCOMPARE(archive->members().size(), one["members"].size());
            for (const auto& [name, expected] : one["members"].items()) {
                const auto array = archive->read(name);
                VERIFY_OK(array);
                compareArray(*array, expected);
            }
            for (const auto& member : archive->members()) {
                const auto header = archive->header(member);
                VERIFY_OK(header);
                QVERIFY(header->shape == one["members"][member.name]["shape"].get<std::vector<std::int64_t>>());
            }
            VERIFY_ERROR(archive->read("nothing"), "F624");
        } else if (archive.ok()) {
            test::compareError(archive->read(one["member"].get<std::string>()).error(), one);
        } else {
            test::compareError(archive.error(), one);
        }
    }
    // Spellings of the header that NumPy or others write, and those that must not pass.
    void headers_data() {
        QTest::addColumn<QString>("header");
        QTest::addColumn<QString>("code");
        const auto row = [](const char* name, const char* header, const char* code) { QTest::newRow(name) << header << code; };
        row("plain", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", "");
        row("no comma at the end", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "");
        row("other quotes and order", "{\"shape\": (2,), \"fortran_order\": False, \"descr\": \"<f4\"}", "");
        row("Python 2", "{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }", "");
        row("native", "{'descr': '=f4', 'fortran_order': False, 'shape': (2,), }", "");
        row("twice", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "F601");
        row("missing", "{'descr': '<f4', 'shape': (2,), }", "F601");
        row("unknown", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "F601");
        row("more", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x", "F601");
        row("no number", "{'descr': '<f4', 'fortran_order': False, 'shape': (,), }", "F601");
        row("2^64", "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551618,), }", "F601");
        row("2^62 values", "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }", "F620");
        row("complex", "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "F619");
        row("a date", "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,), }", "F619");
        row("open list", "{'descr': [('x', '<f4'), 'fortran_order': False, 'shape': (2,), }", "F601");
        row("nothing", "", "F601");
    }
    void headers() {
        QFETCH(QString, header);
        QFETCH(QString, code);
        const auto array = parsed(npyText(header.toStdString(), std::string(8, '\0')));
        if (code.isEmpty()) {
            VERIFY_OK(array);
            QVERIFY((array->shape == std::vector<std::int64_t>{2}));
        } else {
            QVERIFY(!array.ok());
            QCOMPARE(QString::fromStdString(array.error().code), code);
        }
    }
    void threeAxesInFortranOrder() {
        std::string values;
        for (int i = 0; i < 24; ++i) values += static_cast<char>(i);
        const auto text = npyText("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4), }", values);
        const auto array = parsed(text);
        VERIFY_OK(array);
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                for (std::size_t k = 0; k < 4; ++k)
                    QCOMPARE(valueAt(array->values, array->type, 12 * i + 4 * j + k), double(i + 2 * j + 6 * k));
    }
    void halves() {
        const std::uint16_t bits[] = {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0xc000, 0x7bff, 0x7c00, 0xfc00};
        const double values[] = {0, -0.0, std::ldexp(1, -24), std::ldexp(1023, -24), std::ldexp(1, -14), 1, -2, 65504, INFINITY, -INFINITY};
        const auto bytes = std::as_bytes(std::span(bits));
        for (std::size_t i = 0; i < std::size(bits); ++i) QCOMPARE(valueAt(bytes, NumberType::F16, i), values[i]);
        const std::uint16_t nan = 0x7e00, brain = 0x3fc0;
        QVERIFY(std::isnan(valueAt(std::as_bytes(std::span(&nan, 1)), NumberType::F16, 0)));
        QCOMPARE(valueAt(std::as_bytes(std::span(&brain, 1)), NumberType::BF16, 0), 1.5);
    }
};

LOCKSTEP_TEST(NpyTest)
#include "npy_test.moc"
