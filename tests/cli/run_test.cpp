// Whole runs through the real program.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <QDeadlineTimer>

#include <cmath>
#include <csignal>

using namespace lockstep;
using test::Json;
using test::Program;

namespace {

constexpr const char* kTiny =
    "schema: 1\nname: tiny\nstrategy: MirroredStrategy\n"
    "cluster: {hosts: [{name: here, address: localhost, devices: ['cpu:0', 'cpu:1']}], oversubscribe: true}\n"
    "model: {preset: mlp}\ndata: {dataset: mnist}\n"
    "training: {global_batch_size: 32, epochs: 100, steps: 12, optimizer: {name: sgd, learning_rate: 0.01}}\n";

std::vector<Json> linesOf(const std::string& text) {
    std::vector<Json> objects;
    for (const auto& line : QString::fromStdString(text).split('\n', Qt::SkipEmptyParts))
        objects.push_back(Json::parse(line.toStdString(), nullptr, false));
    return objects;
}

}  // namespace

class RunTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_program = std::make_unique<Program>();
        QVERIFY(replaceFile(m_program->folder() / "tiny.yaml", kTiny).ok());
    }
    void cleanup() { m_program.reset(); }

    void fromSpecificationToCurvesAndAway() {
        const auto run = m_program->run({"run", "tiny.yaml", "--json"}, 90);
        QVERIFY2(run.code == 0, (run.out + run.err).c_str());
        QVERIFY(run.err.find('\033') == std::string::npos);
        const auto result = run.json();
        QVERIFY2(result.is_object(), run.out.c_str());
        for (const char* key : {"schema", "run", "state", "strategy", "ranks", "steps", "epochs", "loss", "accuracy", "val_loss",
                                "val_accuracy", "samples_per_second", "step_seconds", "seconds", "folder"})
            QVERIFY2(result.contains(key), key);
        QCOMPARE(result["state"].get<std::string>(), std::string("completed"));
        QCOMPARE(result["steps"].get<int>(), 12);
        QCOMPARE(result["ranks"].get<int>(), 2);
        // Of the whole run, not of one rank: the sum over the ranks of rows by time.
        double whole = 0;
        for (const char* rank : {"0", "1"}) {
            const auto rates =
                linesOf(m_program->run({"metrics", "last", "--series", "samples_per_second", "--rank", rank, "--json=lines"}).out);
            double secondsPerRow = 0;
            for (const auto& rate : rates) secondsPerRow += 1 / rate["value"].get<double>();
            QVERIFY(!rates.empty());
            whole += static_cast<double>(rates.size()) / secondsPerRow;
        }
        QVERIFY(std::abs(result["samples_per_second"].get<double>() / whole - 1) < 1e-9);

        const auto status = m_program->run({"status", "last", "--json"}).json();
        QCOMPARE(status["runs"].size(), std::size_t{1});
        QCOMPARE(status["runs"][0]["run"], result["run"]);
        QCOMPARE(status["runs"][0]["steps"].get<int>(), 12);
        QCOMPARE(status["runs"][0]["ranks"].size(), std::size_t{2});
        for (const char* key : {"rank", "host", "device", "pid", "state", "step"})
            QVERIFY2(status["runs"][0]["ranks"][1].contains(key), key);
        int evaluations = 0;
        for (const auto& event : status["runs"][0]["events"]) {
            if (!event["text"].get<std::string>().ends_with(": evaluation")) continue;
            QCOMPARE(event["step"].get<int>(), 12);
            ++evaluations;
        }
        QCOMPARE(evaluations, 2);

        const auto metrics = m_program->run({"metrics", "last", "--series", "loss", "--json=lines"});
        const auto points = linesOf(metrics.out);
        QCOMPARE(points.size(), std::size_t{12});
        for (const char* key : {"series", "rank", "step", "time", "value"}) QVERIFY2(points[0].contains(key), key);
        QCOMPARE(points[11]["step"].get<int>(), 12);
        QCOMPARE(m_program->run({"metrics", "last", "--series", "nonsense"}).code, 1);
        const auto ofNobody = m_program->run({"metrics", "last", "--rank", "7"});
        QCOMPARE(ofNobody.code, 1);
        QVERIFY(ofNobody.err.find("R570") != std::string::npos);
        QVERIFY(m_program->run({"metrics", "last", "--series", "loss", "--rank", "7"}).err.find("R570") != std::string::npos);
        const auto ofOne = m_program->run({"metrics", "last", "--rank", "1", "--json=lines"});
        for (const auto& line : linesOf(ofOne.out)) QCOMPARE(line["rank"].get<int>(), 1);

        QVERIFY(m_program->run({"ls"}).out.find("completed") != std::string::npos);
        QCOMPARE(m_program->run({"ls", "--json"}).json()["runs"].size(), std::size_t{1});
        QVERIFY(m_program->run({"logs", "last", "--json"}).json()["lines"].is_array());
        QCOMPARE(m_program->run({"stop", "last"}).code, 0);
        QVERIFY(m_program->run({"resume", "last"}).code != 0);

        QCOMPARE(m_program->run({"rm", "last"}).code, 1);
        QCOMPARE(m_program->run({"rm", "last", "--force", "--json"}).code, 0);
        QVERIFY(!std::filesystem::exists(result["folder"].get<std::string>()));
    }
    // Without its store nobody knows how far a run has got: a new, empty one would say that it never was.
    void storeTakenAway() {
        QCOMPARE(m_program->run({"run", "tiny.yaml", "-q"}, 90).code, 0);
        const auto run = m_program->run({"ls", "--json"}).json()["runs"][0]["run"].get<std::string>();
        const auto folder = m_program->folder() / "runs" / run;
        std::filesystem::rename(folder / "run.db", m_program->folder() / "aside");
        for (const QStringList& how : {QStringList{"resume", "last", "--json"}, {"resume", "last", "--detach", "--json"}}) {
            const auto ended = m_program->run(how, 60);
            QCOMPARE(ended.code, 3);
            QCOMPARE(ended.json()["error"]["code"].get<std::string>(), std::string("R543"));
            QVERIFY(!std::filesystem::exists(folder / "run.db"));
        }
        QVERIFY(!std::filesystem::is_empty(folder / "checkpoints"));
        std::filesystem::rename(m_program->folder() / "aside", folder / "run.db");
        QCOMPARE(m_program->run({"resume", "last", "--json"}).json()["error"]["code"].get<std::string>(), std::string("R533"));
        QCOMPARE(m_program->run({"metrics", "last", "--series", "loss"}).code, 0);
    }
    void storeThatIsNone() {
        const auto folder = m_program->folder() / "runs" / "20260101-000000-aaaa";
        std::filesystem::create_directories(folder);
        VERIFY_OK(replaceFile(folder / "run.db", "no database"));
        const auto listed = m_program->run({"ls"});
        QVERIFY2(listed.out.find(" unreadable ") != std::string::npos, listed.out.c_str());
        QVERIFY(listed.out.find("lost") == std::string::npos);
        QVERIFY2(listed.err.find("F609") != std::string::npos && listed.err.find("lockstep rm 20260101-000000-aaaa") != std::string::npos,
                 listed.err.c_str());
        QCOMPARE(m_program->run({"ls", "--json"}).json()["runs"][0]["state"].get<std::string>(), std::string("unreadable"));
        QCOMPARE(m_program->run({"ls", "--json", "--state", "unreadable"}).json()["runs"].size(), std::size_t{1});
        QCOMPARE(m_program->run({"ls", "--json", "--state", "lost"}).json()["runs"].size(), std::size_t{0});
        QCOMPARE(m_program->run({"rm", "20260101-000000-aaaa", "--force"}).code, 0);
    }
    void detachStopResume() {
        const auto start = m_program->run({"run", "tiny.yaml", "--detach", "--json", "training.steps=1000000"}, 90);
        QVERIFY2(start.code == 0, (start.out + start.err).c_str());
        const auto id = QString::fromStdString(start.json()["run"].get<std::string>());
        QCOMPARE(start.json()["state"].get<std::string>(), std::string("running"));
        QCOMPARE(m_program->run({"status", id, "--json"}).json()["runs"][0]["state"].get<std::string>(), std::string("running"));
        QCOMPARE(m_program->run({"rm", id, "--force"}).code, 1);
        const auto stop = m_program->run({"stop", id, "--json"}, 90);
        QVERIFY2(stop.code == 0, (stop.out + stop.err).c_str());
        QCOMPARE(stop.json()["state"].get<std::string>(), std::string("stopped"));
        const auto step = stop.json()["step"].get<std::uint64_t>();
        QVERIFY(step > 0);

        const auto resume = m_program->run({"resume", id, "--detach", "--json"}, 90);
        QVERIFY2(resume.code == 0, (resume.out + resume.err).c_str());
        QCOMPARE(m_program->run({"stop", id, "--kill"}, 90).code, 0);
        QCOMPARE(m_program->run({"rm", id, "--force"}).code, 0);
    }
    void firstInterruptStopsWithACheckpoint() {
        const auto process = m_program->start({"run", "tiny.yaml", "--json=lines", "training.steps=1000000"});
        QByteArray seen;
        const QDeadlineTimer deadline(60000);
        while (!seen.contains("\"progress\"") && !deadline.hasExpired() && process->state() == QProcess::Running)
            if (process->waitForReadyRead(1000)) seen += process->readAllStandardOutput();
        QVERIFY2(seen.contains("\"progress\""), seen.constData());
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        const auto ended = m_program->finish(*process, 60);
        QCOMPARE(ended.code, 130);
        QVERIFY2(ended.err.find("checkpoint") != std::string::npos, ended.err.c_str());
        for (const auto& line : linesOf(ended.out)) QVERIFY(line.is_object() && line["schema"] == 1);
        QCOMPARE(m_program->run({"status", "last", "--json"}).json()["runs"][0]["state"].get<std::string>(), std::string("stopped"));
    }
    void folderTakenAway() {
        const auto start = m_program->start({"run", "tiny.yaml", "--json", "-q", "training.steps=1000000"});
        const auto runs = m_program->folder() / "runs";
        const QDeadlineTimer deadline(60000);
        while (m_program->run({"status", "last", "--json"}).json()["runs"][0]["state"] != "running" && !deadline.hasExpired())
            QTest::qWait(50);
        std::filesystem::remove_all(runs);
        const auto ended = m_program->finish(*start, 60);
        QCOMPARE(ended.code, 6);
        QCOMPARE(ended.json()["error"]["code"].get<std::string>(), std::string("R542"));
        QVERIFY(!std::filesystem::exists(runs));
    }
    void dataThatIsCutOff() {
        const auto from = test::sourceDir() / "resources/data/mnist";
        std::filesystem::create_directories(m_program->folder() / "cut");
        for (const auto& entry : std::filesystem::directory_iterator(from))
            if (entry.path().extension() == ".gz")
                std::filesystem::copy_file(entry.path(), m_program->folder() / "cut" / entry.path().filename());
        std::filesystem::resize_file(m_program->folder() / "cut/train-images-idx3-ubyte.gz", 100000);
        const auto ended = m_program->run({"run", "tiny.yaml", "--json", "data.dataset=idx", "data.path=cut"}, 90);
        QCOMPARE(ended.code, 3);
        const auto result = ended.json();
        QVERIFY2(result.is_object(), ended.out.c_str());
        QCOMPARE(result["state"].get<std::string>(), std::string("failed"));
        QCOMPARE(result["error"]["code"].get<std::string>(), std::string("F601"));
        QCOMPARE(result["error"]["exit"].get<int>(), 3);
        QCOMPARE(m_program->run({"status", "last", "--json"}).json()["runs"][0]["state"].get<std::string>(), std::string("failed"));
    }
    void twoRunsAtOnce() {
        const auto first = m_program->start({"run", "tiny.yaml", "--json", "-q"});
        const auto second = m_program->start({"run", "tiny.yaml", "--json", "-q"});
        const auto a = m_program->finish(*first, 120), b = m_program->finish(*second, 120);
        QVERIFY2(a.code == 0, (a.out + a.err).c_str());
        QVERIFY2(b.code == 0, (b.out + b.err).c_str());
        QCOMPARE(m_program->run({"ls", "--json"}).json()["runs"].size(), std::size_t{2});
    }

private:
    std::unique_ptr<Program> m_program;
};

LOCKSTEP_TEST(RunTest)
#include "run_test.moc"
