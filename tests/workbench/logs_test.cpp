#include "recorded_run.h"

#include <support/test.h>

#include <workbench/workbench.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <mutex>

using namespace lockstep;
using test::RecordedRun;

namespace {

constexpr const char* kRun = "20260101-000000-aaaa";

std::vector<std::string> textsOf(const std::vector<api::LogLine>& lines) {
    std::vector<std::string> texts;
    for (const auto& line : lines) texts.push_back(std::to_string(line.rank) + ":" + line.text.substr(line.text.find_last_of(' ') + 1));
    return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

class LogsTest : public QObject {
    Q_OBJECT
private slots:
    void mergesByTime() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        run.writeLog("controller.log", "2026-03-01T12:00:00.000Z I controller: begin\n2026-03-01T12:00:02.000Z I controller: end\n");
        run.writeLog("rank-0.log", "before\n2026-03-01T12:00:01.000Z I rank 0: one\n  more\n");
        run.writeLog("rank-10.log", "2026-03-01T12:00:01.500Z I rank 10: ten\ntorn");
        run.writeLog("other.log", "not ours\n");
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        const auto all = workbench->logs().read(RunId{kRun}, {});
        VERIFY_OK(all);
        QCOMPARE(textsOf(all->lines), (Texts{"0:before", "-1:begin", "0:one", "0:more", "10:ten", "10:torn", "-1:end"}));
        QCOMPARE(all->lines[2].time, 1772366401.0);
        QCOMPARE(all->lines[0].time, 0.0);
        const auto tail = workbench->logs().read(RunId{kRun}, {std::nullopt, 2});
        QCOMPARE(textsOf(tail->lines), (Texts{"10:torn", "-1:end"}));
        const auto one = workbench->logs().read(RunId{kRun}, {10, 0});
        QCOMPARE(textsOf(one->lines), (Texts{"10:ten", "10:torn"}));
        const auto controller = workbench->logs().read(RunId{kRun}, {api::kController, 1});
        QCOMPARE(textsOf(controller->lines), (Texts{"-1:end"}));
    }
    void refusals() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        VERIFY_ERROR(workbench->logs().read(RunId{kRun}, {3, 0}), "R562");
        VERIFY_ERROR(workbench->logs().read(RunId{"20200101-000000-0000"}, {}), "R531");
        QVERIFY(workbench->logs().read(RunId{kRun}, {})->lines.empty());
    }
    void aHugeFileIsReadFromItsLastWholeLine() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        std::string text;
        for (int i = 0; text.size() < (17u << 20); ++i) text += "line " + std::to_string(i) + std::string(1000, '.') + "\n";
        run.writeLog("rank-0.log", text);
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        // Alone it is read whole; beside many others it must not fill the memory.
        const auto whole = workbench->logs().read(RunId{kRun}, {});
        VERIFY_OK(whole);
        QVERIFY(whole->cut.empty() && whole->lines.front().text.starts_with("line 0."));
        QCOMPARE(workbench->logs().files(RunId{kRun})->front().unread, std::uint64_t{0});
        const auto unread = [&](std::size_t file) { return (*workbench->logs().files(RunId{kRun}))[file].unread; };
        // A million lines in 48 MB beside it are read whole too; only of what is larger than all may be the beginning is left out.
        run.writeLog("rank-1.log", "line x\n");
        std::filesystem::resize_file(run.folder() / "logs" / "rank-1.log", 48'000'000);
        QCOMPARE(unread(1), std::uint64_t{0});
        std::filesystem::resize_file(run.folder() / "logs" / "rank-1.log", 200u << 20);
        QCOMPARE(unread(0), std::uint64_t{0});
        QCOMPARE(unread(1), (200u << 20) - ((128u << 20) - std::uint64_t{text.size()}));
        for (int rank = 1; rank < 9; ++rank) {
            const auto name = "rank-" + std::to_string(rank) + ".log";
            run.writeLog(name, "line x\n");
            std::filesystem::resize_file(run.folder() / "logs" / name, 20u << 20);
        }
        QCOMPARE(unread(0), std::uint64_t{text.size() - (16u << 20)});
        const auto read = workbench->logs().read(RunId{kRun}, {});
        VERIFY_OK(read);
        QCOMPARE(read->cut.size(), std::size_t{9});
        const auto own = static_cast<std::size_t>(std::ranges::count(read->lines, 0, &api::LogLine::rank));
        QVERIFY(read->lines.front().text.starts_with("line "));
        QVERIFY(own > 15000 && own < 17000);
    }
    void followTellsOldAndNewLinesAndNewFiles() {
        test::Scratch scratch;
        RecordedRun run(scratch.path(), kRun);
        run.writeLog("rank-0.log", "a\nb\n");
        const auto workbench = workbench::makeWorkbench({scratch.path(), {}});
        std::mutex mutex;
        std::condition_variable changed;
        Texts told;
        const auto subscription = workbench->logs().follow(RunId{kRun}, {std::nullopt, 1}, [&](const std::vector<api::LogLine>& lines) {
            const std::scoped_lock lock(mutex);
            for (auto& text : textsOf(lines)) told.push_back(text);
            changed.notify_all();
        });
        VERIFY_OK(subscription);
        const auto waitFor = [&](std::size_t count) {
            std::unique_lock lock(mutex);
            return changed.wait_for(lock, std::chrono::seconds(20), [&] { return told.size() >= count; });
        };
        QVERIFY(waitFor(1));
        std::ofstream(run.folder() / "logs/rank-0.log", std::ios::app) << "c\nhalf";
        QVERIFY(waitFor(2));
        std::ofstream(run.folder() / "logs/rank-0.log", std::ios::app) << " line\n";
        std::ofstream(run.folder() / "logs/rank-1.log") << "new\n";
        QVERIFY(waitFor(4));
        const std::scoped_lock lock(mutex);
        QCOMPARE(told[0], std::string("0:b"));
        QCOMPARE(told[1], std::string("0:c"));
        QVERIFY(std::ranges::count(told, "0:line") == 1 && std::ranges::count(told, "1:new") == 1);
    }
};

LOCKSTEP_TEST(LogsTest)
#include "logs_test.moc"
