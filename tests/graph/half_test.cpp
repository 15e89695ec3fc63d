#include <support/test.h>

#include <graph/half.h>

#include <cmath>
#include <limits>

using namespace lockstep::graph;

class HalfTest : public QObject {
    Q_OBJECT

    // The nearest of all float16 numbers by search: what toFloat16 must give.
    static std::uint16_t nearest(float value) {
        std::uint16_t best = 0;
        double distance = std::numeric_limits<double>::infinity();
        for (std::uint32_t bits = 0; bits <= 0x7c00; ++bits) {
            // Infinity stands where the next number would be.
            const double number = bits == 0x7c00 ? 65536.0 : static_cast<double>(fromFloat16(static_cast<std::uint16_t>(bits)));
            const double there = std::abs(number - std::abs(static_cast<double>(value)));
            if (there > distance || (there == distance && bits % 2 != 0)) continue;
            distance = there;
            best = static_cast<std::uint16_t>(bits);
        }
        return static_cast<std::uint16_t>(best | (std::signbit(value) ? 0x8000 : 0));
    }

private slots:
    void everyFloat16ComesBack() {
        for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
            const auto half = static_cast<std::uint16_t>(bits);
            const float value = fromFloat16(half);
            if (std::isnan(value))
                QVERIFY(std::isnan(fromFloat16(toFloat16(value))));
            else
                QCOMPARE(toFloat16(value), half);
        }
    }
    void everyBfloat16ComesBack() {
        for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
            const auto half = static_cast<std::uint16_t>(bits);
            const float value = fromBfloat16(half);
            if (std::isnan(value))
                QVERIFY(std::isnan(fromBfloat16(toBfloat16(value))));
            else
                QCOMPARE(toBfloat16(value), half);
        }
    }
    void float16RoundsToTheNearest_data() {
        QTest::addColumn<float>("value");
        for (const float value : {1.0F,         1.00048828125F, 1.00146484375F, 1.0004883F,    65504.0F,      65519.99F,     65520.0F,
                                  1e30F,        6.1e-5F,        6.1035156e-5F,  6.0975552e-5F, 5.9604645e-8F, 2.9802322e-8F, 2.9802326e-8F,
                                  8.940697e-8F, 1e-30F,         0.1F,           3.14159F,      2049.0F,       2051.0F}) {
            QTest::newRow(qPrintable(QString::number(value, 'g', 12))) << value;
            QTest::newRow(qPrintable(QString::number(-value, 'g', 12))) << -value;
        }
    }
    void float16RoundsToTheNearest() {
        QFETCH(float, value);
        QCOMPARE(toFloat16(value), nearest(value));
    }
    void knownBits() {
        QCOMPARE(toFloat16(65504.0F), std::uint16_t{0x7bff});
        QCOMPARE(toFloat16(65520.0F), std::uint16_t{0x7c00});
        QCOMPARE(toFloat16(-std::numeric_limits<float>::infinity()), std::uint16_t{0xfc00});
        QCOMPARE(toFloat16(-0.0F), std::uint16_t{0x8000});
        QCOMPARE(toBfloat16(1.0F), std::uint16_t{0x3f80});
        QCOMPARE(toBfloat16(1.00390625F), std::uint16_t{0x3f80});  // a tie: the even one
        QCOMPARE(toBfloat16(1.01171875F), std::uint16_t{0x3f82});  // a tie: the even one
        QCOMPARE(toBfloat16(1.00390637F), std::uint16_t{0x3f81});
        QCOMPARE(toBfloat16(std::numeric_limits<float>::max()), std::uint16_t{0x7f80});
        // A NaN whose upper bits are all zero must not become infinity.
        QVERIFY(std::isnan(fromBfloat16(toBfloat16(std::bit_cast<float>(0x7f800001U)))));
    }
    void arrays() {
        const float values[] = {0.1F, -70000.0F, 3.0F};
        std::uint16_t bits[3];
        float back[3];
        for (const DType dtype : {DType::BF16, DType::F16}) {
            narrowTo(dtype, values, bits);
            widenFrom(dtype, bits, back);
            for (int i = 0; i < 3; ++i) QCOMPARE(back[i], rounded(values[i], dtype));
        }
        QVERIFY(std::isinf(rounded(-70000.0F, DType::F16)));
        QCOMPARE(rounded(0.1F, DType::F32), 0.1F);
    }
};

LOCKSTEP_TEST(HalfTest)
#include "half_test.moc"
