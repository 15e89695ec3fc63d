#include <support/scratch.h>
#include <support/test.h>

#include "agent_run.h"

#include <control/run_folder.h>

#include <base/file.h>

#include <fstream>

using namespace lockstep;
using namespace lockstep::control;

class RunFolderTest : public QObject {
    Q_OBJECT
private slots:
    void createAndFind() {
        test::Scratch scratch;
        const RunId first{"20260301-120000-abcd"};
        const RunId second{"20260301-130000-abce"};
        VERIFY_OK(RunFolder::create(scratch.path(), second));
        VERIFY_OK(RunFolder::create(scratch.path(), first));
        VERIFY_ERROR(RunFolder::create(scratch.path(), first), "R532");
        QVERIFY(std::filesystem::is_directory(scratch / "runs" / first.value / "checkpoints"));
        const auto all = RunFolder::all(scratch.path());
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[0].run().value, first.value);
        for (const char* name : {"20260301-130000-abce", "abce", "20260301-13"}) {
            const auto found = RunFolder::find(scratch.path(), name);
            VERIFY_OK(found);
            QCOMPARE(found->run().value, second.value);
        }
        VERIFY_ERROR(RunFolder::find(scratch.path(), "2026"), "R531");
        VERIFY_ERROR(RunFolder::find(scratch.path(), ""), "R531");
        VERIFY_ERROR(RunFolder::find(scratch.path(), "../.."), "R531");
    }
    void runsOfOneSecondAreInTheOrderOfTheirStart() {
        test::Scratch scratch;
        const RunId first{"20260301-120000-ffff"}, second{"20260301-120000-0000"}, unread{"20260301-120000-8888"};
        for (const RunId& run : {second, unread, first}) VERIFY_OK(RunFolder::create(scratch.path(), run));
        const auto now = std::filesystem::file_time_type::clock::now();
        for (const auto& [run, age] : {std::pair(first, 2), std::pair(second, 1)}) {
            const auto spec = RunFolder(scratch.path(), run).spec();
            VERIFY_OK(replaceFile(spec, "schema: 1\n"));
            std::filesystem::last_write_time(spec, now - std::chrono::milliseconds(10 * age));
        }
        const auto all = RunFolder::all(scratch.path());
        QCOMPARE(all.size(), std::size_t{3});
        QCOMPARE(all[0].run().value, unread.value);
        QCOMPARE(all[1].run().value, first.value);
        QCOMPARE(all[2].run().value, second.value);
    }
    void tornEventFileIsReadToItsLastWholeLine() {
        test::Scratch scratch;
        VERIFY_OK(readEvents(scratch.path(), 1));
        QVERIFY(readEvents(scratch.path(), 1)->empty());
        wire::RunEvent event;
        event.kind = wire::RunEventKind::Exited;
        event.rank = 1;
        const auto line = wire::toJson(event);
        std::ofstream(eventFile(scratch.path(), 1)) << line << "\n" << line << "\n" << line.substr(0, 20);
        const auto events = readEvents(scratch.path(), 1);
        VERIFY_OK(events);
        QCOMPARE(events->size(), std::size_t{2});
        std::ofstream(eventFile(scratch.path(), 2)) << "not json\n";
        VERIFY_ERROR(readEvents(scratch.path(), 2), "N411");
    }
};

LOCKSTEP_TEST(RunFolderTest)
#include "run_folder_test.moc"
