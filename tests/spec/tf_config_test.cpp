#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <spec/tf_config.h>

#include <nlohmann/json.hpp>

#include <set>

using namespace lockstep;
using namespace lockstep::spec;

namespace {

const char* const kTwo = R"({"cluster":{"worker":["localhost:12345","localhost:12346"]},"task":{"type":"worker","index":1}})";

std::set<std::string> codesOf(const CheckReport& report) {
    std::set<std::string> codes;
    for (const Finding& finding : report.findings) codes.insert(finding.code);
    return codes;
}

CheckReport checkOne(const std::string& text) {
    CheckContext context;
    context.partial = true;
    return checkTfConfigs({TaskConfig{"h1", text}}, context);
}

}  // namespace

class TfConfigTest : public QObject {
    Q_OBJECT
private slots:
    void recordedCases_data() {
        QTest::addColumn<QByteArray>("text");
        auto file = readFile(test::sourceDir() / "tests/fixtures/tf_config/cases.json");
        VERIFY_OK(file);
        const auto root = nlohmann::json::parse(*file);
        for (const auto& one : root.at("cases")) {
            QTest::newRow(one.at("id").get<std::string>().c_str()) << QByteArray::fromStdString(one.dump());
        }
    }

    void recordedCases() {
        QFETCH(QByteArray, text);
        const auto root = nlohmann::json::parse(text.toStdString());
        auto parsed = parseCheckCase(text.toStdString());
        VERIFY_OK(parsed);
        const CheckReport report = checkTfConfigs(parsed->configs, parsed->context);
        const auto& expect = root.at("expect");
        std::string all;
        for (const Finding& finding : report.findings) all += finding.code + " " + finding.message + "\n";
        const std::set<std::string> codes = codesOf(report);
        std::set<std::string> allowed;
        for (const auto& code : expect.at("codes")) {
            allowed.insert(code.get<std::string>());
            QVERIFY2(codes.contains(code.get<std::string>()), ("missing " + code.get<std::string>() + "; got\n" + all).c_str());
        }
        if (expect.contains("may")) {
            for (const auto& code : expect.at("may")) allowed.insert(code.get<std::string>());
        }
        for (const std::string& code : codes) QVERIFY2(allowed.contains(code), ("not expected: " + all).c_str());
        QCOMPARE(QString::fromUtf8(nameOf(report.verdict).data()), QString::fromStdString(expect.at("verdict").get<std::string>()));
        if (expect.contains("position")) {
            QCOMPARE(report.findings.at(0).task, expect.at("position").at("task").get<int>());
            QCOMPARE(report.findings.at(0).line, expect.at("position").at("line").get<int>());
            QCOMPARE(report.findings.at(0).column, expect.at("position").at("column").get<int>());
        }
        for (const Finding& finding : report.findings) {
            QVERIFY2(finding.message.find('{') == std::string::npos || finding.message.find("{\"") != std::string::npos,
                     finding.message.c_str());
            QVERIFY(!finding.next.empty());
        }
    }

    void parsePrintRoundTrip() {
        auto config = parseTfConfig(kTwo);
        VERIFY_OK(config);
        QCOMPARE(config->task->index, 1);
        QCOMPARE(config->cluster.find("worker")->tasks.size(), std::size_t(2));
        QCOMPARE(printTfConfig(config->cluster, *config->task), std::string(kTwo));
    }

    void sparseRoundTrip() {
        const std::string text = R"({"cluster":{"worker":{"0":"a:1","1":"b:2"}},"task":{"type":"worker","index":0}})";
        auto config = parseTfConfig(text);
        VERIFY_OK(config);
        QVERIFY(config->cluster.jobs[0].sparse);
        QCOMPARE(printTfConfig(config->cluster, *config->task), text);
    }

