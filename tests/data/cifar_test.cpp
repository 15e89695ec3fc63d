#include "format_cases.h"

#include <data/cifar.h>

using namespace lockstep;
using namespace lockstep::data;

class CifarTest : public QObject {
    Q_OBJECT
private slots:
    void ten_data() { test::addFormatCases("cifar10"); }
    void ten() { recorded(CifarKind::Ten); }
    void hundred_data() { test::addFormatCases("cifar100"); }
    void hundred() { recorded(CifarKind::Hundred); }
    void emptyAndAbsent() {
        test::Scratch scratch;
        VERIFY_OK(replaceFile(scratch / "x.bin", ""));
        VERIFY_ERROR(countCifarRows(scratch / "x.bin", CifarKind::Ten), "F601");
        VERIFY_ERROR(countCifarRows(scratch / "y.bin", CifarKind::Ten), "F602");
    }
    void coarseLabelOutOfRange() {
        test::Scratch scratch;
        VERIFY_OK(replaceFile(scratch / "x.bin", std::string("\x14\x05", 2) + std::string(3072, 'x')));
        const auto done = readCifar(scratch / "x.bin", CifarKind::Hundred, [](const CifarRow&) { return Result<void>(); });
        VERIFY_ERROR(done, "F613");
        QVERIFY(done.error().message.find("(byte 0)") != std::string::npos);
    }

private:
    static void recorded(CifarKind kind) {
        QFETCH(QString, text);
        const auto one = nlohmann::json::parse(text.toStdString());
        const auto file = test::formatsFolder() / one["file"].get<std::string>();
        std::vector<int> labels, coarse;
        std::vector<std::byte> pixels;
        const auto done = readCifar(file, kind, [&](const CifarRow& row) -> Result<void> {
            labels.push_back(row.label);
            coarse.push_back(row.coarse);
            pixels.resize(pixels.size() + 3 * kCifarPixels);
            cifarToRows(row.planes, pixels.data() + pixels.size() - 3 * kCifarPixels);
            return {};
        });
        QCOMPARE(done.ok(), one["ok"].get<bool>());
        if (!done.ok()) return test::compareError(done.error(), one);
        QVERIFY(labels == one["labels"].get<std::vector<int>>());
        if (one.contains("coarse")) QVERIFY(coarse == one["coarse"].get<std::vector<int>>());
        for (std::size_t i = 0; i < one["first"].size(); ++i) QCOMPARE(std::to_integer<int>(pixels[i]), one["first"][i].get<int>());
        QCOMPARE(test::crcText(pixels), one["data_crc32"].get<std::string>());
        const auto rows = countCifarRows(file, kind);
        VERIFY_OK(rows);
        QVERIFY((std::vector<std::int64_t>{*rows, 32, 32, 3} == one["shape"].get<std::vector<std::int64_t>>()));
    }
};

LOCKSTEP_TEST(CifarTest)
#include "cifar_test.moc"
