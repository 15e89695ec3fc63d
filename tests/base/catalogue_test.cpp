#include <support/test.h>

#include <base/catalogue.h>
#include <base/error.h>

#include <algorithm>
#include <cctype>
#include <set>

using namespace lockstep;

class CatalogueTest : public QObject {
    Q_OBJECT
private slots:
    void everyRowIsWhole() {
        std::set<std::string_view> codes;
        for (const auto& row : catalogueRows()) {
            const std::string code(row.code);
            QVERIFY2(code.size() == 4 && std::isupper(static_cast<unsigned char>(code[0])), code.c_str());
            QVERIFY2(codes.insert(row.code).second, code.c_str());
            QVERIFY2(row.sentence.ends_with('.') || row.sentence.ends_with('}'), code.c_str());
            QVERIFY2(!row.next.empty(), code.c_str());
            const std::set<int> exits = {1, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143};
            QVERIFY2(exits.contains(row.exitCode), code.c_str());
        }
    }
    void bracesHoldPlaceholdersOnly() {
        // Anything else in braces would vanish from the text.
        for (const auto& row : catalogueRows())
            for (const auto text : {row.sentence, row.cause, row.next})
                for (auto at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
                    const auto name = text.substr(at + 1, text.find('}', at) - at - 1);
                    const bool word = !name.empty() && std::ranges::all_of(name, [](char c) {
                        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
                    });
                    QVERIFY2(word, std::string(row.code).c_str());
                }
    }
    void placeholdersAreFilled() {
        const Error error = makeError("R502", {{"rank", "1"}, {"how", "SIGKILL"}, {"step", "7"}, {"run", "20260101-000000-abcd"}});
        QCOMPARE(error.message, std::string("Rank 1 ended with SIGKILL at step 7."));
        QCOMPARE(error.exitCode, 6);
        QVERIFY(error.next.find('{') == std::string::npos);
    }
    void unknownCodeIsSaid() { QCOMPARE(makeError("Z999").code, std::string("X000")); }
    void trailIsShown() {
        const auto text = withContext(makeError("X001", {{"what", "x"}}), "reading a file").toText();
        QVERIFY(text.find("while reading a file") != std::string::npos);
    }
};

LOCKSTEP_TEST(CatalogueTest)
#include "catalogue_test.moc"
