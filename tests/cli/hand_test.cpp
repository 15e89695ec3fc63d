// Tasks started by hand with TF_CONFIG, through the real program.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <QDeadlineTimer>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <csignal>
#include <sstream>
#include <string>
#include <vector>

using namespace lockstep;
using test::Json;
using test::Program;

namespace {

constexpr const char* kTask =
    "schema: 1\nname: hand\nstrategy: MultiWorkerMirroredStrategy\n"
    "cluster: {oversubscribe: true}\nmodel: {preset: mlp}\ndata: {dataset: mnist}\n"
    "training: {global_batch_size: 32, steps: 1000000, epochs: 1000000, optimizer: {name: sgd, learning_rate: 0.01}}\n";

// Addresses of this computer that were free a moment ago.
QStringList freeAddresses(int count) {
    QStringList all;
    std::vector<Fd> held;
    for (int i = 0; i < count; ++i) {
        Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* any = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket.get(), any, size) != 0 || ::getsockname(socket.get(), any, &size) != 0) return {};
        all << QString("127.0.0.1:%1").arg(ntohs(address.sin_port));
        held.push_back(std::move(socket));
    }
    return all;
}

// What a process has written to stderr up to and with `word`; everything when it does not come.
QByteArray waitFor(QProcess& process, const char* word) {
    QByteArray seen;
    const QDeadlineTimer deadline(60000);
    process.setReadChannel(QProcess::StandardError);
    while (!seen.contains(word) && !deadline.hasExpired()) {
        seen += process.readAllStandardError();
        if (process.state() != QProcess::Running) break;
        process.waitForReadyRead(200);
    }
    return seen;
}

}  // namespace

class HandTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_program = std::make_unique<Program>();
        m_addresses = freeAddresses(2);
        QCOMPARE(m_addresses.size(), 2);
        QVERIFY(replaceFile(m_program->folder() / "hand.yaml", kTask).ok());
    }
    void cleanup() { m_program.reset(); }

    void oneInterruptEndsATaskThatWaits() {
        const auto task = startTask(0);
        QVERIFY(waitFor(*task, "waiting for the others").contains("waiting"));
        ::kill(static_cast<pid_t>(task->processId()), SIGINT);
        const auto ended = m_program->finish(*task, 20);
        QCOMPARE(ended.code, 130);
        QVERIFY2(ended.err.find("nothing is kept") != std::string::npos, ended.err.c_str());
        QVERIFY(!std::filesystem::exists(m_program->folder() / "runs"));
    }
    void aRunByHandIsSeenAndStopped() {
        const auto first = startTask(0), second = startTask(1);
        QVERIFY(waitFor(*first, "run 2").contains("run 2"));
        const auto run = whenTraining();
        QVERIFY2(run.is_object(), run.dump().c_str());
        QCOMPARE(run["steps"].get<std::uint64_t>(), std::uint64_t{1000000});
        QCOMPARE(run["ranks"].size(), std::size_t{2});
        QCOMPARE(run["ranks"][0]["pid"].get<qint64>(), first->processId());
        QCOMPARE(run["ranks"][1]["state"].get<std::string>(), std::string("running"));
        QCOMPARE(m_program->run({"rm", "last", "--force"}).code, 1);
        QCOMPARE(m_program->run({"resume", "last"}).code == 0, false);

        const auto stop = m_program->run({"stop", "last", "--json"}, 60);
        QVERIFY2(stop.code == 0, (stop.out + stop.err).c_str());
        const auto a = m_program->finish(*first, 60), b = m_program->finish(*second, 60);
        QCOMPARE(a.code, 130);
        QCOMPARE(b.code, 130);
        const auto after = status();
        QCOMPARE(after["state"].get<std::string>(), std::string("stopped"));
        QCOMPARE(after["ranks"][1]["state"].get<std::string>(), std::string("stopped"));
        QVERIFY(after["ranks"][0]["step"].get<std::uint64_t>() > 0);
        for (const auto& entry : std::filesystem::directory_iterator(m_program->folder() / "rt/lockstep"))
            QVERIFY2(entry.path().extension() != ".sock", entry.path().c_str());
    }
    void killedByOrderLeavesAStoppedRun() {
        const auto first = startTask(0), second = startTask(1);
        QVERIFY(waitFor(*first, "run 2").contains("run 2"));
        QVERIFY(whenTraining().is_object());
        QCOMPARE(m_program->run({"stop", "last", "--kill"}, 60).code, 0);
        QCOMPARE(m_program->finish(*first, 60).code, 130);
        QCOMPARE(m_program->finish(*second, 60).code, 6);
        QCOMPARE(status()["state"].get<std::string>(), std::string("stopped"));
    }

    // What every task measures and says is in the folder of task 0.
    void theOtherTasksTellTaskZero() {
        QVERIFY(m_program->run({"validate", "hand.yaml", "training.steps=30"}).code == 0);
        const auto first = startTask(0, {"training.steps=30"}), second = startTask(1, {"training.steps=30"});
        const auto a = m_program->finish(*first, 60), b = m_program->finish(*second, 60);
        QVERIFY2(a.code == 0 && b.code == 0, (a.err + b.err).c_str());
        for (const int rank : {0, 1})
            for (const char* series : {"loss", "step_seconds", "communication_seconds"}) {
                const auto points =
                    lines(m_program->run({"metrics", "last", "--series", series, "--rank", QString::number(rank), "--json=lines"}));
                QCOMPARE(points.size(), std::size_t{30});
                for (std::size_t i = 0; i < points.size(); ++i) {
                    QCOMPARE(points[i]["rank"].get<int>(), rank);
                    QCOMPARE(points[i]["step"].get<std::size_t>(), i + 1);
                }
            }
        const auto run = status();
        QCOMPARE(run["state"].get<std::string>(), std::string("completed"));
        QCOMPARE(run["ranks"][1]["state"].get<std::string>(), std::string("completed"));
        QCOMPARE(run["ranks"][1]["step"].get<int>(), 30);
        QVERIFY(run["ranks"][1]["pid"].get<qint64>() > 0 && run["ranks"][1]["pid"] != run["ranks"][0]["pid"]);
        QVERIFY2(run.dump().find("Rank 1 has ended at step 30.") != std::string::npos, run.dump().c_str());
        for (const char* rank : {"0", "1"}) {
            const auto log = m_program->run({"logs", "last", "--rank", rank});
            QCOMPARE(log.code, 0);
            QVERIFY2(log.out.find("rank " + std::string(rank) + ": done at step 30, weights ") != std::string::npos, log.out.c_str());
        }
    }
    void aKilledTaskIsNamed() {
        const auto first = startTask(0), second = startTask(1);
        QVERIFY(waitFor(*first, "run 2").contains("run 2"));
        QVERIFY(whenTraining().is_object());
        ::kill(static_cast<pid_t>(second->processId()), SIGKILL);
        const auto ended = m_program->finish(*first, 60);
        QCOMPARE(ended.code, 6);
        QVERIFY2(ended.err.find("Rank 1 is gone") != std::string::npos, ended.err.c_str());
        const auto run = status();
        QCOMPARE(run["state"].get<std::string>(), std::string("failed"));
        QCOMPARE(run["ranks"][1]["state"].get<std::string>(), std::string("failed"));
        QVERIFY(m_program->run({"logs", "last", "--rank", "1"}).out.find("Rank 1 is gone at step") != std::string::npos);
    }
    // The data of rank 1 is cut off behind its header: the run says why, not only that the group broke.
    void theReasonOfAnotherTaskIsKept() {
        const auto mine = std::filesystem::path(m_program->environment().value("LOCKSTEP_RESOURCES").toStdString()) / "data/mnist";
        const auto cut = m_program->folder() / "cut/data/mnist";
        std::filesystem::create_directories(cut);
        std::filesystem::copy(mine, cut);
        std::filesystem::resize_file(cut / "train-images-idx3-ubyte.gz", 1000000);
        const auto first = startTask(0), second = startTask(1, {}, QString::fromStdString((m_program->folder() / "cut").string()));
        const auto a = m_program->finish(*first, 60), b = m_program->finish(*second, 60);
        QCOMPARE(b.code == 0, false);
        QVERIFY2(b.err.find("F601") != std::string::npos, b.err.c_str());
        QVERIFY2(a.err.find("F601") != std::string::npos && a.err.find("rank 1") != std::string::npos, a.err.c_str());
        QCOMPARE(status()["state"].get<std::string>(), std::string("failed"));
    }
    // Long before the 300 s for which a task waits.
    void anotherSpecificationIsHeardByTheTaskThatWaits() {
        const auto first = startTask(0);
        QVERIFY(waitFor(*first, "waiting for the others").contains("waiting"));
        const auto second = startTask(1, {"training.global_batch_size=64"});
        for (auto* task : {first.get(), second.get()}) {
            const auto ended = m_program->finish(*task, 60);
            QCOMPARE(ended.code, 5);
            QVERIFY2(ended.err.find("N404") != std::string::npos && ended.err.find("different runs") != std::string::npos,
                     ended.err.c_str());
            QVERIFY2(ended.err.find("the same specification") != std::string::npos, ended.err.c_str());
        }
        QVERIFY(!std::filesystem::exists(m_program->folder() / "runs"));
    }
    void theRunIsNamedOnceOnATerminal() {
        setTask(0, {m_addresses[0]});
        const auto ended = m_program->runOnTerminal({"worker", "hand.yaml", "training.steps=3"});
        QVERIFY2(ended.code == 0, ended.out.c_str());
        const auto first = ended.out.find("run 2");
        QVERIFY2(first != std::string::npos && ended.out.find("run 2", first + 1) == std::string::npos, ended.out.c_str());
        const auto piped = m_program->run({"worker", "hand.yaml", "training.steps=3"});
        QVERIFY2(piped.out.starts_with("run 2"), piped.out.c_str());
    }

