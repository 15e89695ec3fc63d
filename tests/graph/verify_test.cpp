#include <support/test.h>

#include <graph/graph.h>

#include "graph_fixture.h"

using namespace lockstep;
using namespace lockstep::graph;
using lockstep::test::Fixture;

#define VERIFY_BROKEN(graph, words)                                                                        \
    do {                                                                                                   \
        const auto result = verify(graph);                                                                 \
        VERIFY_ERROR(result, "S406");                                                                      \
        QVERIFY2(result.error().message.find(words) != std::string::npos, result.error().message.c_str()); \
    } while (false)

class VerifyTest : public QObject {
    Q_OBJECT
private slots:
    void theFixtureIsLegal() {
        Fixture f;
        const Value sum = f.reduce({f.gradient}, 0);
        const Value updated = f.update(f.w, sum);
        f.g.setOutput("after", f.add(OpKind::Relu, {updated}));
        f.g.setOutput("sum", sum);
        f.g.setOutput("state", f.w);
        VERIFY_OK(verify(f.g));
    }
    void stateReadAfterItsUpdate() {
        Fixture f;
        f.update(f.w, f.gradient);
        f.add(OpKind::Relu, {f.w});
        VERIFY_BROKEN(f.g, "a state is not read after its update; node %5 = relu \"n_2\" (%2)");
    }
    void stateReadAfterItsUpdateThroughReshape() {
        Fixture f;
        const Value shown = f.flat(f.flat(f.w));
        f.update(f.w, f.gradient);
        f.add(OpKind::Relu, {shown});
        VERIFY_BROKEN(f.g, "a state is not read after its update");
    }
    void stateUpdatedTwice() {
        // The two updates as one node: a state as weight and slot.
        Fixture f;
        f.add(OpKind::SgdUpdate, {f.w, f.gradient, f.lr, f.w}, {{"momentum", 0.5}, {"nesterov", std::int64_t{0}}});
        VERIFY_BROKEN(f.g, "a state is updated once");
    }
    void updateOfSomethingElse() {
        Fixture f;
        f.update(f.gradient, f.gradient);
        VERIFY_BROKEN(f.g, "an update changes states only");
    }
    void slotThatIsNoState() {
        Fixture f;
        f.add(OpKind::SgdUpdate, {f.w, f.gradient, f.lr, f.x}, {{"momentum", 0.5}, {"nesterov", std::int64_t{0}}});
        VERIFY_BROKEN(f.g, "an update changes states only");
    }
    void movingAverageReadAfterItsUpdate() {
        Fixture f;
        const Value average = f.g.state("average", f.type, "statistic").value();
        const Value moved = f.add(OpKind::MovingUpdate, {average, f.gradient}, {{"momentum", 0.9}});
        f.add(OpKind::Relu, {moved});
        VERIFY_OK(verify(f.g));
        f.add(OpKind::Relu, {average});
        VERIFY_BROKEN(f.g, "a state is not read after its update");
    }
    void accumulatorReadAfterwards() {
        Fixture f;
        const Value sum = f.g.state("sum", f.type, "slot").value();
        const Value added = f.add(OpKind::Accumulate, {sum, f.gradient, f.lr});
        const Value mean = f.add(OpKind::Scale, {added}, {{"factor", 0.25}});
        f.update(f.w, f.reduce({mean}, 0));
        f.g.setOutput("added", f.flat(added));
        VERIFY_OK(verify(f.g));
        f.add(OpKind::Relu, {sum});
        VERIFY_BROKEN(f.g, "a state is not read after its update");
    }
    // Its memory is the State's, so it can't also lie in a bucket.
    void accumulatorAsAnInputOfAnAllReduce() {
        Fixture f;
        const Value sum = f.g.state("sum", f.type, "slot").value();
        f.reduce({f.flat(f.add(OpKind::Accumulate, {sum, f.gradient, f.lr}))}, 0);
        VERIFY_BROKEN(f.g, "an all_reduce sums computed values");
    }
    void movingAverageOfNoState() {
        Fixture f;
        f.add(OpKind::MovingUpdate, {f.x, f.gradient}, {{"momentum", 0.9}});
        VERIFY_BROKEN(f.g, "an update changes states only");
    }
    void bucketsOutOfOrder() {
        Fixture f;
        f.reduce({f.gradient}, 1);
        VERIFY_BROKEN(f.g, "buckets count 0, 1, … in the order of the nodes");
    }
    void reduceOfASource() {
        for (const bool state : {false, true}) {
            Fixture f;
            f.reduce({f.flat(state ? f.w : f.x)}, 0);
            VERIFY_BROKEN(f.g, "an all_reduce sums computed values");
        }
    }
    void reduceOfASumOrAnUpdate() {
        Fixture f;
        f.reduce({f.reduce({f.gradient}, 0)}, 1);
        VERIFY_BROKEN(f.g, "an all_reduce sums computed values");
        Fixture g;
        g.reduce({g.update(g.w, g.gradient)}, 0);
        VERIFY_BROKEN(g.g, "an all_reduce sums computed values");
    }
    void valueSummedTwice() {
        Fixture f;
        f.reduce({f.gradient, f.gradient}, 0);
        VERIFY_BROKEN(f.g, "a value is summed once");
    }
    void inputOfAnAllReduceReadLater() {
        Fixture f;
        f.reduce({f.gradient}, 0);
        f.add(OpKind::Relu, {f.gradient});
        VERIFY_BROKEN(f.g, "an input of an all_reduce is not read after it");
    }
    void outputOverwritten() {
        Fixture f;
        f.reduce({f.gradient}, 0);
        f.g.setOutput("g", f.gradient);
        VERIFY_BROKEN(f.g, "output \"g\" is not overwritten by an all_reduce");
    }
    void outputThatIsNotThere() {
        Fixture f;
        f.g.setOutput("y", {f.gradient.node, 1});
        VERIFY_BROKEN(f.g, "output \"y\" exists");
        f.g.setOutput("y", {NodeId{77}, 0});
        VERIFY_BROKEN(f.g, "output \"y\" exists");
    }
};

LOCKSTEP_TEST(VerifyTest)
#include "verify_test.moc"
