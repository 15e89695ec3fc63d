// A project on a disk that can't be written: what is there can be read, what writes says so, with one code everywhere.
#include "program.h"

#include <support/read_only_mount.h>
#include <support/test.h>

#include <base/file.h>

using namespace lockstep;
using test::Ended;
using test::Program;

class ReadOnlyTest : public QObject {
    Q_OBJECT
private slots:
    void projectOnAReadOnlyDisk() {
        Program program;
        const auto source = program.folder() / "source", place = program.folder() / "project";
        std::filesystem::create_directories(place);
        const QString there = QString::fromStdString(source.string()), here = QString::fromStdString(place.string());
        QCOMPARE(program.run({"init", there}).code, 0);
        const QString spec = there + "/experiments/mnist.yaml";
        QCOMPARE(program.run({"run", spec, "--project", there, "-q", "training.steps=12"}, 90).code, 0);
        QCOMPARE(program.run({"run", spec, "--project", there, "--detach", "training.steps=1000000", "training.epochs=1000"}, 90).code, 0);
        QCOMPARE(program.run({"stop", "last", "--project", there}, 90).code, 0);
        const auto state = [&] { return program.run({"ls", "--json", "--project", there}).json()["runs"][0]["state"].get<std::string>(); };
        QTRY_COMPARE_WITH_TIMEOUT(state(), std::string("stopped"), 30000);
        const test::ReadOnlyMount mount(source, place);
        if (!mount.refusal().isEmpty()) QSKIP(qPrintable("no mount namespace here: " + mount.refusal()));
        const auto inside = [&](QStringList arguments) {
            const auto words = mount.around(QStringList{test::programPath()} + arguments + QStringList{"--project", here});
            QProcess process;
            process.setProcessEnvironment(program.environment());
            process.setWorkingDirectory(QString::fromStdString(program.folder().string()));
            process.start(words.front(), words.mid(1));
            return program.finish(process, 60);
        };
        const auto listed = inside({"ls", "--json"});
        QCOMPARE(listed.code, 0);
        QCOMPARE(listed.json()["runs"].size(), std::size_t{2});
        QCOMPARE(listed.json()["runs"][0]["state"].get<std::string>(), std::string("stopped"));
        QCOMPARE(listed.json()["runs"][1]["state"].get<std::string>(), std::string("completed"));
        const auto completed = QString::fromStdString(listed.json()["runs"][1]["run"].get<std::string>());
        QCOMPARE(QString::fromStdString(inside({"metrics", completed, "--series", "loss"}).out).count('\n'), 12);
        for (const QStringList& arguments : {QStringList{"run", spec, "--json"},
                                             {"run", spec, "--detach", "--json"},
                                             {"resume", "last", "--json"},
                                             {"resume", "last", "--detach", "--json"}}) {
            const Ended ended = inside(arguments);
            const auto words = arguments.join(' ').toStdString() + ": " + ended.out + ended.err;
            QVERIFY2(ended.code == 1, words.c_str());
            const auto error = ended.json()["error"];
            QVERIFY2(error.is_object() && error["code"] == "F604", words.c_str());
            QVERIFY2(error["message"].get<std::string>().find("Read-only file system") != std::string::npos, words.c_str());
            QVERIFY(!error["next"].get<std::string>().empty());
        }
        QCOMPARE(inside({"resume", completed, "--json"}).json()["error"]["code"].get<std::string>(), std::string("R533"));
        const auto doctor = inside({"doctor", "--json"});
        QCOMPARE(doctor.code, 4);
        QCOMPARE(doctor.json()["verdict"].get<std::string>(), std::string("fail"));
        QCOMPARE(inside({"ls", "--json"}).json(), listed.json());
    }
};

LOCKSTEP_TEST(ReadOnlyTest)
#include "read_only_test.moc"
