// Where 16 bits are slower, the plan, the ladder and the doctor say so, and nothing takes them by itself.
#include <support/scratch.h>
#include <support/test.h>

#include <workbench/workbench.h>

#include <algorithm>

using namespace lockstep;

namespace {

const std::string kSpec =
    "schema: 1\nname: narrow\nstrategy: OneDeviceStrategy\nmodel: {preset: cnn}\n"
    "data: {dataset: synthetic, shape: [28, 28, 1], rows: 600}\n"
    "training: {global_batch_size: 64, epochs: 1";

api::SpecSource sourceOf(const std::string& more) {
    api::SpecSource source;
    source.file = "narrow.yaml";
    source.text = kSpec + more + "}\n";
    return source;
}

}  // namespace

class PrecisionTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsMeasuredIsSaid_data() {
        QTest::addColumn<bool>("products");
        QTest::addColumn<double>("ratio");
        QTest::addColumn<QString>("said");
        QTest::newRow("slower") << false << 0.0 << "bf16 is slower on this CPU";
        QTest::newRow("faster") << true << 2.5 << "bf16 products run 2.5";
    }
    void whatIsMeasuredIsSaid() {
        QFETCH(bool, products);
        QFETCH(double, ratio);
        QFETCH(QString, said);
        const auto says = [&](const std::string& text) { return QString::fromStdString(text).contains(said); };
        int asked = 0;
        workbench::WorkbenchOptions options{m_scratch.path(), {}};
        options.bfloat16Speed = [&]() -> Result<workbench::Bfloat16Speed> {
            ++asked;
            return workbench::Bfloat16Speed{products, ratio};
        };
        const auto bench = workbench::makeWorkbench(options);
        const auto plain = bench->checks().plan(sourceOf(""));
        VERIFY_OK(plain);
        QVERIFY(!says(plain->text));
        QCOMPARE(asked, 0);  // a measurement nobody needs is none
        const auto narrow = bench->checks().plan(sourceOf(", mixed_precision: mixed_bfloat16"));
        VERIFY_OK(narrow);
        QVERIFY2(says(narrow->text), narrow->text.c_str());
        const auto ladder = bench->checks().fitMemory(sourceOf(""), 30u << 20);
        VERIFY_OK(ladder);
        QVERIFY2(says(ladder->text), ladder->text.c_str());
        QVERIFY(ladder->text.find("takes \"16 bits\"") == std::string::npos);
        const auto report = bench->checks().doctor();
        VERIFY_OK(report);
        const auto line = std::ranges::find(report->lines, std::string("bf16"), &api::DoctorLine::name);
        QVERIFY(line != report->lines.end() && says(line->found));
    }
    void nothingIsSaidUnmeasured() {
        const auto bench = workbench::makeWorkbench({m_scratch.path(), {}});
        const auto ladder = bench->checks().fitMemory(sourceOf(""), 30u << 20);
        VERIFY_OK(ladder);
        QVERIFY(ladder->text.find("16 bits") == std::string::npos);
    }

private:
    test::Scratch m_scratch;
};

LOCKSTEP_TEST(PrecisionTest)
#include "precision_test.moc"
