// Processes of a run are killed, stopped or shut out at random instants; each time somebody is named, the run can go on, and nothing
// is left behind.
#include "processes.h"
#include "program.h"

#include <support/test.h>

#include <base/file.h>
#include <base/ids.h>

#include <QElapsedTimer>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

using namespace lockstep;
using test::Json;
using test::processesWith;
using test::Program;
using test::within;

namespace {

constexpr const char* kSpec =
    "schema: 1\nname: fault\nstrategy: MirroredStrategy\n"
    "cluster: {hosts: [{name: here, address: localhost, devices: ['cpu:0', 'cpu:1']}], oversubscribe: true}\n"
    "model: {preset: mlp}\ndata: {dataset: mnist}\n"
    "training: {global_batch_size: 32, epochs: 1000, optimizer: {name: sgd, learning_rate: 0.01}}\n"
    "checkpoint: {every: 500ms, keep: 2}\n";

bool soak() { return qEnvironmentVariableIsSet("LOCKSTEP_SOAK"); }

}  // namespace

class KillTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_program = std::make_unique<Program>();
        QVERIFY(replaceFile(m_program->folder() / "fault.yaml", kSpec).ok());
    }
    void cleanup() {
        // Also after a failed check nothing may outlive the test.
        for (const pid_t pid : processesWith({"--run=" + m_run}))
            if (!m_run.empty()) ::kill(pid, SIGKILL);
        m_program.reset();
        m_run.clear();
    }

    void rankAtARandomStep();
    void controllerThenAdopt();
    void controllerThenFinish();
    void everythingThenContinue();
    void stoppedRankIsNamed();
    void agentIsNamed();
    void takenPortIsNamed();
    void detachedClient();

private:
    // Starts a run and waits until it trains; m_run is its id.
    std::unique_ptr<QProcess> startTraining(const QStringList& more = {});
    Json status() { return m_program->run({"status", QString::fromStdString(m_run), "--json"}).json()["runs"][0]; }
    std::vector<pid_t> ranks() { return processesWith({"--task=rank", "--run=" + m_run}); }
    pid_t rank(int number) {
        const auto found = processesWith({"--task=rank", "--run=" + m_run, "--rank=" + std::to_string(number)});
        return found.empty() ? -1 : found.front();
    }
    // Whether a controller of the run listens. The store alone can't tell: a killed controller leaves "running" behind.
    bool controllerListens();
    bool nothingLeft();

    std::unique_ptr<Program> m_program;
    std::string m_run;
};

std::unique_ptr<QProcess> KillTest::startTraining(const QStringList& more) {
    auto process = m_program->start(QStringList{"run", "fault.yaml", "--json"} + more);
    m_run = test::runOf(*m_program);
    return process;
}

bool KillTest::nothingLeft() {
    const auto hex = RunId{m_run}.shortHex();
    return within(2000, [&] {
        if (!ranks().empty()) return false;
        for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
            if (entry.path().filename().string().find(hex) != std::string::npos) return false;
        const auto sockets = std::filesystem::path(m_program->environment().value("XDG_RUNTIME_DIR").toStdString()) / "lockstep";
        return !std::filesystem::exists(sockets / ("r-" + hex + ".sock"));
    });
}

bool KillTest::controllerListens() {
    const auto runtime = std::filesystem::path(m_program->environment().value("XDG_RUNTIME_DIR").toStdString());
    const std::string path = runtime / "lockstep" / ("r-" + RunId{m_run}.shortHex() + ".sock");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof address.sun_path - 1));
    const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

