#include "program.h"

#include <support/test.h>

using namespace lockstep;
using test::Program;

class UsageTest : public QObject {
    Q_OBJECT
private slots:
    void badCommandLines_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        QTest::newRow("nothing") << QStringList{} << "command is required";
        QTest::newRow("misspelt command") << QStringList{"complition"} << "nearest one is \"completion\"";
        QTest::newRow("unknown option") << QStringList{"completion", "bash", "--wat"} << "--wat";
        QTest::newRow("missing argument") << QStringList{"completion"} << "SHELL";
        QTest::newRow("bad json mode") << QStringList{"--json=xml", "completion", "bash"} << "--json=lines";
    }
    void badCommandLines() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        Program program;
        const auto text = program.run(arguments);
        QCOMPARE(text.code, 2);
        QCOMPARE(text.out, std::string());
        QVERIFY2(text.err.starts_with("error X002: "), text.err.c_str());
        QVERIFY2(QString::fromStdString(text.err).contains(says), text.err.c_str());
        QVERIFY(text.err.find("next: ") != std::string::npos);

        const auto json = program.run(QStringList{"--json"} + arguments);
        QCOMPARE(json.code, 2);
        QCOMPARE(json.err, std::string());
        const auto object = json.json();
        QVERIFY2(object.is_object(), json.out.c_str());
        for (const char* key : {"code", "message", "cause", "next", "exit"}) QVERIFY(object["error"].contains(key));
        QCOMPARE(object["error"]["exit"].get<int>(), 2);
    }
    void coloursOnlyOnATerminalThatWantsThem() {
        Program program;
        program.setEnvironment("TERM", "xterm");
        QVERIFY(program.run({"nonsense"}).err.find('\033') == std::string::npos);
        QVERIFY(program.runOnTerminal({"nonsense"}).out.find("\033[31m") != std::string::npos);
        QVERIFY(program.runOnTerminal({"--no-color", "completion", "tcsh"}).out.find('\033') == std::string::npos);
        program.setEnvironment("NO_COLOR", "1");
        QVERIFY(program.runOnTerminal({"nonsense"}).out.find('\033') == std::string::npos);
        program.setEnvironment("NO_COLOR", "");
        program.setEnvironment("TERM", "dumb");
        QVERIFY(program.runOnTerminal({"nonsense"}).out.find('\033') == std::string::npos);
    }
};

LOCKSTEP_TEST(UsageTest)
#include "usage_test.moc"
