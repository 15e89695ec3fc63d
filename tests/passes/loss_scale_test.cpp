#include <support/test.h>

#include <passes/pipeline.h>

#include <algorithm>

using namespace lockstep;
using namespace lockstep::passes;
using namespace lockstep::graph;

class LossScaleTest : public QObject {
    Q_OBJECT

    static Result<TrainStep> step(bool allReduce, int accumulation = 1) {
        nn::ModelOptions model;
        model.preset = "mlp";
        model.policy = "mixed_float16";
        LS_TRY_ASSIGN(const nn::Model built, nn::buildModel(model, 4, DType::F32));
        TrainStepOptions options;
        options.optimizer.dynamicLossScale = true;
        options.optimizer.lossScaleGrowthSteps = 7;
        options.allReduce = allReduce;
        options.accumulation = accumulation;
        return makeTrainStep(built, options);
    }
    static std::size_t placeOf(const Graph& graph, OpKind op) { return graph.nodesOf(op).front().value; }

private slots:
    void gradientsAreOfTheScaledLossAndDivided() {
        const auto made = step(false);
        VERIFY_OK(made);
        const Graph& graph = made->graph;
        QCOMPARE(graph.nodesOf(OpKind::DivScalar).size(), std::size_t{4});
        // The loss people see is not scaled.
        QCOMPARE(graph.node(graph.outputs().at("loss").node).op, OpKind::SoftmaxCrossEntropy);
        for (const NodeId id : graph.nodesOf(OpKind::AdamUpdate)) {
            QVERIFY(id.value > placeOf(graph, OpKind::UpdateIf));
            QCOMPARE(graph.node(graph.node(id).inputs[1].node).op, OpKind::DivScalar);
        }
        const Node& update = graph.node(graph.nodesOf(OpKind::LossScaleUpdate).front());
        QCOMPARE(intAttribute(update.attributes, "growth_steps"), std::int64_t{7});
        for (const char* name : {"finite", "loss_scale", "skipped_steps"}) QVERIFY(graph.outputs().contains(name));
    }
    // A rank's overflow is in the sum, so that all ranks see it.
    void finitenessIsOfTheSumsOverRanks() {
        const auto made = step(true);
        VERIFY_OK(made);
        const Graph& graph = made->graph;
        const Node& check = graph.node(graph.nodesOf(OpKind::AllFinite).front());
        QCOMPARE(check.inputs.size(), std::size_t{4});
        for (const Value gradient : check.inputs) QCOMPARE(graph.node(gradient.node).op, OpKind::AllReduce);
        for (const NodeId id : graph.nodesOf(OpKind::AllReduce))
            for (const TensorType& type : graph.node(id).outputs) QCOMPARE(type.dtype, DType::F32);
    }
    void accumulationScalesEachBatch() {
        const auto made = step(false, 2);
        VERIFY_OK(made);
        QVERIFY(made->micro.has_value());
        QCOMPARE(made->micro->nodesOf(OpKind::DivScalar).size(), std::size_t{4});
        QVERIFY(made->micro->nodesOf(OpKind::LossScaleUpdate).empty());
    }
};

LOCKSTEP_TEST(LossScaleTest)
#include "loss_scale_test.moc"
