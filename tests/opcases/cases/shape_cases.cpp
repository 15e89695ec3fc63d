#include "case_maker.h"

namespace lockstep::opcases {
namespace {

using List = std::vector<std::int64_t>;

class Shapes : public CaseMaker {
public:
    void pad(const Shape& x, const List& before, const List& after) {
        add("pad " + x.toText(), OpKind::Pad, {{x}}, {{"before", before}, {"after", after}});
    }
    void slice(const Shape& x, const List& begin, const List& shape) {
        add("slice " + x.toText() + " to " + Shape(shape).toText(), OpKind::Slice, {{x}}, {{"begin", begin}, {"shape", shape}});
    }
    void concat(const std::string& name, const std::vector<Shape>& parts, std::int64_t axis) {
        std::vector<Operand> operands;
        for (const Shape& part : parts) operands.push_back({part});
        add("concat " + name, OpKind::Concat, operands, {{"axis", axis}});
    }
    void transpose(const Shape& x, const List& permutation) {
        add("transpose " + x.toText() + " by " + Shape(permutation).toText(), OpKind::Transpose, {{x}}, {{"permutation", permutation}});
    }
    void batchMatMul(const std::string& name, const List& batch, std::int64_t m, std::int64_t k, std::int64_t n) {
        const auto shape = [&](std::int64_t rows, std::int64_t columns) {
            List dims = batch;
            dims.insert(dims.end(), {rows, columns});
            return Shape(dims);
        };
        for (const bool ta : {false, true})
            for (const bool tb : {false, true}) {
                Attributes attributes;
                if (ta) attributes.emplace("transpose_a", std::int64_t{1});
                if (tb) attributes.emplace("transpose_b", std::int64_t{1});
                add("batch_matmul " + name + (ta ? " T" : " N") + (tb ? "T" : "N"), OpKind::BatchMatMul,
                    {{ta ? shape(k, m) : shape(m, k)}, {tb ? shape(n, k) : shape(k, n)}}, attributes);
            }
    }
    void gather(const Shape& ids, int rows, std::int64_t columns) {
        const Operand places{ids, Fill::Labels, false, rows, 0, true};
        auto dims = ids.dims();
        dims.push_back(columns);
        const std::string name = ids.toText() + " of " + Shape{rows, columns}.toText();
        add("gather " + name, OpKind::Gather, {{Shape{rows, columns}}, places});
        add("gather_grad " + name, OpKind::GatherGrad, {{Shape(dims)}, places}, {{"rows", std::int64_t{rows}}});
    }
};

void addCasts(Shapes& list) {
    for (const Shape& shape : {Shape{}, Shape{7, 13}})
        for (const char* dtype : {"f32", "f64", "bf16", "f16"}) {
            const Attributes attributes{{"dtype", std::string(dtype)}};
            list.add("cast " + shape.toText() + " to " + dtype, OpKind::Cast, {{shape}}, attributes);
            list.add("cast labels " + shape.toText() + " to " + dtype, OpKind::Cast, {{shape, Fill::Labels, false, 9, 0, true}},
                     attributes);
        }
}

}  // namespace

std::vector<OpCase> shapeCases() {
    Shapes list;
    list.pad({1}, {0}, {0});
    list.pad({2, 5, 7, 3}, {0, 1, 2, 0}, {0, 2, 1, 0});
    list.pad({3, 4}, {2, 0}, {0, 5});
    list.slice({5}, {4}, {1});
    list.slice({2, 5, 7, 3}, {0, 1, 2, 0}, {2, 3, 4, 3});
    list.slice({7, 11}, {0, 0}, {7, 11});
    list.concat("one", {{3, 5}}, 0);
    list.concat("rows", {{1, 5}, {3, 5}, {2, 5}}, 0);
    list.concat("channels", {{2, 3, 5, 1}, {2, 3, 5, 7}}, 3);
    list.concat("middle", {{2, 3, 5}, {2, 1, 5}, {2, 11, 5}}, 1);
    list.transpose({5}, {0});
    list.transpose({7, 13}, {1, 0});
    list.transpose({2, 3, 5, 7}, {0, 2, 1, 3});
    list.transpose({2, 3, 5, 7}, {3, 0, 2, 1});
    list.batchMatMul("flat 1x1x1", {}, 1, 1, 1);
    list.batchMatMul("3 of 5x7x2", {3}, 5, 7, 2);
    list.batchMatMul("2x3 of 11x4x13", {2, 3}, 11, 4, 13);
    list.gather({7}, 5, 3);
    list.gather({2, 11}, 13, 1);
    list.gather({1}, 1, 17);
    addCasts(list);
    return list.take();
}

}  // namespace lockstep::opcases