void KillTest::rankAtARandomStep() {
    std::mt19937 random(11);
    for (int round = 0; round < (soak() ? 20 : 3); ++round) {
        m_run.clear();
        std::error_code ignored;
        std::filesystem::remove_all(m_program->folder() / "runs", ignored);
        auto process = startTraining();
        QVERIFY(!m_run.empty());
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 700));
        const int victim = static_cast<int>(random() % 2);
        const pid_t pid = rank(victim);
        QVERIFY(pid > 0);
        QElapsedTimer timer;
        timer.start();
        ::kill(pid, SIGKILL);
        const auto ended = m_program->finish(*process, 20);
        QVERIFY2(timer.elapsed() < 3000, QByteArray::number(timer.elapsed()));
        QCOMPARE(ended.code, 6);
        const auto error = ended.json()["error"];
        QCOMPARE(error["code"].get<std::string>(), std::string("R502"));
        const auto message = error["message"].get<std::string>();
        QVERIFY2(message.find("Rank " + std::to_string(victim) + " ended with signal 9") != std::string::npos, message.c_str());
        QVERIFY2(message.find("at step 0") == std::string::npos, message.c_str());
        QVERIFY(nothingLeft());
    }
}

void KillTest::controllerThenAdopt() {
    auto process = startTraining();
    QVERIFY(!m_run.empty());
    const auto before = ranks();
    ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
    (void)m_program->finish(*process, 5);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    QCOMPARE(ranks(), before);
    auto resumed = m_program->start({"resume", QString::fromStdString(m_run), "--json"});
    QVERIFY(within(20000, [&] { return controllerListens() && status()["state"] == "running"; }));
    QCOMPARE(ranks(), before);
    const auto second = m_program->run({"resume", QString::fromStdString(m_run), "--json"});
    QVERIFY2(second.code != 0 && second.json()["error"]["code"] == "F610", second.out.c_str());
    QCOMPARE(m_program->run({"stop", QString::fromStdString(m_run), "--json"}).code, 0);
    const auto ended = m_program->finish(*resumed, 20);
    QVERIFY2(ended.json()["state"] == "stopped", ended.out.c_str());
    // Nothing is missing and nothing is there twice.
    const auto points = m_program->run({"metrics", QString::fromStdString(m_run), "--series", "loss", "--json=lines"});
    std::uint64_t expected = 1;
    for (const auto& line : QString::fromStdString(points.out).split('\n', Qt::SkipEmptyParts))
        QCOMPARE(Json::parse(line.toStdString())["step"].get<std::uint64_t>(), expected++);
    QCOMPARE(expected - 1, ended.json()["steps"].get<std::uint64_t>());
    QVERIFY(nothingLeft());
}

void KillTest::controllerThenFinish() {
    auto process = startTraining({"training.steps=3000"});
    QVERIFY(!m_run.empty());
    ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
    (void)m_program->finish(*process, 5);
    QVERIFY(within(60000, [&] { return ranks().empty(); }));
    const auto ended = m_program->run({"resume", QString::fromStdString(m_run), "--json"});
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.json()["state"].get<std::string>(), std::string("completed"));
    QCOMPARE(ended.json()["steps"].get<int>(), 3000);
    QVERIFY(nothingLeft());
    QCOMPARE(m_program->run({"resume", QString::fromStdString(m_run), "--json"}).json()["error"]["code"].get<std::string>(),
             std::string("R533"));
}

