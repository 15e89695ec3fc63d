// Keys that decide how much memory a rank needs.
#include <support/test.h>

#include <spec/run_spec.h>

using namespace lockstep;
using namespace lockstep::spec;

namespace {

Result<RunSpec> read(const std::string& yaml) { return parseRunSpec("name: small\n" + yaml, "spec.yaml"); }

}  // namespace

class MemoryKeysTest : public QObject {
    Q_OBJECT
private slots:
    void memoryKeys() {
        auto spec = read("training: {recompute: auto, memory_limit: 300MiB}\ndistribution: {slices: 4}\n");
        VERIFY_OK(spec);
        QCOMPARE(spec->training.recompute, std::vector<std::string>{"auto"});
        QCOMPARE(*spec->training.memoryLimit, std::uint64_t(300) << 20);
        QCOMPARE(spec->distribution.slices, 4);
        auto again = parseRunSpec(printRunSpec(*spec), "again.yaml");
        VERIFY_OK(again);
        QVERIFY(*again == *spec);
        const auto plain = read("");
        // The update of a model with batch normalisation follows the slices, that of all models leaves memory aside.
        QVERIFY(specHash(*plain) != specHash(*spec));
        spec = read("training: {recompute: [conv2d, dense], memory_limit: null}\n");
        VERIFY_OK(spec);
        QCOMPARE(spec->training.recompute, (std::vector<std::string>{"conv2d", "dense"}));
        QCOMPARE(specHash(*plain), specHash(*spec));
        again = parseRunSpec(printRunSpec(*spec), "again.yaml");
        VERIFY_OK(again);
        QVERIFY(*again == *spec);
        VERIFY_OK(read("training: {recompute: none}\n"));
        VERIFY_ERROR(read("training: {recompute: some}\n"), "S304");
        VERIFY_ERROR(read("training: {memory_limit: 12}\n"), "S304");
        VERIFY_ERROR(read("training: {memory_limit: much}\n"), "S303");
        VERIFY_ERROR(read("distribution: {slices: 0}\n"), "S304");
        VERIFY_ERROR(read("distribution: {slices: many}\n"), "S303");
    }
};

LOCKSTEP_TEST(MemoryKeysTest)
#include "memory_keys_test.moc"
