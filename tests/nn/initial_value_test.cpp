#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <nn/model.h>

#include <nlohmann/json.hpp>

#include <zlib.h>

#include <cmath>
#include <cstring>

using namespace lockstep;
using namespace lockstep::nn;
using graph::DType;
using graph::Shape;

namespace {

template <class T>
std::vector<T> numbers(const std::vector<std::byte>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

QString crcOf(const std::vector<std::byte>& bytes) {
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
    return QStringLiteral("%1").arg(crc, 8, 16, QLatin1Char('0'));
}

// "GlorotUniform" → "glorot_uniform"
std::string snakeCase(const std::string& name) {
    std::string out;
    for (const char c : name) {
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper && !out.empty()) out += '_';
        out += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

}  // namespace

class InitialValueTest : public QObject {
    Q_OBJECT
private slots:
    // Recorded with Keras 3.15.1 on TensorFlow 2.21.0: initializer(seed)(shape), its first and last numbers and the CRC-32 of all bits.
    void initializersHaveKerasBits() {
        const auto file = readFile(test::sourceDir() / "tests/fixtures/keras_layers/initializers.json");
        VERIFY_OK(file);
        const auto recorded = nlohmann::json::parse(*file).at("initializers");
        QVERIFY(recorded.size() >= 20);
        for (const auto& one : recorded) {
            const std::string kind = one.at("class");
            const Shape shape(one.at("shape").get<std::vector<std::int64_t>>());
            Named initializer{snakeCase(kind), one.at("args").get<std::map<std::string, double, std::less<>>>()};
            const auto bytes = initialValue({"w", {DType::F32, shape}, initializer}, one.at("seed"), 0);
            const auto values = numbers<float>(bytes);
            const std::string label = kind + " " + shape.toText() + " seed " + std::to_string(one.at("seed").get<int>());
            const auto first = one.at("first").get<std::vector<float>>(), last = one.at("last").get<std::vector<float>>();
            for (std::size_t i = 0; i < first.size(); ++i) QVERIFY2(values[i] == first[i], label.c_str());
            for (std::size_t i = 0; i < last.size(); ++i) QVERIFY2(values[values.size() - last.size() + i] == last[i], label.c_str());
            QVERIFY2(crcOf(bytes) == QString::fromStdString(one.at("crc32_f32_le")), label.c_str());
            // The seed of the initializer itself wins over the run's.
            initializer.arguments.emplace("seed", one.at("seed").get<double>());
            QVERIFY(bytes == initialValue({"w", {DType::F32, shape}, initializer}, 99, 5));
        }
    }
    void constantsAreThemselves() {
        for (const float value : numbers<float>(initialValue({"w", {DType::F32, {7}}, {"ones", {}}}, 1, 1))) QCOMPARE(value, 1.0f);
        const WeightInfo constant{"w", {DType::F64, {7}}, {"constant", {{"value", 0.5}}}};
        for (const double value : numbers<double>(initialValue(constant, 1, 1))) QCOMPARE(value, 0.5);
    }
    void bothTypesStartFromTheSameNumbers() {
        const auto single = numbers<float>(initialValue({"w", {DType::F32, {30, 40}}, {"glorot_uniform", {}}}, 5, 3));
        const auto wide = numbers<double>(initialValue({"w", {DType::F64, {30, 40}}, {"glorot_uniform", {}}}, 5, 3));
        QCOMPARE(single.size(), wide.size());
        for (std::size_t i = 0; i < single.size(); ++i) QCOMPARE(static_cast<double>(single[i]), wide[i]);
    }
    void everyWeightAndSeedHasItsOwnStream() {
        const WeightInfo weight{"w", {DType::F32, {50, 50}}, {"glorot_uniform", {}}};
        const auto base = initialValue(weight, 1, 0);
        QVERIFY(base == initialValue(weight, 1, 0));
        QVERIFY(base != initialValue(weight, 1, 1));
        QVERIFY(base != initialValue(weight, 2, 0));
    }
    void valuesFillTheInterval() {
        const auto values = numbers<float>(initialValue({"w", {DType::F32, {100, 100}}, {"glorot_uniform", {}}}, 9, 2));
        const double limit = std::sqrt(6.0 / 200);
        double sum = 0, squares = 0;
        for (const float value : values) {
            QVERIFY(std::abs(value) <= limit);
            sum += value;
            squares += static_cast<double>(value) * value;
        }
        QVERIFY(std::abs(sum / 10000) < 0.01 * limit * 3);
        QVERIFY(std::abs(squares / 10000 / (limit * limit / 3) - 1) < 0.03);
    }
    void zerosAreZero() {
        for (const std::byte b : initialValue({"b", {DType::F64, {17}}, {"zeros", {}}}, 1, 1)) QCOMPARE(b, std::byte{0});
    }
};

LOCKSTEP_TEST(InitialValueTest)
#include "initial_value_test.moc"
