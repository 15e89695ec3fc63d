// What is said of a processor's bfloat16 products, and from which speed on they pay.
#include <support/test.h>

#include <cluster/bfloat16.h>

using namespace lockstep;
using namespace lockstep::cluster;

class Bfloat16Test : public QObject {
    Q_OBJECT
private slots:
    void theSentenceFollowsTheMeasurement_data() {
        QTest::addColumn<bool>("products");
        QTest::addColumn<double>("ratio");
        QTest::addColumn<bool>("pays");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, bool products, double ratio, bool pays, const char* sentence) {
            QTest::newRow(name) << products << ratio << pays << QString::fromUtf8(sentence);
        };
        row("none", false, 0, false, "bf16 is slower on this CPU: it has no bf16 products, so they are computed in float32 and rounded");
        row("slower", true, 0.62, false, "bf16 is slower on this CPU: products run 0.6 × as fast as float32");
        row("too little", true, 1.79, false,
            "bf16 is slower on this CPU for training: products run 1.7 × as fast as float32, and a step gains from 1.8 × on");
        row("enough", true, 1.8, true, "bf16 products run 1.8 × as fast as float32");
        row("much", true, 7.96, true, "bf16 products run 7.9 × as fast as float32");
    }
    void theSentenceFollowsTheMeasurement() {
        QFETCH(bool, products);
        QFETCH(double, ratio);
        QFETCH(bool, pays);
        QFETCH(QString, sentence);
        const Bfloat16Speed speed{products, ratio};
        QCOMPARE(bfloat16Pays(speed), pays);
        QCOMPARE(QString::fromStdString(bfloat16Sentence(speed)), sentence);
        const DoctorCheck check = checkBfloat16(speed);
        QCOMPARE(check.name, std::string("bf16"));
        QVERIFY(check.status == CheckStatus::Pass);
        QCOMPARE(check.line, bfloat16Sentence(speed));
    }
};

LOCKSTEP_TEST(Bfloat16Test)
#include "bfloat16_test.moc"
