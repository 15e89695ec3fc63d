// Before/after pairs: every cases/*.txt names passes, a graph, and what must come out.
//
//   # what the case shows
//   passes: autodiff, bucket_gradients 64
//   %0 = …                     the graph before
//   ---
//   %0 = …                     the graph after, or one line `error CODE words…`
//
// LOCKSTEP_REGENERATE=1 writes the part after `---` anew; read the difference before keeping it.
#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <passes/passes.h>

#include <filesystem>
#include <sstream>

using namespace lockstep;
using namespace lockstep::passes;

namespace {

struct Case {
    std::string head;  // up to and with the passes line
    std::string passes;
    std::string before;
    std::string after;
};

std::filesystem::path folder() { return test::sourceDir() / "tests" / "passes" / "cases"; }

Case readCase(const std::filesystem::path& path) {
    const auto whole = readFile(path);
    if (!whole.ok()) return {};
    const std::string text(whole->begin(), whole->end());
    Case c;
    const auto line = text.find("passes: "), end = text.find('\n', line), rule = text.find("---\n", end);
    if (line == std::string::npos || rule == std::string::npos) return {};
    c.head = text.substr(0, end + 1);
    c.passes = text.substr(line + 8, end - line - 8);
    c.before = text.substr(end + 1, rule - end - 1);
    c.after = text.substr(rule + 4);
    return c;
}

Result<void> apply(const std::string& pass, const std::string& argument, Draft& draft) {
    if (pass == "autodiff") return autodiff(draft);
    if (pass == "bucket_gradients") return bucketGradients(draft, std::stoul(argument));
    if (pass == "gradient_norm") return gradientNorm(draft);
    if (pass == "updates") {
        nn::OptimizerOptions options;
        options.name = argument;
        options.momentum = argument == "sgd" ? 0.5 : 0.0;
        return updates(draft, options);
    }
    if (pass == "fuse") {
        LS_TRY_ASSIGN(draft.graph, fuse(draft.graph));
        return {};
    }
    return makeError("S412", {{"pass", pass}, {"known", "those of this test"}});
}

Result<std::string> outcome(const Case& c) {
    LS_TRY_ASSIGN(graph::Graph before, graph::parse(c.before));
    LS_TRY(verify(before));
    Draft draft{std::move(before), {}};
    std::istringstream list(c.passes);
    for (std::string item; std::getline(list >> std::ws, item, ',');) {
        const auto blank = item.find(' ');
        const auto done = apply(item.substr(0, blank), blank == std::string::npos ? "" : item.substr(blank + 1), draft);
        if (!done.ok()) return "error " + done.error().code + " " + done.error().message + "\n";
        LS_TRY(verify(draft.graph));
    }
    return print(draft.graph);
}

}  // namespace

class TextCasesTest : public QObject {
    Q_OBJECT
private slots:
    void caseFile_data() {
        QTest::addColumn<QString>("path");
        for (const auto& entry : std::filesystem::directory_iterator(folder())) {
            if (entry.path().extension() == ".txt") {
                QTest::newRow(entry.path().stem().c_str()) << QString::fromStdString(entry.path().string());
            }
        }
    }
    void caseFile() {
        QFETCH(QString, path);
        const Case c = readCase(path.toStdString());
        QVERIFY2(!c.passes.empty(), "no `passes:` line or no `---`");
        const auto after = outcome(c);
        VERIFY_OK(after);
        if (qEnvironmentVariableIsSet("LOCKSTEP_REGENERATE")) {
            VERIFY_OK(replaceFile(path.toStdString(), c.head + c.before + "---\n" + *after));
        } else {
            QCOMPARE(QString::fromStdString(*after), QString::fromStdString(c.after));
        }
    }
};

LOCKSTEP_TEST(TextCasesTest)
#include "text_cases_test.moc"
