// What goes wrong in a group: late ranks, gone ranks, abort, ranks that don't agree.
#include "ranks.h"

#include <support/test.h>

#include <thread>

using namespace lockstep;
using namespace std::chrono_literals;

namespace {

void everyTransport() {
    QTest::addColumn<QString>("transport");
    for (const auto* transport : test::kTransports) QTest::newRow(transport) << QString(transport);
}

Result<void> sumOne(comm::Group& group, Deadline deadline) {
    float value = 1;
    return group.allReduce({.data = std::as_writable_bytes(std::span(&value, 1)), .deadline = deadline});
}

}  // namespace

class FailureTest : public QObject {
    Q_OBJECT
private slots:
    void deadlineNamesTheLateRanks_data() { everyTransport(); }
    void deadlineNamesTheLateRanks() {
        QFETCH(QString, transport);
        auto groups = test::makeGroups(transport.toStdString(), 4);
        std::vector<Result<void>> results(4);
        test::onEachRank(groups, [&](int rank, comm::Group& group) {
            if (rank == 1 || rank == 3) return;
            results[rank] = sumOne(group, Deadline::in(300ms));
            if (!results[rank].ok())
                QCOMPARE(QString::fromStdString(group.barrier(Deadline::in(1s)).error().code),
                         QString::fromStdString(results[rank].error().code));
        });
        // Whoever's deadline passes first says who is late; the other one may hear of it first.
        bool named = false;
        for (const int rank : {0, 2}) {
            QVERIFY(!results[rank].ok());
            const auto& error = results[rank].error();
            QVERIFY2(error.code == "R505" || error.code == "R506", error.toText().c_str());
            QVERIFY2(error.message.find("Rank 1, rank 3 didn't arrive at all-reduce of 4 bytes") != std::string::npos,
                     error.toText().c_str());
            named = named || error.code == "R505";
        }
        QVERIFY(named);
    }

    void infoNamesTheLateRanks_data() { everyTransport(); }
    void infoNamesTheLateRanks() {
        QFETCH(QString, transport);
        auto groups = test::makeGroups(transport.toStdString(), 3);
        QVERIFY(groups[0]->info().late.empty());
        QCOMPARE(groups[2]->info().rank, 2);
        QCOMPARE(groups[2]->info().size, 3);
        QCOMPARE(QString::fromStdString(groups[2]->info().transport), transport);
        std::atomic<int> wrong = 0;
        test::onEachRank(groups, [&](int rank, comm::Group& group) {
            if (rank == 1) {
                const auto deadline = Deadline::in(10s);
                while (groups[0]->info().late != std::vector{1} && !deadline.passed()) std::this_thread::sleep_for(1ms);
                if (deadline.passed()) ++wrong;
            }
            if (!sumOne(group, Deadline::in(20s)).ok()) ++wrong;
        });
        QCOMPARE(wrong.load(), 0);
        QVERIFY(groups[0]->info().late.empty());
        QVERIFY(groups[0]->info().bytesSent >= 4);
    }

    void abortWakesAWaitingCall_data() { everyTransport(); }
    void abortWakesAWaitingCall() {
        QFETCH(QString, transport);
        auto groups = test::makeGroups(transport.toStdString(), 3);
        const auto why = makeError("R507", {{"why", "epoch 2 began"}});
        Result<void> waiting;
        Result<void> other;
        test::onEachRank(3, [&](int rank) {
            if (rank == 0) waiting = sumOne(*groups[0], Deadline::in(60s));
            if (rank == 1) other = sumOne(*groups[1], Deadline::in(60s));
            if (rank == 2) {
                std::this_thread::sleep_for(20ms);
                groups[0]->abort(why);
            }
        });
        QVERIFY(!waiting.ok());
        QVERIFY(waiting.error() == why);
        // The same error for every later call; the first one stays.
        groups[0]->abort(makeError("R507", {{"why", "another reason"}}));
        QVERIFY(groups[0]->barrier(Deadline::in(1s)).error() == why);
        QVERIFY(groups[0]->broadcast({}).error() == why);
        // The others learn who left and why.
        VERIFY_ERROR(other, "R506");
        QVERIFY2(other.error().message.find("Rank 0") == 0, other.error().message.c_str());
        QVERIFY2(other.error().message.find("epoch 2 began") != std::string::npos, other.error().message.c_str());
    }

    void aRankThatLeavesIsNamed_data() { everyTransport(); }
    void aRankThatLeavesIsNamed() {
        QFETCH(QString, transport);
        auto groups = test::makeGroups(transport.toStdString(), 2);
        Result<void> last;
        test::onEachRank(2, [&](int rank) {
            // Both finish the first call although rank 1 leaves at once afterwards.
            const auto first = sumOne(*groups[rank], Deadline::in(20s));
            if (rank == 1)
                groups[1].reset();
            else
                last = first.ok() ? sumOne(*groups[0], Deadline::in(20s)) : first;
        });
        VERIFY_ERROR(last, "R506");
        QVERIFY2(last.error().message.find("Rank 1") == 0, last.error().message.c_str());
    }

    void differentCallsAreRefused_data() { everyTransport(); }
    void differentCallsAreRefused() {
        QFETCH(QString, transport);
        auto groups = test::makeGroups(transport.toStdString(), 2);
        std::vector<Result<void>> results(2);
        test::onEachRank(groups, [&](int rank, comm::Group& group) {
            std::vector<float> values(rank == 0 ? 10 : 11);
            results[rank] = group.allReduce({.data = std::as_writable_bytes(std::span(values)), .deadline = Deadline::in(10s)});
        });
        // One side may hear of the other's failure first.
        bool named = false;
        for (const auto& result : results) {
            QVERIFY(!result.ok());
            QVERIFY2(result.error().code == "R508" || result.error().code == "R506", result.error().toText().c_str());
            named = named ||
                    (result.error().code == "R508" && result.error().message.find("all-reduce of 40 bytes (f32)") != std::string::npos);
        }
        QVERIFY(named);
    }

    void killedProcessIsNamed_data() {
        QTest::addColumn<QString>("transport");
        QTest::addColumn<int>("size");
        for (const auto* transport : test::kProcessTransports)
            for (const int size : {2, 3}) QTest::addRow("%s %d", transport, size) << QString(transport) << size;
    }
    void killedProcessIsNamed() {
        QFETCH(QString, transport);
        QFETCH(int, size);
        test::RankProcesses ranks(transport.toStdString(), size);
        for (int rank = 0; rank < size; ++rank) QVERIFY(ranks.waitUntilBusy(rank));
        QVERIFY(!test::segmentExists(ranks.segment()));
        ranks.kill(1);
        for (int rank = 0; rank < size; ++rank) {
            if (rank == 1) continue;
            const auto outcome = ranks.outcome(rank);
            QVERIFY2(outcome.find("R506: Rank 1 is gone") == 0, outcome.c_str());
        }
        QVERIFY(!test::segmentExists(ranks.segment()));
    }
};

LOCKSTEP_TEST(FailureTest)
#include "failure_test.moc"
