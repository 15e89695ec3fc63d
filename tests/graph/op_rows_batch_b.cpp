#include "op_rows.h"

namespace lockstep::test {
namespace {

const Attribute kFlag = std::int64_t{1};
const Attributes kMse{{"kind", std::string("mse")}};
const Attributes kGelu{{"kind", std::string("gelu")}};
const Attributes kNorm{{"epsilon", 1e-3}};
const Attributes kDropout{{"rate", 0.5}, {"seed", std::int64_t{-1}}};

Attributes lists(const char* first, List a, const char* second, List b) { return {{first, std::move(a)}, {second, std::move(b)}}; }

}  // namespace

std::vector<Good> goodShapeRows() {
    using enum OpKind;
    return {
        {"pad", Pad, "f32[2,3]", lists("before", {0, 1}, "after", {2, 0}), "f32[4, 4]"},
        {"slice", Slice, "f32[2,3]", lists("begin", {1, 0}, "shape", {1, 3}), "f32[1, 3]"},
        {"concat", Concat, "f32[2,3] f32[2,1]", {{"axis", kFlag}}, "f32[2, 4]"},
        {"transpose", Transpose, "f64[2,3,4]", {{"permutation", List{2, 0, 1}}}, "f64[4, 2, 3]"},
        {"batch matmul", BatchMatMul, "f32[5,2,3] f32[5,3,4]", {}, "f32[5, 2, 4]"},
        {"batch matmul both", BatchMatMul, "f32[3,2] f32[4,3]", {{"transpose_a", kFlag}, {"transpose_b", kFlag}}, "f32[2, 4]"},
        {"gather", Gather, "f32[9,4] i32[2,3]", {}, "f32[2, 3, 4]"},
        {"gather grad", GatherGrad, "f32[2,3,4] i32[2,3]", {{"rows", std::int64_t{9}}}, "f32[9, 4]"},
        {"cast", Cast, "i32[2]", {{"dtype", std::string("f64")}}, "f64[2]"},
        {"activate", Activate, "f32[2]", kGelu, "f32[2]"},
        {"activate grad", ActivateGrad, "f32[2] f32[2]", kGelu, "f32[2]"},
        {"softmax", Softmax, "f32[2,3]", {}, "f32[2, 3]"},
        {"softmax grad", SoftmaxGrad, "f32[3] f32[3]", {}, "f32[3]"},
        {"layer norm", LayerNorm, "f32[2,5,3] f32[3] f32[3]", kNorm, "f32[2, 5, 3] f32[2, 5] f32[2, 5]"},
        {"layer norm grad", LayerNormGrad, "f32[2,3] f32[2,3] f32[2] f32[2] f32[3]", {}, "f32[2, 3] f32[3] f32[3]"},
        {"dropout", Dropout, "f32[2,3] f32[] f32[]", kDropout, "f32[2, 3]"},
        {"dropout f16", Dropout, "f16[2,3] f32[] f32[]", kDropout, "f16[2, 3]"},
        {"layer norm bf16", LayerNorm, "bf16[2,5,3] f32[3] f32[3]", kNorm, "bf16[2, 5, 3] f32[2, 5] f32[2, 5]"},
    };
}

std::vector<Bad> badShapeRows() {
    using enum OpKind;
    return {
        {"pad length", Pad, "f32[2,3]", lists("before", {0}, "after", {2, 0}), "S403", "before has 1 numbers"},
        {"pad negative", Pad, "f32[2]", lists("before", {-1}, "after", {0}), "S408", "from 0 on"},
        {"pad huge", Pad, "f32[1,1]", lists("before", {1LL << 30, 0}, "after", {0, 1LL << 30}), "S403", "2^40"},
        {"slice outside", Slice, "f32[2,3]", lists("begin", {1, 1}, "shape", {1, 3}), "S403", "places 1 to 3 of axis 1 are not in x"},
        {"concat axis", Concat, "f32[2,3]", {{"axis", std::int64_t{2}}}, "S403", "has no axis 2"},
        {"concat dims", Concat, "f32[2,3] f32[1,1]", {{"axis", kFlag}}, "S403", "but must have shape [2, 1]"},
        {"transpose twice", Transpose, "f32[2,3]", {{"permutation", List{0, 0}}}, "S403", "each axis of x f32[2, 3] once"},
        {"batch matmul rank", BatchMatMul, "f32[2] f32[2]", {}, "S403", "at least 2 axes"},
        {"batch matmul batch", BatchMatMul, "f32[5,2,3] f32[4,3,4]", {}, "S403", "axis 0 of a f32[5, 2, 3] and of b f32[4, 3, 4] differ"},
        {"batch matmul inner", BatchMatMul, "f32[5,2,3] f32[5,4,4]", {}, "S403", "are 3 and 4"},
        {"gather ids", Gather, "f32[9,4] f32[2]", {}, "S403", "must be i32"},
        {"gather grad dy", GatherGrad, "f32[2,4] i32[3]", {{"rows", std::int64_t{9}}}, "S403", "dy is f32[2, 4]"},
        {"gather grad rows", GatherGrad, "f32[2,4] i32[2]", {{"rows", std::int64_t{0}}}, "S403", "rows must be at least 1"},
        {"cast to ints", Cast, "f32[2]", {{"dtype", std::string("i32")}}, "S403", "must be f32, f64, bf16 or f16"},
        {"activate kind", Activate, "f32[2]", {{"kind", std::string("relu7")}}, "S403", "must be one of relu6, leaky_relu"},
        {"activate grad", ActivateGrad, "f32[2] f32[3]", kGelu, "S403", "must be of one type"},
        {"softmax scalar", Softmax, "f32[]", {}, "S403", "last axis"},
        {"softmax grad", SoftmaxGrad, "f32[3] f64[3]", {}, "S403", "must be of one type"},
        {"layer norm gamma", LayerNorm, "f32[2,5,3] f32[5] f32[3]", kNorm, "S403", "gamma is f32[5]"},
        {"layer norm grad mean", LayerNormGrad, "f32[2,3] f32[2,3] f32[3] f32[2] f32[3]", {}, "S403", "mean is f32[3]"},
        {"dropout step", Dropout, "f32[2,3] f32[1] f32[]", kDropout, "S403", "step is f32[1]"},
        {"dropout rate", Dropout, "f32[2,3] f32[] f32[]", with(kDropout, "rate", 1.5), "S408", "from 0 to 1"},
    };
}

std::vector<Good> goodTargetRows() {
    using enum OpKind;
    return {
        {"categorical", CategoricalCrossEntropy, "f32[4,3] f32[4,3] f32[4]", {{"label_smoothing", 0.1}}, "f32[]"},
        {"categorical grad", CategoricalCrossEntropyGrad, "f32[4,3] f32[4,3] f32[4]", {{"from_logits", kFlag}}, "f32[4, 3]"},
        {"binary", BinaryCrossEntropy, "f32[4,1] f32[4,1] f32[4]", {}, "f32[]"},
        {"binary grad", BinaryCrossEntropyGrad, "f32[4,1] f32[4,1] f32[4]", {}, "f32[4, 1]"},
        {"regression", RegressionLoss, "f64[4,2] f64[4,2] f64[4]", kMse, "f64[]"},
        {"regression grad", RegressionLossGrad, "f64[4,2] f64[4,2] f64[4]", with(kMse, "delta", 2.0), "f64[4, 2]"},
        {"top k", TopKCorrect, "f32[4,10] i32[4] f32[4]", {{"k", std::int64_t{5}}}, "f32[]"},
        {"binary correct", BinaryCorrect, "f32[4,2] f32[4,2] f32[4]", {{"threshold", 0.5}}, "f32[]"},
        {"categorical correct", CategoricalCorrect, "f32[4,2] f32[4,2] f32[4]", {}, "f32[]"},
        {"counts even",
         ConfusionCounts,
         "f32[4,2] f32[4,2] f32[4]",
         {{"kind", std::string("even")}, {"buckets", std::int64_t{5}}},
         "f32[2, 5]"},
        {"counts above", ConfusionCounts, "f64[4,2] f64[4,2] f64[4]", {{"kind", std::string("above")}}, "f64[2, 2]"},
        {"absolute sum", AbsSum, "f32[4] f32[2,2] f32[]", {}, "f32[]"},
        {"sign", Sign, "f64[2,3]", {}, "f64[2, 3]"},
        {"all finite", AllFinite, "f32[4] f32[]", {}, "f32[]"},
    };
}

std::vector<Bad> badTargetRows() {
    using enum OpKind;
    return {
        {"categorical target", CategoricalCrossEntropy, "f32[4,3] f32[4,2] f32[4]", {}, "S403", "target is f32[4, 2]"},
        {"categorical grad weights", CategoricalCrossEntropyGrad, "f32[4,3] f32[4,3] f32[3]", {}, "S403", "weights is f32[3]"},
        {"binary rank", BinaryCrossEntropy, "f32[4] f32[4] f32[4]", {}, "S403", "must have 2 axes"},
        {"binary grad types", BinaryCrossEntropyGrad, "f32[4,1] f32[4,1] f64[4]", {}, "S403", "one element type"},
        {"regression kind", RegressionLoss, "f32[4,2] f32[4,2] f32[4]", {{"kind", std::string("mape")}}, "S403", "mse, mae or huber"},
        {"regression delta", RegressionLossGrad, "f32[4,2] f32[4,2] f32[4]", with(kMse, "delta", 0.0), "S408", "above 0"},
        {"top k", TopKCorrect, "f32[4,10] i32[4] f32[4]", {{"k", std::int64_t{0}}}, "S403", "k must be at least 1"},
        {"binary correct", BinaryCorrect, "f32[4,2] f32[4,2] f32[4]", {}, "S408", "\"threshold\" is missing"},
        {"categorical correct", CategoricalCorrect, "f32[4,2] i32[4] f32[4]", {}, "S403", "target is i32[4]"},
        {"absolute sum types", AbsSum, "f32[2] f64[2]", {}, "S403", "input 1 is f64[2]"},
        {"counts kind", ConfusionCounts, "f32[4,2] f32[4,2] f32[4]", {{"kind", std::string("odd")}}, "S403", "even, above or top_k"},
        {"counts buckets", ConfusionCounts, "f32[4,2] f32[4,2] f32[4]", {{"kind", std::string("even")}}, "S403", "at least 2"},
        {"counts k",
         ConfusionCounts,
         "f32[4,2] f32[4,2] f32[4]",
         {{"kind", std::string("top_k")}, {"k", std::int64_t{0}}},
         "S403",
         "k must be"},
        {"counts labels", ConfusionCounts, "f32[4,2] i32[4] f32[4]", {{"kind", std::string("above")}}, "S403", "target is i32[4]"},
        {"sign of labels", Sign, "i32[4]", {}, "S403", "sign"},
        {"all finite", AllFinite, "f32[4] i32[4]", {}, "S403", "one element type"},
    };
}

}  // namespace lockstep::test
