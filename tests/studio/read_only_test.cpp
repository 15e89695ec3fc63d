// The window on a project that can't be written. The test starts itself once more in a mount namespace of its own; there the window is
// opened on the read-only copy.
#include "home.h"
#include "live_cluster.h"

#include <support/read_only_mount.h>
#include <support/test.h>

#include <base/paths.h>
#include <shell/issue_model.h>
#include <studio.h>
#include <style/pill.h>
#include <workbench/workbench.h>

#include <QApplication>
#include <QListView>
#include <QPushButton>

using namespace lockstep;

namespace {

constexpr const char* kRun = "20260101-000000-aaaa";
constexpr const char* kInside = "LOCKSTEP_READ_ONLY_PROJECT";
constexpr int kPatience = 30'000;
constexpr std::uint64_t kSteps = 500;

bool hasPill(const QWidget& page, const QString& word) {
    for (const auto* pill : page.findChildren<style::StatePill*>())
        if (pill->pill().word == word) return true;
    return false;
}

}  // namespace

class ReadOnlyTest : public QObject {
    Q_OBJECT
private slots:
    void windowOnAReadOnlyDisk() {
        if (qEnvironmentVariableIsSet(kInside)) return inside(qEnvironmentVariable(kInside));
        test::Home home;
        VERIFY_OK(makeRuntimeFolder());
        const auto source = home.path() / "source", place = home.path() / "project";
        VERIFY_OK(workbench::createProject(source, "digits"));
        std::filesystem::create_directories(place);
        const auto cluster = test::LiveCluster::begin(source, kRun, {.ranks = 2, .start = 1.7e9});
        QVERIFY(cluster != nullptr && cluster->add(kSteps) && cluster->end());
        const test::ReadOnlyMount mount(source, place);
        if (!mount.refusal().isEmpty()) QSKIP(qPrintable("no mount namespace here: " + mount.refusal()));
        qputenv(kInside, QByteArray::fromStdString(place.string()));
        const auto words = mount.around({QCoreApplication::applicationFilePath(), "--only", "read_only_test"});
        QProcess self;
        self.setProcessChannelMode(QProcess::MergedChannels);
        self.start(words.front(), words.mid(1));
        const bool ended = self.waitForFinished(100'000);
        qunsetenv(kInside);
        QVERIFY2(ended && self.exitStatus() == QProcess::NormalExit && self.exitCode() == 0, self.readAll().constData());
    }

private:
    void inside(const QString& project) {
        auto tokens = style::embeddedTokens();
        QVERIFY(tokens.tokens.has_value());
        studio::Studio program(*qApp, std::move(*tokens.tokens));
        studio::Options options;
        options.project = project;
        QVERIFY(!program.begin(options));
        auto& window = program.project().window();
        auto& live = program.project().live();
        QTRY_VERIFY_WITH_TIMEOUT(live.run() == RunId{kRun} && live.isComplete(), kPatience);
        QCOMPARE(live.samples({"loss", api::kWholeRun})->size(), static_cast<std::size_t>(kSteps));
        QTRY_VERIFY_WITH_TIMEOUT(hasPill(program.project().overview(), "Not ready"), kPatience);
        QVERIFY(!hasPill(program.project().overview(), "Ready"));
        program.project().start({std::filesystem::path(project.toStdString()) / "experiments" / "mnist.yaml", {}, {}});
        const auto* issues = window.findChild<QListView*>(QStringLiteral("shell.pane.issues.list"))->model();
        QTRY_VERIFY_WITH_TIMEOUT(issues->rowCount() > 0, kPatience);
        const auto issue = [&](int role) { return issues->index(0, 0).data(role).toString(); };
        QCOMPARE(issue(shell::IssueModel::CodeRole), QString("F604"));
        QVERIFY(issue(shell::IssueModel::SentenceRole).contains("runs") && issue(shell::IssueModel::SentenceRole).endsWith('.'));
        QVERIFY(!issue(shell::IssueModel::SentenceRole).contains(project) && issue(Qt::ToolTipRole).contains(project));
        QVERIFY(!issue(shell::IssueModel::NextRole).isEmpty());
        QCOMPARE(issue(shell::IssueModel::TimesRole), QString("1"));
        QCOMPARE(window.openPane(), QString("issues"));
        for (const auto& id : window.pageIds()) {
            window.showPage(id);
            QTest::qWait(50);
            QCOMPARE(window.currentPage()->id(), id);
        }
        QVERIFY(window.isVisible());
        QCOMPARE(program.project().workbench().runs().list()->size(), std::size_t{1});
    }
};

LOCKSTEP_TEST(ReadOnlyTest)
#include "read_only_test.moc"
