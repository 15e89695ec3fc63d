#include "case_maker.h"

namespace lockstep::opcases {
namespace {

class Products : public CaseMaker {
public:
    void matMul(const std::string& name, std::int64_t m, std::int64_t k, std::int64_t n) {
        for (const bool ta : {false, true})
            for (const bool tb : {false, true}) {
                Attributes attributes;
                if (ta) attributes.emplace("transpose_a", std::int64_t{1});
                if (tb) attributes.emplace("transpose_b", std::int64_t{1});
                add("matmul " + name + (ta ? " T" : " N") + (tb ? "T" : "N"), OpKind::MatMul,
                    {{ta ? Shape{k, m} : Shape{m, k}}, {tb ? Shape{n, k} : Shape{k, n}}}, attributes);
            }
        const Attributes relu{{"activation", std::string("relu")}};
        add("matmul " + name + " bias", OpKind::MatMul, {{Shape{m, k}}, {Shape{k, n}}, {Shape{n}}});
        add("matmul " + name + " bias relu", OpKind::MatMul, {{Shape{m, k}}, {Shape{k, n}}, {Shape{n}}}, relu);
        add("matmul " + name + " relu", OpKind::MatMul, {{Shape{m, k}}, {Shape{k, n}}}, relu);
    }
};

}  // namespace

std::vector<OpCase> productCases() {
    Products list;
    list.matMul("1x1x1", 1, 1, 1);
    list.matMul("1x7x13", 1, 7, 13);
    list.matMul("17x31x5", 17, 31, 5);
    list.matMul("32x784x128", 32, 784, 128);
    list.matMul("32x128x10", 32, 128, 10);
    list.matMul("128x64x10", 128, 64, 10);
    return list.take();
}

}  // namespace lockstep::opcases
