#include <support/test.h>

#include <keras/tensor.h>

#include <cmath>
#include <cstring>

using namespace lockstep;
using namespace lockstep::keras;

namespace {

template <class T>
Tensor tensorOf(Element element, const std::vector<T>& values) {
    Tensor tensor{element, {static_cast<std::int64_t>(values.size())}, std::vector<std::byte>(values.size() * sizeof(T))};
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
    return tensor;
}

template <class T>
std::vector<T> valuesOf(const std::vector<std::byte>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

}  // namespace

class TensorTest : public QObject {
    Q_OBJECT
private slots:
    void halvesBecomeFloats() {
        const auto half =
            convertTo(graph::DType::F32, tensorOf<std::uint16_t>(Element::F16, {0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0x7e00, 0x8000}));
        VERIFY_OK(half);
        const auto values = valuesOf<float>(*half);
        QCOMPARE(values[0], 1.0f);
        QCOMPARE(values[1], -2.0f);
        QVERIFY(values[2] == std::ldexp(1.0f, -24));
        QCOMPARE(values[3], 65504.0f);
        QVERIFY(std::isinf(values[4]) && std::isnan(values[5]) && std::signbit(values[6]));
        const auto brain = convertTo(graph::DType::F64, tensorOf<std::uint16_t>(Element::BF16, {0x3f80, 0xc049, 0x7f80}));
        VERIFY_OK(brain);
        QCOMPARE(valuesOf<double>(*brain)[0], 1.0);
        QCOMPARE(valuesOf<double>(*brain)[1], -3.140625);
        QVERIFY(std::isinf(valuesOf<double>(*brain)[2]));
    }
    void doublesAreRounded() {
        const auto values = convertTo(graph::DType::F32, tensorOf<double>(Element::F64, {0.1, 1e300}));
        VERIFY_OK(values);
        QCOMPARE(valuesOf<float>(*values)[0], 0.1f);
        QVERIFY(std::isinf(valuesOf<float>(*values)[1]));
    }
    void wholeNumbers() {
        const auto same = convertTo(graph::DType::I32, tensorOf<std::int64_t>(Element::I64, {20, -3, 2147483647}));
        VERIFY_OK(same);
        QVERIFY((valuesOf<std::int32_t>(*same) == std::vector<std::int32_t>{20, -3, 2147483647}));
        VERIFY_ERROR(convertTo(graph::DType::I32, tensorOf<std::int64_t>(Element::I64, {2147483648})), "C711");
        VERIFY_ERROR(convertTo(graph::DType::F32, tensorOf<std::int64_t>(Element::I64, {1})), "C711");
        VERIFY_ERROR(convertTo(graph::DType::I32, tensorOf<float>(Element::F32, {1})), "C711");
    }
    void sizesOfShapes() {
        QCOMPARE(*bytesOf(Element::F64, {2, 3}), std::uint64_t{48});
        QCOMPARE(*bytesOf(Element::F16, {}), std::uint64_t{2});
        QCOMPARE(*bytesOf(Element::F32, {0, 5}), std::uint64_t{0});
        QVERIFY(!bytesOf(Element::F32, {-1}));
        QVERIFY(!bytesOf(Element::F32, {1LL << 40, 2}));
        QVERIFY(!bytesOf(Element::F32, {0, 1LL << 40, 2}));
        QVERIFY(!bytesOf(Element::F32, {1, 1, 1, 1, 1, 1, 1, 1, 1}));
    }
    void typesOfTheEngine() {
        QVERIFY(engineType(tensorOf<float>(Element::F32, {1})) == (graph::TensorType{graph::DType::F32, {1}}));
        QVERIFY(!engineType(tensorOf<std::int64_t>(Element::I64, {1})));
    }
};

LOCKSTEP_TEST(TensorTest)
#include "tensor_test.moc"