void KillTest::everythingThenContinue() {
    auto process = startTraining();
    QVERIFY(!m_run.empty());
    const auto checkpoints = m_program->folder() / "runs" / m_run / "checkpoints";
    QVERIFY(within(10000, [&] { return !std::filesystem::is_empty(checkpoints); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
    for (const pid_t pid : ranks()) ::kill(pid, SIGKILL);
    (void)m_program->finish(*process, 5);
    const auto step = status()["step"].get<std::uint64_t>();
    auto resumed = m_program->start({"resume", QString::fromStdString(m_run), "--json"});
    QVERIFY(within(20000, [&] { return controllerListens() && status()["state"] == "running"; }));
    QCOMPARE(m_program->run({"stop", QString::fromStdString(m_run), "--json"}).code, 0);
    const auto ended = m_program->finish(*resumed, 20);
    QVERIFY2(ended.json()["state"] == "stopped", ended.out.c_str());
    QVERIFY2(ended.json()["steps"].get<std::uint64_t>() + 2000 > step, ended.out.c_str());
    QVERIFY(nothingLeft());
}

void KillTest::stoppedRankIsNamed() {
    auto process = startTraining();
    QVERIFY(!m_run.empty());
    const pid_t pid = rank(1);
    QVERIFY(pid > 0);
    QElapsedTimer timer;
    timer.start();
    ::kill(pid, SIGSTOP);
    const auto ended = m_program->finish(*process, 30);
    QVERIFY2(timer.elapsed() > 4000, QByteArray::number(timer.elapsed()));
    QCOMPARE(ended.code, 6);
    const auto error = ended.json()["error"];
    QCOMPARE(error["code"].get<std::string>(), std::string("R504"));
    QVERIFY2(error["message"].get<std::string>().starts_with("Rank 1 "), error["message"].get<std::string>().c_str());
    QVERIFY(nothingLeft());
}

void KillTest::agentIsNamed() {
    auto process = startTraining();
    QVERIFY(!m_run.empty());
    const auto facts = m_program->run({"agent", "--print", "--json"}).json();
    ::kill(static_cast<pid_t>(facts["pid"].get<std::int64_t>()), SIGKILL);
    const auto ended = m_program->finish(*process, 10);
    QCOMPARE(ended.code, 5);
    QCOMPARE(ended.json()["state"].get<std::string>(), std::string("lost"));
    QCOMPARE(ended.json()["error"]["code"].get<std::string>(), std::string("H110"));
    QCOMPARE(ranks().size(), std::size_t{2});
    if (soak()) QVERIFY(within(60000, [&] { return ranks().empty(); }));  // the lease
    for (const pid_t pid : ranks()) ::kill(pid, SIGKILL);
    auto resumed = m_program->start({"resume", QString::fromStdString(m_run), "--json"});
    QVERIFY(within(20000, [&] { return controllerListens() && status()["state"] == "running"; }));
    QCOMPARE(m_program->run({"stop", QString::fromStdString(m_run), "--json"}).code, 0);
    QVERIFY(m_program->finish(*resumed, 20).json()["state"] == "stopped");
    QVERIFY(nothingLeft());
}

void KillTest::takenPortIsNamed() {
    const Fd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    QVERIFY(::bind(listening.get(), reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(listening.get(), 4) == 0);
    QVERIFY(::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    const int port = ntohs(address.sin_port);
    const auto ended = m_program->run(
        {"run", "fault.yaml", "--json", "strategy=MultiWorkerMirroredStrategy", "distribution.transport=tcp",
         "cluster.hosts=[{name: a, address: localhost, devices: ['cpu:0']}, {name: b, address: localhost, devices: ['cpu:1']}]",
         "cluster.port_base=" + QString::number(port)});
    QCOMPARE(ended.code, 4);
    const auto error = ended.json()["error"];
    QCOMPARE(error["code"].get<std::string>(), std::string("N403"));
    QVERIFY2(error["message"].get<std::string>().find(std::to_string(::getpid())) != std::string::npos,
             error["message"].get<std::string>().c_str());
    const auto runs = m_program->folder() / "runs";
    QVERIFY(!std::filesystem::exists(runs) || std::filesystem::is_empty(runs));
}

void KillTest::detachedClient() {
    auto client = m_program->start({"run", "fault.yaml", "--detach", "--json", "training.steps=2000"});
    const auto runs = m_program->folder() / "runs";
    QVERIFY(within(20000, [&] { return std::filesystem::exists(runs) && !std::filesystem::is_empty(runs); }));
    client->kill();
    (void)m_program->finish(*client, 5);
    m_run = std::filesystem::directory_iterator(runs)->path().filename().string();
    QVERIFY(within(60000, [&] {
        const auto now = m_program->run({"status", QString::fromStdString(m_run), "--json"}).json();
        return now.contains("runs") && now["runs"].size() == 1 && now["runs"][0]["state"] == "completed";
    }));
    QCOMPARE(status()["step"].get<int>(), 2000);
    QVERIFY(nothingLeft());
}

LOCKSTEP_TEST(KillTest)
#include "kill_test.moc"
