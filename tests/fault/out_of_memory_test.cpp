// A rank finds no memory although it was planned: by a limit that is drawn while it trains, and by the kernel. Each time there is a code,
// the plan's table and a remedy, never a bare kill.
#include "processes.h"
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

using namespace lockstep;
using test::Json;
using test::Program;

namespace {

// The largest weight is 6 MiB, which nothing else leaves room for.
constexpr const char* kSpec =
    "schema: 1\nname: oom\nstrategy: OneDeviceStrategy\n"
    "cluster: {hosts: [{name: here, address: localhost, devices: ['cpu:0']}], oversubscribe: true}\n"
    "model: {layers: [{class_name: flatten}, {class_name: dense, units: 2000, activation: relu}, {class_name: dense, units: 10}]}\n"
    "data: {dataset: synthetic, shape: [28, 28, 1], rows: 2000}\n"
    "training: {global_batch_size: 32, epochs: 1000, optimizer: {name: sgd, learning_rate: 0.01}}\n"
    "checkpoint: {every: 300ms, keep: 2}\n";

std::uint64_t sizeOf(pid_t pid, const std::string& field) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string word; status >> word;) {
        std::uint64_t kilobytes = 0;
        if (word == field + ":" && status >> kilobytes) return kilobytes << 10;
    }
    return 0;
}

void verifyWord(const Json& error, const std::string& when) {
    QCOMPARE(error["code"].get<std::string>(), std::string("M904"));
    const std::string all = error.dump();
    QVERIFY2(error["message"].get<std::string>().find(when) != std::string::npos, all.c_str());
    QVERIFY2(error["cause"].get<std::string>().find("weights 6") != std::string::npos, all.c_str());
    QVERIFY2(error["next"].get<std::string>().find("--fit-memory") != std::string::npos, all.c_str());
}

// A group of processes with a limit of memory, where this system lets us make one.
class MemoryGroup {
public:
    MemoryGroup() {
        const std::filesystem::path mount = "/sys/fs/cgroup";
        m_isFirstVersion = std::filesystem::exists(mount / "memory/memory.limit_in_bytes");
        const auto folder = (m_isFirstVersion ? mount / "memory" : mount) / ("lockstep-test-" + std::to_string(::getpid()));
        std::error_code failed;
        if (!std::filesystem::create_directory(folder, failed)) return;
        m_folder = folder;
        m_usable = std::filesystem::exists(folder / limitFile());
    }
    ~MemoryGroup() {
        if (!m_folder.empty()) ::rmdir(m_folder.c_str());
    }
    bool usable() const { return m_usable; }
    bool add(pid_t pid) const { return write("cgroup.procs", std::to_string(pid)); }
    bool limit(std::uint64_t bytes) const { return write(limitFile(), std::to_string(bytes)); }

private:
    const char* limitFile() const { return m_isFirstVersion ? "memory.limit_in_bytes" : "memory.max"; }
    bool write(const char* file, const std::string& text) const {
        std::ofstream stream(m_folder / file);
        stream << text << std::flush;
        return stream.good();
    }

    std::filesystem::path m_folder;
    bool m_isFirstVersion = false;
    bool m_usable = false;
};

// Takes memory until it is ended.
[[noreturn]] void eat() {
    for (;;) {
        constexpr std::size_t kBlock = std::size_t{4} << 20;
        char* block = static_cast<char*>(std::malloc(kBlock));
        if (block != nullptr) std::memset(block, 1, kBlock);
        ::usleep(1000);
    }
}

}  // namespace

class OutOfMemoryTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_program = std::make_unique<Program>();
        QVERIFY(replaceFile(m_program->folder() / "oom.yaml", kSpec).ok());
    }
    void cleanup() {
        for (const pid_t pid : test::processesWith({"--run=" + m_run}))
            if (!m_run.empty()) ::kill(pid, SIGKILL);
        m_program.reset();
        m_run.clear();
    }

    // Not a byte more from here on: the hash of the weights at the end finds no place.
    void whileItTrains() {
        auto process = startTraining();
        const pid_t pid = rank();
        QVERIFY(pid > 0);
        const std::uint64_t now = sizeOf(pid, "VmSize");
        QVERIFY(now > 0);
        const rlimit limit{now, now};
        QCOMPARE(::prlimit(pid, RLIMIT_AS, &limit, nullptr), 0);
        QCOMPARE(m_program->run({"stop", QString::fromStdString(m_run)}).code, 0);
        const auto ended = m_program->finish(*process, 20);
        QVERIFY2(ended.code == 6, (ended.out + ended.err).c_str());
        verifyWord(ended.json()["error"], "Rank 0 ran out of memory in the phase");
    }
    // The kernel ends the rank, because another process of its group ate what there was.
    void byTheKernel() {
        const MemoryGroup group;
        if (!group.usable()) QSKIP("this test needs a cgroup of its own");
        auto process = startTraining();
        const pid_t pid = rank();
        QVERIFY(pid > 0);
        QVERIFY(group.add(pid));
        QVERIFY(group.limit(sizeOf(pid, "VmRSS") + (std::uint64_t{64} << 20)));
        QVERIFY(writeScore(pid, 1000));
        const pid_t eater = ::fork();
        if (eater == 0) {
            writeScore(::getpid(), -1000);
            group.add(::getpid());
            eat();
        }
        const auto ended = m_program->finish(*process, 20);
        ::kill(eater, SIGKILL);
        ::waitpid(eater, nullptr, 0);
        QVERIFY2(ended.code == 6, (ended.out + ended.err).c_str());
        verifyWord(ended.json()["error"], "out-of-memory killer ended its process");
    }

private:
    static bool writeScore(pid_t pid, int score) {
        std::ofstream file("/proc/" + std::to_string(pid) + "/oom_score_adj");
        file << score << std::flush;
        return file.good();
    }

    std::unique_ptr<QProcess> startTraining() {
        auto process = m_program->start({"run", "oom.yaml", "--json"});
        m_run = test::runOf(*m_program);
        return process;
    }
    pid_t rank() {
        const auto found = test::processesWith({"--task=rank", "--run=" + m_run});
        return found.empty() ? -1 : found.front();
    }

    std::unique_ptr<Program> m_program;
    std::string m_run;
};

LOCKSTEP_TEST(OutOfMemoryTest)
#include "out_of_memory_test.moc"
