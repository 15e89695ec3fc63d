// The agent's end of a rank process.
#include "rank_process.h"

#include <support/scratch.h>
#include <support/test.h>

#include <poll.h>

using namespace lockstep;
using namespace lockstep::control;

class RankProcessTest : public QObject {
    Q_OBJECT

    static std::unique_ptr<RankProcess> startLastWords(const test::Scratch& scratch) {
        RankLaunch launch;
        launch.assignment.run = "20260301-120000-1a2b";
        launch.log = scratch.path() / "rank.log";
        launch.program = std::filesystem::path(QCoreApplication::applicationDirPath().toStdString()) / "last_words";
        auto started = RankProcess::start(std::move(launch), Fd());
        return started.ok() ? std::move(*started) : nullptr;
    }

private slots:
    // A beat to a rank that has just left fails; what the rank said before must not be lost with it.
    void lastWordsOutliveAFailedSend() {
        const test::Scratch scratch;
        const auto rank = startLastWords(scratch);
        QVERIFY(rank);
        pollfd wait{rank->exitFd(), POLLIN, 0};
        QCOMPARE(::poll(&wait, 1, 10000), 1);
        for (int i = 0; i < 3; ++i) rank->send(wire::LeaseBeat{});
        QCOMPARE(rank->reap().code, 0);
        rank->receive(std::chrono::steady_clock::now());
        QVERIFY(rank->done().has_value());
        QCOMPARE(rank->done()->steps, std::uint64_t{5628});
    }
};

LOCKSTEP_TEST(RankProcessTest)
#include "rank_process_test.moc"
