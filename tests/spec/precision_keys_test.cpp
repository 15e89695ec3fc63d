// training.mixed_precision: Keras' policies in a specification.
#include <support/test.h>

#include <spec/run_spec.h>

using namespace lockstep;
using namespace lockstep::spec;

class PrecisionKeysTest : public QObject {
    Q_OBJECT

    static Result<RunSpec> parseWith(const std::string& text) { return parseRunSpec("name: small\n" + text, "spec.yaml"); }

private slots:
    void mixedPrecision() {
        const auto plain = parseWith("training: {epochs: 1}\n");
        VERIFY_OK(plain);
        QCOMPARE(modelOptionsOf(*plain, {{28, 28, 1}, 10, 0}).policy, std::string("float32"));
        QVERIFY(!optimizerOptionsOf(*plain).dynamicLossScale);
        const auto bfloat = parseWith("training: {mixed_precision: mixed_bfloat16}\n");
        VERIFY_OK(bfloat);
        QCOMPARE(modelOptionsOf(*bfloat, {{28, 28, 1}, 10, 0}).policy, std::string("mixed_bfloat16"));
        QVERIFY(!optimizerOptionsOf(*bfloat).dynamicLossScale);
        QVERIFY(specHash(*bfloat) != specHash(*plain));
        const auto half = parseWith("training: {mixed_precision: mixed_float16}\n");
        VERIFY_OK(half);
        QVERIFY(optimizerOptionsOf(*half).dynamicLossScale);
        // Plain float16 has nothing that keeps weights and sums apart from it.
        VERIFY_ERROR(parseWith("training: {mixed_precision: float16}\n"), "S304");
    }
};

LOCKSTEP_TEST(PrecisionKeysTest)
#include "precision_keys_test.moc"
