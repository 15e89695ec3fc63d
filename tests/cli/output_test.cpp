#include <support/test.h>

#include <output.h>
#include <progress_line.h>

using namespace lockstep;
using namespace lockstep::cli;

class OutputTest : public QObject {
    Q_OBJECT
private slots:
    void progressShowsBarRateAndTimeLeft() {
        const ProgressState state{"step", 500, 1000, "loss 0.4123", "steps/s"};
        QCOMPARE(renderProgress(state, 50.0, 100),
                 std::string("step 500/1000 [==========>         ]  loss 0.4123  50.0 steps/s  ETA 0:10"));
    }
    void progressDropsTheBarBeforeTheNumbers() {
        const ProgressState state{"step", 500, 1000, "loss 0.4123", "steps/s"};
        QCOMPARE(renderProgress(state, 50.0, 60), std::string("step 500/1000  loss 0.4123  50.0 steps/s  ETA 0:10"));
        QCOMPARE(renderProgress(state, 50.0, 30).size(), std::size_t{30});
    }
    void progressWithoutTotalOrRate() {
        QCOMPARE(renderProgress({"starting ranks", 0, 0, "", ""}, 0, 80), std::string("starting ranks"));
        QCOMPARE(renderProgress({"step", 3, 12, "", "steps/s"}, 0, 80), std::string("step 3/12 [=====>              ]"));
        QCOMPARE(renderProgress({"step", 12, 12, "", "steps/s"}, 2, 80), std::string("step 12/12 [====================]  2.00 steps/s"));
    }
    void tables() { QCOMPARE(formatTable({{"run", "state"}, {"äö", "x"}, {"abcd", ""}}), std::string("run   state\näö    x\nabcd")); }
    void errorAsJson() {
        const auto object = errorObject(withContext(makeError("X002", {{"what", "w"}, {"help", "h"}}), "reading"));
        const std::string expected =
            "{'code':'X002','message':'The command line can^t be read: w.','cause':'','next':'See: h.','exit':2,'trail':['reading']}";
        QCOMPARE(QString::fromStdString(object.dump()), QString::fromStdString(expected).replace('\'', '"').replace('^', '\''));
    }
};

LOCKSTEP_TEST(OutputTest)
#include "output_test.moc"
