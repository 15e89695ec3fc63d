// Tasks started by hand with TF_CONFIG, through the real program.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <QDeadlineTimer>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <csignal>
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

private:
    std::unique_ptr<QProcess> startTask(int index) {
        m_program->setEnvironment("TF_CONFIG", QString(R"({"cluster":{"worker":["%1","%2"]},"task":{"type":"worker","index":%3}})")
                                                   .arg(m_addresses[0], m_addresses[1])
                                                   .arg(index));
        return m_program->start({"worker", "hand.yaml"});
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
