#include "program.h"

#include <support/test.h>

#include <command.h>

using namespace lockstep;
using test::Program;

class HelpTest : public QObject {
    Q_OBJECT
private slots:
    void everyCommandExplainsItselfWithAnExample() {
        Program program;
        const auto all = program.run({"--help"});
        QCOMPARE(all.code, 0);
        QCOMPARE(all.err, std::string());
        for (const auto& row : cli::commandTable()) {
            QVERIFY2(all.out.find("  " + std::string(row.name) + " ") != std::string::npos, row.name.data());
            const auto help = program.run({QString::fromStdString(std::string(row.name)), "--help"});
            QCOMPARE(help.code, 0);
            QVERIFY2(help.out.find("Examples:\n  lockstep " + std::string(row.name)) != std::string::npos, help.out.c_str());
            QVERIFY2(help.out.find(row.summary) != std::string::npos, help.out.c_str());
        }
    }
    void version() {
        Program program;
        const auto ended = program.run({"--version"});
        QCOMPARE(ended.code, 0);
        QVERIFY(ended.out.starts_with("lockstep 0."));
    }
    void commandsThatAreNotBuiltAreNotThere_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"compare", "bench", "hosts", "preflight", "clean", "export", "import", "tpu", "slurm", "k8s"})
            QTest::newRow(name) << name;
    }
    void commandsThatAreNotBuiltAreNotThere() {
        QFETCH(QString, name);
        Program program;
        QCOMPARE(program.run({name}).code, 2);
    }
    void completionKnowsEveryCommand() {
        Program program;
        for (const char* shell : {"bash", "zsh", "fish"}) {
            const auto ended = program.run({"completion", shell});
            QCOMPARE(ended.code, 0);
            for (const auto& row : cli::commandTable()) QVERIFY2(ended.out.find(row.name) != std::string::npos, row.name.data());
        }
        // A shell reads what it gets.
        QProcess bash;
        bash.start(
            "bash",
            {"-c", QString("source <('%1' completion bash) && COMP_WORDS=(lockstep comp) COMP_CWORD=1 && _lockstep && echo ${COMPREPLY[@]}")
                       .arg(test::programPath())});
        QVERIFY(bash.waitForFinished(20000));
        QVERIFY(bash.readAllStandardOutput().contains("completion"));
    }
};

LOCKSTEP_TEST(HelpTest)
#include "help_test.moc"
