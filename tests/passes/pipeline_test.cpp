#include <support/test.h>

#include <passes/pipeline.h>

#include <algorithm>

using namespace lockstep;
using namespace lockstep::passes;
using namespace lockstep::graph;

namespace {

nn::Model model(const char* preset, DType dtype = DType::F32) { return nn::buildModel({preset, {28, 28, 1}, 10}, 16, dtype).value(); }

QStringList passNames(const TrainStep& step) {
    QStringList names;
    for (const auto& time : step.times) names << QString::fromStdString(time.pass);
    return names;
}

std::size_t count(const Graph& graph, OpKind op) { return graph.nodesOf(op).size(); }

}  // namespace

class PipelineTest : public QObject {
    Q_OBJECT
private slots:
    void wholeStepsOfThePresetsAreLegal() {
        for (const char* preset : {"mlp", "cnn"}) {
            for (const char* optimizer : {"sgd", "adam"}) {
                for (const DType dtype : {DType::F32, DType::F64}) {
                    TrainStepOptions options;
                    options.optimizer.name = optimizer;
                    const auto step = makeTrainStep(model(preset, dtype), options);
                    VERIFY_OK(step);
                    VERIFY_OK(verify(step->graph));
                    QVERIFY(parse(print(step->graph)).value() == step->graph);
                    for (const char* name : {"loss", "correct", "gradient_norm"}) QVERIFY(step->graph.outputs().contains(name));
                    QCOMPARE(count(step->graph, OpKind::BiasAdd) + count(step->graph, OpKind::Relu), std::size_t{0});
                }
            }
        }
    }
    void feedsAndStatesKeepTheirOrder() {
        const auto step = makeTrainStep(model("mlp"), {});
        VERIFY_OK(step);
        QStringList inputs, states;
        for (const auto id : step->graph.nodesOf(OpKind::Input)) inputs << QString::fromStdString(step->graph.node(id).name);
        for (const auto id : step->graph.nodesOf(OpKind::State)) states << QString::fromStdString(step->graph.node(id).name);
        QCOMPARE(inputs, (QStringList{"x", "labels", "weights", "learning_rate", "step"}));
        QCOMPARE(states.mid(0, 4), (QStringList{"dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"}));
        QCOMPARE(states.mid(4, 2), (QStringList{"dense/kernel/m", "dense/kernel/v"}));
        QCOMPARE(states.size(), 12);
    }
    void bucketsStartInTheOrderOfBackward() {
        TrainStepOptions options;
        options.bytesPerPack = 1000;
        const auto step = makeTrainStep(model("cnn"), options);
        VERIFY_OK(step);
        const auto buckets = step->graph.nodesOf(OpKind::AllReduce);
        // dense bias and kernel (64 kB), conv2d_1 bias and kernel, the first layer with loss and correct.
        QCOMPARE(buckets.size(), std::size_t{3});
        std::vector<std::size_t> sizes;
        NodeId before{0};
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            const Node& node = step->graph.node(buckets[i]);
            QCOMPARE(intAttribute(node.attributes, "bucket"), static_cast<std::int64_t>(i));
            sizes.push_back(node.inputs.size());
            // Every gradient of a bucket is later than those of the bucket before, and the last one stands right in front of the node.
            NodeId last{0};
            for (const Value& value : node.inputs) {
                if (step->graph.type(value).shape.rank() == 0) continue;
                QVERIFY(value.node > before);
                last = std::max(last, value.node);
            }
            QCOMPARE(last.value + 1, buckets[i].value);
            before = last;
        }
        QCOMPARE(sizes, (std::vector<std::size_t>{2, 2, 4}));
        // Backward goes on after the first bucket has started.
        QVERIFY(buckets[0].value + 3 < buckets[1].value);
    }
    void noUpdateBeforeTheLastBucket() {
        TrainStepOptions options;
        options.bytesPerPack = 1;
        const auto step = makeTrainStep(model("cnn"), options);
        VERIFY_OK(step);
        const NodeId lastBucket = step->graph.nodesOf(OpKind::AllReduce).back();
        QVERIFY(step->graph.nodesOf(OpKind::AdamUpdate).front() > lastBucket);
    }
    void oneRankHasNoBuckets() {
        TrainStepOptions options;
        options.allReduce = false;
        options.gradientNorm = false;
        const auto step = makeTrainStep(model("mlp"), options);
        VERIFY_OK(step);
        QCOMPARE(count(step->graph, OpKind::AllReduce), std::size_t{0});
        QVERIFY(!step->graph.outputs().contains("gradient_norm"));
        QCOMPARE(passNames(*step), (QStringList{"autodiff", "updates", "fuse"}));
    }
    void theGateDumpsTimesAndLeavesOut() {
        QStringList dumped;
        TrainStepOptions options;
        options.disabled = {"fuse"};
        options.dump = [&](const std::string& pass, const Graph& graph) {
            dumped << QString::fromStdString(pass);
            QVERIFY(verify(graph).ok());
        };
        const auto step = makeTrainStep(model("mlp"), options);
        VERIFY_OK(step);
        QCOMPARE(dumped, (QStringList{"autodiff", "bucket_gradients", "gradient_norm", "updates"}));
        QCOMPARE(passNames(*step), dumped);
        QCOMPARE(count(step->graph, OpKind::BiasAdd), std::size_t{2});
    }
    void refusals() {
        TrainStepOptions options;
        options.disabled = {"autodiff"};
        const auto needed = makeTrainStep(model("mlp"), options);
        VERIFY_ERROR(needed, "S412");
        QVERIFY(needed.error().cause.find("fuse") != std::string::npos);
        options = {};
        options.optimizer.name = "adamax";
        const auto unknown = makeTrainStep(model("mlp"), options);
        VERIFY_ERROR(unknown, "S411");
        QCOMPARE(unknown.error().trail, std::vector<std::string>{"in the pass updates"});
        nn::Model empty;
        VERIFY_ERROR(makeTrainStep(empty, {}), "S406");
    }
    void evaluationIsFusedAndReadsWeightsOnly() {
        for (const char* preset : {"mlp", "cnn"}) {
            const auto evaluation = makeEvaluation(model(preset));
            VERIFY_OK(evaluation);
            for (const char* name : {"logits", "loss", "correct"}) QVERIFY(evaluation->outputs().contains(name));
            QCOMPARE(count(*evaluation, OpKind::Input), std::size_t{3});
            QCOMPARE(count(*evaluation, OpKind::BiasAdd) + count(*evaluation, OpKind::Relu), std::size_t{0});
            QCOMPARE(count(*evaluation, OpKind::State), model(preset).weights.size());
        }
    }
};

LOCKSTEP_TEST(PipelineTest)
#include "pipeline_test.moc"
