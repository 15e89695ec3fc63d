#include <shell/issue_model.h>
#include <shell/locator_model.h>
#include <support/test.h>

#include <QAbstractItemModelTester>

using namespace lockstep::shell;

class ModelsTest : public QObject {
    Q_OBJECT
private slots:
    void issuesNewestFirstAndBounded();
    void locatorOrder();
    void locatorNeedsEveryWord();
};

void ModelsTest::issuesNewestFirstAndBounded() {
    IssueModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (int i = 0; i < 300; ++i)
        model.add({i % 3 == 0 ? Severity::Error : Severity::Warning, QStringLiteral("R500"), QStringLiteral("sentence %1").arg(i), {}});
    QCOMPARE(model.rowCount(), static_cast<int>(kMostIssues));
    QCOMPARE(model.index(0).data(IssueModel::SentenceRole).toString(), QStringLiteral("sentence 299"));
    model.add({Severity::Warning, QStringLiteral("R500"), QStringLiteral("sentence 298"), {}});
    model.add({Severity::Warning, QStringLiteral("R500"), QStringLiteral("sentence 298"), {}});
    QCOMPARE(model.rowCount(), static_cast<int>(kMostIssues));
    QCOMPARE(model.index(0).data(IssueModel::SentenceRole).toString(), QStringLiteral("sentence 298"));
    QCOMPARE(model.index(0).data(IssueModel::TimesRole).toInt(), 3);
    QCOMPARE(model.count(Severity::Error) + model.count(Severity::Warning), model.rowCount());
    model.add(
        {Severity::Error, QStringLiteral("F604"), QStringLiteral("runs is read-only."), {}, 1, QStringLiteral("/p/runs is read-only.")});
    QCOMPARE(model.index(0).data(Qt::ToolTipRole).toString(), QStringLiteral("F604 /p/runs is read-only."));
    model.clear();
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(!model.index(0).data().isValid());
}

void ModelsTest::locatorOrder() {
    LocatorModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setItems({{LocatorKind::Action, "a", "Collapse the page bar", "logs of it", "overview"},
                    {LocatorKind::Run, "b", "catalogs", "", "live"},
                    {LocatorKind::Run, "c", "more logs", "", "live"},
                    {LocatorKind::Page, "d", "Logs", "", "logs"}});
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.itemAt(0).id, QStringLiteral("a"));  // no query: as given
    model.setQuery(QStringLiteral("LOGS"));
    QStringList order;
    for (int row = 0; row < model.rowCount(); ++row) order << model.itemAt(row).id;
    QCOMPARE(order, QStringList({"d", "c", "b", "a"}));
    model.setQuery(QStringLiteral("nothing like this"));
    QCOMPARE(model.rowCount(), 0);
}

void ModelsTest::locatorNeedsEveryWord() {
    const LocatorItem item{LocatorKind::Run, "x", "mnist-mirrored", "running, loss 0.253", "live"};
    QVERIFY(locatorScore(item, QStringLiteral("mirrored run")) > 0);
    QVERIFY(locatorScore(item, QStringLiteral("  mnist   0.253 ")) > 0);
    QCOMPARE(locatorScore(item, QStringLiteral("mirrored failed")), 0);
    QVERIFY(locatorScore(item, {}) > 0);
}

LOCKSTEP_TEST(ModelsTest)
#include "models_test.moc"
