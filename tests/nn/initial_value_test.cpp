#include <support/test.h>

#include <nn/model.h>

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

}  // namespace

class InitialValueTest : public QObject {
    Q_OBJECT
private slots:
    // Recorded with Keras 3.15.1 on TensorFlow 2.21.0: GlorotUniform(seed)(shape).
    void glorotHasKerasBits_data() {
        QTest::addColumn<std::uint64_t>("seed");
        QTest::addColumn<QList<std::int64_t>>("dims");
        QTest::addColumn<float>("first");
        QTest::addColumn<QString>("crc");
        QTest::newRow("1337 [3, 4]") << std::uint64_t{1337} << QList<std::int64_t>{3, 4} << 0.11088264f << "a2a97550";
        QTest::newRow("7 [3, 4]") << std::uint64_t{7} << QList<std::int64_t>{3, 4} << 0.457501054f << "0e04b0d6";
        QTest::newRow("1337 [784, 128]") << std::uint64_t{1337} << QList<std::int64_t>{784, 128} << 0.00971437991f << "c10042b3";
        QTest::newRow("7 [784, 128]") << std::uint64_t{7} << QList<std::int64_t>{784, 128} << 0.0400814712f << "d8f4b3e5";
        QTest::newRow("1337 [3, 3, 1, 32]") << std::uint64_t{1337} << QList<std::int64_t>{3, 3, 1, 32} << 0.0170229375f << "9401b0c5";
        QTest::newRow("7 [3, 3, 1, 32]") << std::uint64_t{7} << QList<std::int64_t>{3, 3, 1, 32} << 0.0702365041f << "e9ec4aed";
    }
    void glorotHasKerasBits() {
        QFETCH(std::uint64_t, seed);
        QFETCH(QList<std::int64_t>, dims);
        QFETCH(float, first);
        QFETCH(QString, crc);
        const Shape shape(std::vector<std::int64_t>(dims.begin(), dims.end()));
        const auto bytes = initialValue({"w", {DType::F32, shape}, "glorot_uniform"}, seed, 0);
        QCOMPARE(numbers<float>(bytes)[0], first);
        QCOMPARE(crcOf(bytes), crc);
    }
    void bothTypesStartFromTheSameNumbers() {
        const auto single = numbers<float>(initialValue({"w", {DType::F32, {30, 40}}, "glorot_uniform"}, 5, 3));
        const auto wide = numbers<double>(initialValue({"w", {DType::F64, {30, 40}}, "glorot_uniform"}, 5, 3));
        QCOMPARE(single.size(), wide.size());
        for (std::size_t i = 0; i < single.size(); ++i) QCOMPARE(static_cast<double>(single[i]), wide[i]);
    }
    void everyWeightAndSeedHasItsOwnStream() {
        const WeightInfo weight{"w", {DType::F32, {50, 50}}, "glorot_uniform"};
        const auto base = initialValue(weight, 1, 0);
        QVERIFY(base == initialValue(weight, 1, 0));
        QVERIFY(base != initialValue(weight, 1, 1));
        QVERIFY(base != initialValue(weight, 2, 0));
    }
    void valuesFillTheInterval() {
        const auto values = numbers<float>(initialValue({"w", {DType::F32, {100, 100}}, "glorot_uniform"}, 9, 2));
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
        for (const std::byte b : initialValue({"b", {DType::F64, {17}}, "zeros"}, 1, 1)) QCOMPARE(b, std::byte{0});
    }
};

LOCKSTEP_TEST(InitialValueTest)
#include "initial_value_test.moc"