private:
    static std::vector<Json> lines(const test::Ended& ended) {
        std::vector<Json> all;
        std::istringstream text(ended.out);
        for (std::string line; std::getline(text, line);) all.push_back(Json::parse(line, nullptr, false));
        return all;
    }
    void setTask(int index, const QStringList& addresses) {
        m_program->setEnvironment(
            "TF_CONFIG",
            QString(R"({"cluster":{"worker":["%1"]},"task":{"type":"worker","index":%2}})").arg(addresses.join("\",\"")).arg(index));
    }
    std::unique_ptr<QProcess> startTask(int index, const QStringList& overrides = {}, const QString& resources = {}) {
        setTask(index, m_addresses);
        const auto usual = m_program->environment().value("LOCKSTEP_RESOURCES");
        if (!resources.isEmpty()) m_program->setEnvironment("LOCKSTEP_RESOURCES", resources);
        auto task = m_program->start(QStringList{"worker", "hand.yaml"} + overrides);
        m_program->setEnvironment("LOCKSTEP_RESOURCES", usual);
        return task;
    }
    Json status() { return m_program->run({"status", "last", "--json"}).json()["runs"][0]; }
    // The status once a step is stored; null when that takes too long.
    Json whenTraining() {
        const QDeadlineTimer deadline(60000);
        while (!deadline.hasExpired()) {
            const auto run = status();
            if (run["state"] == "running" && run["ranks"].size() == 2 && run["ranks"][1]["step"].get<std::uint64_t>() > 0) return run;
            QTest::qWait(100);
        }
        return {};
    }

    std::unique_ptr<Program> m_program;
    QStringList m_addresses;
};

LOCKSTEP_TEST(HandTest)
#include "hand_test.moc"
