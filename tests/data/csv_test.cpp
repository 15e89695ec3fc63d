#include "format_cases.h"

#include <data/csv.h>

using namespace lockstep;
using namespace lockstep::data;

namespace {

using Table = std::vector<std::vector<std::string>>;

Result<Table> readAll(const std::filesystem::path& file) {
    Table table;
    LS_TRY(readCsv(file, [&](const CsvRow& row) -> Result<void> {
        table.push_back(row.fields);
        return {};
    }));
    return table;
}

}  // namespace

class CsvTest : public QObject {
    Q_OBJECT
private slots:
    void recorded_data() { test::addFormatCases("csv"); }
    void recorded() {
        QFETCH(QString, text);
        const auto one = nlohmann::json::parse(text.toStdString());
        const auto file = test::formatsFolder() / one["file"].get<std::string>();
        if (one.value("error", "") == "not_a_number") return numbers(file, one);
        const auto table = readAll(file);
        QCOMPARE(table.ok(), one["ok"].get<bool>());
        if (!table.ok()) {
            test::compareError(table.error(), one);
            for (const char* key : {"expected_fields", "found_fields"})
                if (one.contains(key)) QVERIFY(table.error().message.find(std::to_string(one[key].get<int>())) != std::string::npos);
            return;
        }
        QVERIFY((*table)[0] == one["header"].get<std::vector<std::string>>());
        QVERIFY(Table(table->begin() + 1, table->end()) == one["rows"].get<Table>());
    }
    void smallTexts_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");  // fields joined by |, rows by /; or a code
        const auto row = [](const char* name, const QByteArray& text, const char* expected) { QTest::newRow(name) << text << expected; };
        row("one field", "x", "x");
        row("empty lines are skipped", "\n\na,b\n\r\n\n1,2\n\n", "a|b/1|2");
        row("empty fields", ",\n,\n", "|/|");
        row("quote at the end of the file", "a,\"b\"", "a|b");
        row("quoted line ends", "\"a\r\nb\",c\n", "a\r\nb|c");
        row("a quote in a plain field stays", "a\"b,c\n", "a\"b|c");
        row("text after a quote", "\"a\"b,c\n", "F621");
        row("carriage return alone", "a,b\rc,d\n", "F621");
        row("only line ends", "\n\n", "F601");
        row("a cut letter", "a,b\n1,\xc3", "F621");
        row("an overlong letter", "a,\xc0\xaf\n", "F621");
        row("a surrogate", "a,\xed\xa0\x80\n", "F621");
        row("four bytes", "a,\xf0\x9f\x90\x88\n", "a|\xf0\x9f\x90\x88");
    }
    void smallTexts() {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        test::Scratch scratch;
        VERIFY_OK(replaceFile(scratch / "x.csv", text.toStdString()));
        const auto table = readAll(scratch / "x.csv");
        if (!table.ok()) {
            QCOMPARE(QString::fromStdString(table.error().code), expected);
            return;
        }
        std::string joined;
        for (const auto& fields : *table) {
            if (&fields != &table->front()) joined += "/";
            for (std::size_t i = 0; i < fields.size(); ++i) joined += (i > 0 ? "|" : "") + fields[i];
        }
        QCOMPARE(QString::fromStdString(joined), expected);
    }
    // Pieces of the file end anywhere: a table longer than a piece is the same as one read at once.
    void longTables() {
        test::Scratch scratch;
        std::string text =
            "\xef\xbb\xbf"
            "n,word\n";
        for (int i = 0; i < 60000; ++i) text += std::to_string(i) + ",\"w\xc3\xa4\"\"" + std::to_string(i % 7) + "\"\r\n";
        VERIFY_OK(replaceFile(scratch / "x.csv", text));
        const auto table = readAll(scratch / "x.csv");
        VERIFY_OK(table);
        QCOMPARE(table->size(), std::size_t(60001));
        for (int i = 0; i < 60000; ++i) {
            QCOMPARE((*table)[i + 1][0], std::to_string(i));
            QCOMPARE((*table)[i + 1][1], "w\xc3\xa4\"" + std::to_string(i % 7));
        }
    }
    void tooLongRowsAndTooManyColumns() {
        test::Scratch scratch;
        VERIFY_OK(replaceFile(scratch / "x.csv", "a,\"" + std::string(kCsvMostLine + 10, 'x')));
        VERIFY_ERROR(readAll(scratch / "x.csv"), "F621");
        VERIFY_OK(replaceFile(scratch / "x.csv", std::string(kCsvMostColumns + 1, ',') + "\n"));
        VERIFY_ERROR(readAll(scratch / "x.csv"), "F621");
    }
    void whatIsANumber() {
        for (const char* text : {"1", "-2.5", "1e-3", " 7 ", "+4", "\t0.5"}) QVERIFY2(isCsvNumber(text), text);
        for (const char* text : {"", " ", "4x", "NA", "nan", "inf", "1,5", "0x10", "--1"}) QVERIFY2(!isCsvNumber(text), text);
    }

private:
    static void numbers(const std::filesystem::path& file, const nlohmann::json& one) {
        bool first = true;
        const auto done = readCsv(file, [&](const CsvRow& row) -> Result<void> {
            if (std::exchange(first, false)) return {};
            for (std::size_t column = 0; column < row.fields.size(); ++column) {
                const auto number = csvNumber(file, row, column);
                if (!number.ok()) return number.error();
            }
            return {};
        });
        QVERIFY(!done.ok());
        test::compareError(done.error(), one);
        QVERIFY(done.error().message.find("column " + std::to_string(one["column"].get<int>())) != std::string::npos);
        QVERIFY(done.error().message.find(one["found"].get<std::string>()) != std::string::npos);
    }
};

LOCKSTEP_TEST(CsvTest)
#include "csv_test.moc"
