// What people get wrong: a code, a sentence, the next step, the exit code; nothing left behind.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

using namespace lockstep;
using test::Program;

namespace {
const QString kHead = "schema: 1\nname: x\nstrategy: MirroredStrategy\n";
const QString kTwo = "cluster: {hosts: [{name: here, address: localhost, devices: ['cpu:0', 'cpu:1']}], oversubscribe: true}\n";
}  // namespace

class BadInputTest : public QObject {
    Q_OBJECT
private slots:
    void specifications_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("exit");
        QTest::newRow("unknown key") << kHead + "training: {epoch: 3}\n"
                                     << "S302" << 3;
        QTest::newRow("wrong type") << kHead + "training: {epochs: many}\n"
                                    << "S303" << 3;
        QTest::newRow("not built yet") << kHead + "distribution: {sync_every: 4}\n"
                                       << "X009" << 9;
        QTest::newRow("small batch") << kHead + kTwo + "training: {global_batch_size: 1}\n"
                                     << "S310" << 3;
        QTest::newRow("no such device") << kHead + "cluster: {hosts: [{name: here, address: localhost, devices: ['gpu:0']}]}\n"
                                        << "D205" << 9;
        QTest::newRow("aliases") << QString("schema: 1\nname: &a x\nnote: *a\n") << "S309" << 3;
        QTest::newRow("deep") << kHead + "tags: " + QString("[").repeated(100) + QString("]").repeated(100) + "\n"
                              << "S309" << 3;
        QTest::newRow("no yaml") << QString("schema: 1\nname: [x\n") << "S301" << 3;
    }
    void specifications() {
        QFETCH(QString, text);
        QFETCH(QString, code);
        QFETCH(int, exit);
        Program program;
        QVERIFY(replaceFile(program.folder() / "bad.yaml", text.toStdString()).ok());
        for (const char* command : {"run", "plan"}) {
            const auto ended = program.run({command, "bad.yaml"});
            QVERIFY2(ended.err.starts_with("error " + code.toStdString() + ": "), (ended.out + ended.err).c_str());
            QCOMPARE(ended.code, exit);
            QCOMPARE(ended.out, std::string());
        }
        const auto json = program.run({"run", "bad.yaml", "--json"});
        QCOMPARE(json.code, exit);
        QCOMPARE(json.json()["error"]["code"].get<std::string>(), code.toStdString());
        const auto detached = program.run({"run", "bad.yaml", "--detach", "--json"});
        QCOMPARE(detached.code, exit);
        QCOMPARE(detached.json()["error"]["code"].get<std::string>(), code.toStdString());
        QVERIFY(!std::filesystem::exists(program.folder() / "runs") || std::filesystem::is_empty(program.folder() / "runs"));
    }
    void filesAndRunsThatAreNotThere() {
        Program program;
        QCOMPARE(program.run({"run", "none.yaml"}).code, 3);
        // Where there are no runs yet, a list of them is no help.
        for (const char* command : {"status", "metrics", "logs", "resume"}) {
            const auto ended = program.run({command, "last"});
            QCOMPARE(ended.code, 2);
            QVERIFY2(ended.err.find("lockstep run SPEC") != std::string::npos, ended.err.c_str());
        }
        QCOMPARE(program.run({"ls", "--project", "nowhere"}).code, 1);
        QCOMPARE(program.run({"run", "x.yaml", "no-equals"}).code, 2);
    }
    void tfConfigs_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::newRow("no json") << "{\"cluster\":"
                                 << "T303";
        QTest::newRow("no task") << "{\"cluster\":{\"worker\":[\"a:1\",\"b:2\"]}}"
                                 << "T310";
        QTest::newRow("index past the end") << "{\"cluster\":{\"worker\":[\"a:1\",\"b:2\"]},\"task\":{\"type\":\"worker\",\"index\":2}}"
                                            << "T307";
        QTest::newRow("negative index") << "{\"cluster\":{\"worker\":[\"a:1\",\"b:2\"]},\"task\":{\"type\":\"worker\",\"index\":-1}}"
                                        << "T307";
        QTest::newRow("one address twice") << "{\"cluster\":{\"worker\":[\"a:1\",\"a:1\"]},\"task\":{\"type\":\"worker\",\"index\":0}}"
                                           << "T301";
        QTest::newRow("misspelt key") << "{\"clustr\":{\"worker\":[\"a:1\",\"b:1\"]},\"task\":{\"type\":\"worker\",\"index\":0}}"
                                      << "T309";
    }
    void tfConfigs() {
        QFETCH(QString, text);
        QFETCH(QString, code);
        Program program;
        program.setEnvironment("TF_CONFIG", text);
        const auto ended = program.run({"tfconfig", "check", "--json"});
        QCOMPARE(ended.code, 3);
        const auto report = ended.json();
        QCOMPARE(report["verdict"].get<std::string>(), std::string("error"));
        bool found = false;
        for (const auto& finding : report["findings"]) found = found || finding["code"] == code.toStdString();
        QVERIFY2(found, ended.out.c_str());
    }
    void answersThatAlwaysParse() {
        Program program;
        QCOMPARE(program.run({"init", "p", "--json"}).json()["created"].get<bool>(), true);
        QCOMPARE(program.run({"init", "p", "--json"}).json()["created"].get<bool>(), false);
        for (const QStringList& command : {QStringList{"doctor", "--json"},
                                           {"devices", "--json"},
                                           {"ls", "--json", "--project", "p"},
                                           {"status", "--json", "--project", "p"},
                                           {"validate", "p/experiments/mnist.yaml", "--json"},
                                           {"plan", "p/experiments/mnist.yaml", "--json"},
                                           {"run", "p/experiments/mnist.yaml", "--dry-run", "--json"}}) {
            const auto ended = program.run(command);
            QVERIFY2(ended.json().is_object(), (command.join(' ').toStdString() + ": " + ended.out + ended.err).c_str());
            QVERIFY(ended.out.find('\033') == std::string::npos && ended.err.find('\033') == std::string::npos);
        }
    }
};

LOCKSTEP_TEST(BadInputTest)
#include "bad_input_test.moc"
