#include <support/test.h>

#include <wire/json_error.h>
#include <wire/rank_messages.h>
#include <wire/run_event.h>
#include <wire/task_messages.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace lockstep;
using namespace lockstep::wire;

class RankMessagesTest : public QObject {
    Q_OBJECT
private slots:
    void toRankAndBack() {
        RankAssignment assignment;
        assignment.run = "20260301-120000-abcd";
        assignment.rank = 1;
        assignment.epoch = 3;
        assignment.spec = "name: \"ä\\n\"\n";
        assignment.plan = "{\"ranks\":[]}";
        assignment.folder = "/tmp/x y";
        assignment.dataFolder = "/data";
        assignment.executor = "ref";
        assignment.key = "0123456789abcdef";
        assignment.listenFd = 5;
        assignment.ringFd = 4;
        assignment.resume = true;
        assignment.leaseSeconds = 1.5;
        RankCommand abort{RankOrder::Abort, makeError("N403", {{"port", "1"}})};
        for (const ToRank& message : {ToRank(assignment), ToRank(abort), ToRank(RankCommand{RankOrder::Stop, {}}), ToRank(LeaseBeat{})}) {
            const auto back = parseToRank(toFrame(message));
            VERIFY_OK(back);
            QVERIFY(*back == message);
        }
    }
    void fromTaskAndBack() {
        const std::string bytes("\0\xff points", 9);
        for (const FromTask& message : {FromTask(FromRank(RankHello{7})), FromTask(TaskPoints{"step_seconds", 300, bytes}),
                                        FromTask(TaskPoints{"loss", -1, ""}), FromTask(TaskLog{"a line\n"})}) {
            const auto back = parseFromTask(toFrame(message));
            VERIFY_OK(back);
            QVERIFY(*back == message);
        }
        auto cut = toFrame(FromTask(TaskPoints{"step_seconds", 1, bytes}));
        for (const std::size_t length : {std::size_t{14}, std::size_t{3}, std::size_t{2}, std::size_t{0}}) {
            cut.payload.resize(std::min(cut.payload.size(), length));
            const auto back = parseFromTask(cut);
            QVERIFY(!back.ok());
            QCOMPARE(back.error().code, std::string("N411"));
        }
    }
    void fromRankAndBack() {
        RankDone done;
        done.steps = std::numeric_limits<std::uint64_t>::max();
        done.loss = 0.1;
        done.valLoss = 1e-300;
        done.accuracy = std::numeric_limits<double>::infinity();
        done.weightsHash = "ff";
        Error error = withContext(makeError("N403", {{"port", "12345"}}), "binding");
        for (const FromRank& message :
             {FromRank(RankHello{42}), FromRank(RankPhase{"compile", 5}), FromRank(RankProgress{7, 90, {0, 3}}),
              FromRank(RankCheckpoint{9, "step-9"}), FromRank(RankWarning{error}), FromRank(done), FromRank(RankFailed{error})}) {
            const auto back = parseFromRank(toFrame(message));
            VERIFY_OK(back);
            QVERIFY(*back == message);
        }
    }
    void runEventsAndBack() {
        RunEvent exited;
        exited.number = 12;
        exited.time = 1.25;
        exited.kind = RunEventKind::Exited;
        exited.rank = 1;
        exited.step = 77;
        exited.signal = 9;
        exited.done = RankDone{};
        RunEvent stalled;
        stalled.kind = RunEventKind::Stalled;
        stalled.silent = true;
        stalled.late = {0, 2};
        stalled.seconds = 5.5;
        RunEvent warning;
        warning.kind = RunEventKind::Warning;
        warning.error = makeError("N403", {{"port", "12345"}});
        RunEvent started;
        started.pid = 4711;
        for (const auto& event : {exited, stalled, warning, started}) {
            const auto text = toJson(event);
            QVERIFY(text.find('\n') == std::string::npos);
            const auto back = parseRunEvent(text);
            VERIFY_OK(back);
            QVERIFY(*back == event);
        }
        VERIFY_ERROR(parseRunEvent("{}"), "N411");
        VERIFY_ERROR(parseRunEvent(R"({"number":0,"time":1,"kind":"danced","rank":0,"step":0})"), "N411");
        VERIFY_ERROR(parseRunEvent(R"({"number":0,"time":1,"kind":"exited","rank":0,"step":0,"done":{}})"), "N411");
        VERIFY_ERROR(parseRunEvent(toJson(exited).substr(0, 40)), "N411");
    }
    void notANumberTravels() {
        RankDone done;
        done.loss = std::nan("");
        const auto back = parseFromRank(toFrame(FromRank(done)));
        VERIFY_OK(back);
        QVERIFY(std::isnan(std::get<RankDone>(*back).loss));
    }
    void refusals() {
        VERIFY_ERROR(parseFromRank({99, "{}"}), "N411");
        VERIFY_ERROR(parseToRank({16, "{\"pid\":1}"}), "N411");        // a rank's message is not an agent's
        VERIFY_ERROR(parseFromRank({16, "{}"}), "N411");               // field absent
        VERIFY_ERROR(parseFromRank({16, "{\"pid\":\"1\"}"}), "N411");  // wrong type
        VERIFY_ERROR(parseFromRank({18, "{\"step\":-1,\"steps\":0,\"late\":[]}"}), "N411");
        VERIFY_ERROR(parseFromRank({18, "{\"step\":1,\"steps\":0,\"late\":[\"x\"]}"}), "N411");
        VERIFY_ERROR(parseFromRank({16, "[1]"}), "N411");
        VERIFY_ERROR(parseFromRank({16, "{\"pid\":1"}), "N411");
        VERIFY_ERROR(parseToRank({2, "{\"order\":\"dance\"}"}), "N411");
        VERIFY_ERROR(parseFromRank({16, std::string(100000, '[')}), "N411");
        QCOMPARE(errorFromJson("{\"code\":1}").code, std::string("N411"));
        QVERIFY(errorFromJson(errorToJson(makeError("X001", {{"what", "a"}}))) == makeError("X001", {{"what", "a"}}));
    }
};

LOCKSTEP_TEST(RankMessagesTest)
#include "rank_messages_test.moc"