    void errorsOfOneText_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        const auto row = [](const char* name, const char* text, const char* code, int line, int column) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString(code) << line << column;
        };
        row("empty", "", "T303", 1, 1);
        row("cut off", "{\"cluster\": {\"worker\": [\"a:1\"", "T303", 1, 30);
        row("after a character of two bytes", "{\"ä\": x}", "T303", 1, 7);
        row("second line", "{\n \"cluster\" 5}", "T303", 2, 12);
        row("two objects", "{} {}", "T303", 1, 4);
        row("deep", "[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]", "T303", 1, 18);
        row("array", "[1]", "T325", 1, 1);
        row("cluster is a list", R"({"cluster": ["a:1"], "task": {"type": "worker", "index": 0}})", "T325", 1, 13);
        row("job is a text", R"({"cluster": {"worker": "a:1"}, "task": {"type": "worker", "index": 0}})", "T325", 1, 24);
        row("address is a number", R"({"cluster": {"worker": [5]}, "task": {"type": "worker", "index": 0}})", "T325", 1, 25);
        row("index is a fraction", R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0.5}})", "T325", 1, 70);
        row("index is a word", R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": "x"}})", "T325", 1, 70);
        row("misspelt cluster", R"({"clutser": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})", "T309", 1, 2);
        row("misspelt index", R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "indx": 0}})", "T309", 1, 61);
        row("no task", R"({"cluster": {"worker": ["a:1"]}})", "T310", 1, 2);
        row("no index", R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker"}})", "T310", 1, 34);
        row("index past the end", R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}})", "T307", 1, 70);
        row("negative index", R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": -1}})", "T307", 1, 70);
        row("same address", R"({"cluster": {"worker": ["a:1", "a:1"]}, "task": {"type": "worker", "index": 0}})", "T301", 1, 32);
        row("same loopback", R"({"cluster": {"worker": ["localhost:1", "127.0.0.1:1"]}, "task": {"type": "worker", "index": 0}})", "T301",
            1, 40);
        row("loopback and another host", R"({"cluster": {"worker": ["localhost:1", "b:1"]}, "task": {"type": "worker", "index": 1}})",
            "T302", 1, 25);
        row("port 65536", R"({"cluster": {"worker": ["a:65536"]}, "task": {"type": "worker", "index": 0}})", "T315", 1, 25);
        row("v6 without brackets", R"({"cluster": {"worker": ["::1:22"]}, "task": {"type": "worker", "index": 0}})", "T316", 1, 25);
        row("given twice",
            R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}, "task": {"type": "worker", "index": 0}})", "T324",
            1, 74);
        row("unlisted evaluator", R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})", "T328", 1, 34);
    }

    void errorsOfOneText() {
        QFETCH(QString, text);
        QFETCH(QString, code);
        QFETCH(int, line);
        QFETCH(int, column);
        const CheckReport report = checkOne(text.toStdString());
        QVERIFY(report.verdict == Severity::Error);
        QCOMPARE(QString::fromStdString(report.findings[0].code), code);
        QCOMPARE(report.findings[0].line, line);
        QCOMPARE(report.findings[0].column, column);
        auto parsed = parseTfConfig(text.toStdString());
        QVERIFY(!parsed.ok());
        QCOMPARE(QString::fromStdString(parsed.error().code), code);
        QCOMPARE(parsed.error().exitCode, 3);
    }

    void misspeltClusterIsNamed() {
        const CheckReport report = checkOne(R"({"clusters": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})");
        QVERIFY(report.findings[0].message.find("did you mean \"cluster\"") != std::string::npos);
        QVERIFY(report.findings[0].message.find("trains alone") != std::string::npos);
    }

    void ipv6AddressIsGood() {
        VERIFY_OK(parseTfConfig(R"({"cluster": {"worker": ["[2001:db8::1]:2222"]}, "task": {"type": "worker", "index": 0}})"));
    }

    void unknownFarKeyOnlyWarns() {
        const CheckReport report =
            checkOne(R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}, "model_dir": "x"})");
        QVERIFY(report.verdict == Severity::Warn);
    }

    void newKerasIsRefused() {
        CheckContext context;
        context.partial = true;
        context.kerasVersion = "3.12.0";
        QVERIFY(codesOf(checkTfConfigs({TaskConfig{"h1", std::string(kTwo)}}, context)).contains("T304"));
        context.kerasVersion = "2.15.0";
        QVERIFY(checkTfConfigs({TaskConfig{"h1", std::string(kTwo)}}, context).findings.empty());
    }

    void absentTaskIsNamed() {
        const CheckReport report = checkTfConfigs({TaskConfig{"h1", std::string(kTwo)}}, CheckContext{});
        QCOMPARE(codesOf(report), std::set<std::string>{"T326"});
        QVERIFY(report.findings[0].message.find("worker 0") != std::string::npos);
    }

    void clusterAlone() {
        auto bare = parseCluster(R"({"worker": ["a:1", "b:2"]})");
        VERIFY_OK(bare);
        QCOMPARE(bare->jobs[0].tasks[1].second, std::string("b:2"));
        auto whole = parseCluster(kTwo);
        VERIFY_OK(whole);
        VERIFY_ERROR(parseCluster("{}"), "T325");
        auto wrong = parseCluster(R"({"worker": ["a"]})");
        VERIFY_ERROR(wrong, "T315");
        QVERIFY(wrong.error().trail[0].find("column 13") != std::string::npos);
    }

    void mutatedTextsNeverCrash() {
        std::uint64_t state = 7;
        const auto next = [&state] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; };
        const std::string seed =
            R"({"cluster": {"chief": ["h\u00e41:1"], "worker": {"0": "a:1", "1": "b:2"}}, "task": {"type": "worker", "index": "1"}, "rpc_layer": "grpc"})";
        int good = 0;
        for (int i = 0; i < 5000; ++i) {
            std::string text = seed;
            for (std::uint64_t edits = next() % 4 + 1; edits > 0; --edits) {
                const std::size_t at = next() % text.size();
                switch (next() % 3) {
                    case 0: text[at] = static_cast<char>(next()); break;
                    case 1: text.erase(at, next() % 5 + 1); break;
                    default: text.insert(at, 1, "{}[]\",:0-\\u"[next() % 11]); break;
                }
                if (text.empty()) text = "{";
            }
            const CheckReport report = checkTfConfigs({TaskConfig{"a", text}, TaskConfig{"b", seed}}, CheckContext{});
            good += report.verdict == Severity::Error ? 0 : 1;
            for (const Finding& finding : report.findings) QVERIFY(finding.code != "X000");
        }
        QVERIFY(good < 5000);
    }
};

LOCKSTEP_TEST(TfConfigTest)
#include "tf_config_test.moc"
