// Gradient checkpointing as a pass over whole training steps. That the numbers stay the same is in tests/train/recompute_test.cpp.
#include <support/test.h>

#include <exec/arena.h>
#include <passes/pipeline.h>

#include <algorithm>

using namespace lockstep;
using namespace lockstep::passes;
using namespace lockstep::graph;

namespace {

double workOf(const Graph& graph) { return exec::costOf(graph).flops; }

nn::ModelOptions modelOf(const QString& preset) {
    nn::ModelOptions options;
    options.preset = preset.toStdString();
    options.inputShape = {32, 32, 3};
    return options;
}

TrainStep stepOf(const QString& preset, std::int64_t rows, std::vector<RecomputeCut> cuts = {}, int accumulation = 1) {
    TrainStepOptions options;
    options.allReduce = false;
    options.accumulation = accumulation;
    options.recompute = std::move(cuts);
    return makeTrainStep(nn::buildModel(modelOf(preset), rows, DType::F32).value(), options).value();
}

std::size_t count(const Graph& graph, OpKind op) { return graph.nodesOf(op).size(); }

}  // namespace

class RecomputeTest : public QObject {
    Q_OBJECT
private slots:
    // Behind the cuts nothing is made again; before them every convolution is, once.
    void whatIsBeforeACutIsMadeAgainOnce() {
        const TrainStep plain = stepOf("resnet20", 8);
        const std::size_t all = count(plain.graph, OpKind::Conv2D);
        const std::string middle = plain.graph.node(plain.graph.nodesOf(OpKind::Conv2D)[all / 2]).name;
        const TrainStep cut = stepOf("resnet20", 8, {{middle}});
        const std::size_t again = count(cut.graph, OpKind::Conv2D) - all;
        // The cut's own convolution is kept: its result is read on the other side.
        QVERIFY2(again >= all / 2 - 1 && again <= all / 2 + 1, QByteArray::number(qulonglong(again)).constData());
        for (const NodeId id : cut.graph.nodesOf(OpKind::Conv2D)) {
            const std::string& name = cut.graph.node(id).name;
            if (name.ends_with("/again")) QVERIFY(cut.graph.find(name.substr(0, name.size() - 6)).has_value());
        }
        VERIFY_OK(verify(cut.graph));
    }
    void statisticsAndUpdatesHappenOnce() {
        const TrainStep plain = stepOf("resnet20", 8);
        const TrainStep cut = stepOf("resnet20", 8, {{"add_3"}, {"add_1", 2}});
        for (const OpKind op : {OpKind::BatchMoments, OpKind::MovingUpdate, OpKind::AdamUpdate, OpKind::SoftmaxCrossEntropy,
                                OpKind::Conv2DFilterGrad, OpKind::State, OpKind::Input})
            QCOMPARE(count(cut.graph, op), count(plain.graph, op));
        QVERIFY(count(cut.graph, OpKind::Conv2D) > count(plain.graph, OpKind::Conv2D));
        const auto statesOf = [](const Graph& graph) {
            QStringList names;
            for (const NodeId id : graph.nodesOf(OpKind::State)) names << QString::fromStdString(graph.node(id).name);
            return names;
        };
        QCOMPARE(statesOf(cut.graph), statesOf(plain.graph));
    }
    void choicesGetSmallerAndDearer_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<double>("share");  // of the arena that the smallest choice needs at most
        QTest::newRow("resnet20") << "resnet20" << 0.45;
        QTest::newRow("mobilenet") << "mobilenet" << 0.5;
        QTest::newRow("lenet5") << "lenet5" << 1.0;
    }
    void choicesGetSmallerAndDearer() {
        QFETCH(QString, preset);
        QFETCH(double, share);
        const TrainStep step = stepOf(preset, 128);
        const auto choices = recomputeChoices(step.graph, step.lastForward, workOf);
        VERIFY_OK(choices);
        QVERIFY(choices->front().cuts.empty());
        QCOMPARE(choices->front().bytes, exec::planArena(step.graph).bytes());
        for (std::size_t i = 1; i < choices->size(); ++i) {
            const RecomputeChoice& one = (*choices)[i];
            QVERIFY(!one.cuts.empty());
            QVERIFY(one.bytes < (*choices)[i - 1].bytes);
            QVERIFY(one.seconds >= (*choices)[i - 1].seconds);
            // What a choice says is what a step with its cuts has.
            const TrainStep made = stepOf(preset, 128, one.cuts);
            QCOMPARE(exec::planArena(made.graph).bytes(), one.bytes);
            QCOMPARE(workOf(made.graph), one.seconds);
        }
        const double least = static_cast<double>(choices->back().bytes) / static_cast<double>(choices->front().bytes);
        qInfo("%zu choices, the smallest needs %.2f of the arena for %.2f of the work", choices->size(), least,
              choices->back().seconds / choices->front().seconds);
        QVERIFY(least <= share);
    }
    void theMicroStepIsCutToo() {
        const TrainStep plain = stepOf("resnet20", 8, {}, 2), cut = stepOf("resnet20", 8, {{"add_3"}}, 2);
        QVERIFY(count(*cut.micro, OpKind::Conv2D) > count(*plain.micro, OpKind::Conv2D));
        QCOMPARE(count(*cut.micro, OpKind::Conv2D), count(cut.graph, OpKind::Conv2D));
    }
    void unknownPlacesAreRefused() {
        TrainStepOptions options;
        options.allReduce = false;
        const auto model = nn::buildModel(modelOf("cnn"), 4, DType::F32).value();
        options.recompute = {{"conv2d_9"}};
        VERIFY_ERROR(makeTrainStep(model, options), "S420");
        options.recompute = {{"conv2d", 9}};
        VERIFY_ERROR(makeTrainStep(model, options), "S420");
        options.recompute = {{"gradient_norm"}};
        VERIFY_ERROR(makeTrainStep(model, options), "S420");
    }
};

LOCKSTEP_TEST(RecomputeTest)
#include "recompute_test.moc"
