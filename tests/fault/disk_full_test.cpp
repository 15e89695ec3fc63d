// The disk is full while a run checkpoints: the older checkpoint stays whole, the run goes on and says so.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <sched.h>
#include <sys/mount.h>
#include <cerrno>
#include <chrono>
#include <map>
#include <thread>

using namespace lockstep;
using test::Json;
using test::Program;

namespace {

constexpr const char* kSpec =
    "schema: 1\nname: full\nstrategy: MirroredStrategy\n"
    "cluster: {hosts: [{name: here, address: localhost, devices: ['cpu:0', 'cpu:1']}], oversubscribe: true}\n"
    "model: {preset: mlp}\ndata: {dataset: mnist}\n"
    "training: {global_batch_size: 32, steps: 4000, epochs: 1000, optimizer: {name: adam}}\n"
    "checkpoint: {every: 200ms, keep: 2}\n";

// Room for one checkpoint (1.2 MB: weights and two slots each of 101770 floats) and its manifest, not for two.
constexpr const char* kDisk = "size=1600k,mode=0700";

// Mounts are seen by this thread and what it starts, by nobody else. Empty, or why it can't be done.
std::string separateMounts() {
    if (::unshare(CLONE_NEWNS) != 0) return "this user may not make a mount namespace: " + systemText(errno);
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "mounts can't be made private: " + systemText(errno);
    return {};
}

// Bytes of every file.
std::map<std::string, std::string> contentOf(const std::filesystem::path& folder) {
    std::map<std::string, std::string> content;
    std::error_code status;
    for (const auto& entry : std::filesystem::directory_iterator(folder, status)) {
        const auto bytes = readFile(entry.path(), 16u << 20);
        content[entry.path().filename().string()] = bytes.ok() ? *bytes : bytes.error().message;
    }
    return content;
}

}  // namespace

class DiskFullTest : public QObject {
    Q_OBJECT
private slots:
    void theRunGoesOn() {
        std::string cant;
        std::string wrong;
        // In a thread, because that is what has a namespace; what it starts inherits it.
        std::jthread thread([&] {
            cant = separateMounts();
            if (cant.empty()) trainOnASmallDisk(cant, wrong);
        });
        thread.join();
        if (!cant.empty()) QSKIP(("The disk of a run can't be made small here: " + cant).c_str());
        QVERIFY2(wrong.empty(), wrong.c_str());
        QVERIFY2(m_ended.code == 0, (m_ended.out + m_ended.err).c_str());
        QCOMPARE(m_ended.json()["state"].get<std::string>(), std::string("completed"));
        QCOMPARE(m_ended.json()["steps"].get<int>(), 4000);
        // One checkpoint, as it was, and its manifest; nothing half-written.
        QVERIFY2(m_first.size() == 2, std::to_string(m_first.size()).c_str());
        QVERIFY(m_first == m_last);
        std::size_t warnings = 0;
        for (const auto& event : m_status["events"])
            warnings +=
                event["kind"] == "warning" && event["text"].get<std::string>().find("no space left on the device") != std::string::npos;
        QVERIFY2(warnings > 0, m_status.dump().c_str());
        QVERIFY2(m_ended.err.find("warning") != std::string::npos, m_ended.err.c_str());
    }

private:
    void trainOnASmallDisk(std::string& cant, std::string& wrong) {
        Program program;
        if (!replaceFile(program.folder() / "full.yaml", kSpec).ok()) wrong = "no specification";
        const auto process = program.start({"run", "full.yaml", "--json"});
        const auto folder = checkpointsOf(program.folder() / "runs");
        if (folder.empty())
            wrong = "no run appeared";
        else if (::mount("none", folder.c_str(), "tmpfs", 0, kDisk) != 0)
            cant = "tmpfs: " + systemText(errno);
        else
            m_first = whenThere(folder);
        m_ended = program.finish(*process, 120);
        m_last = contentOf(folder);
        m_status = program.run({"status", "last", "--json"}).json()["runs"][0];
        ::umount2(folder.c_str(), MNT_DETACH);
    }
    static std::filesystem::path checkpointsOf(const std::filesystem::path& runs) {
        for (int look = 0; look < 2000; ++look) {
            std::error_code status;
            for (const auto& entry : std::filesystem::directory_iterator(runs, status))
                if (std::filesystem::exists(entry.path() / "spool", status)) return entry.path() / "checkpoints";
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return {};
    }
    // The first checkpoint, committed.
    static std::map<std::string, std::string> whenThere(const std::filesystem::path& folder) {
        for (int look = 0; look < 2000; ++look) {
            auto content = contentOf(folder);
            if (content.contains("manifest.json")) {
                std::erase_if(content, [](const auto& file) { return file.first != "manifest.json" && !file.first.ends_with(".lsc"); });
                return content;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return {};
    }

    test::Ended m_ended;
    Json m_status;
    std::map<std::string, std::string> m_first, m_last;
};

LOCKSTEP_TEST(DiskFullTest)
#include "disk_full_test.moc"
