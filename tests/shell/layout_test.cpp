#include <base/file.h>
#include <shell/window_layout.h>
#include <support/scratch.h>
#include <support/test.h>

#include <sys/stat.h>

using namespace lockstep;
using namespace lockstep::shell;

class LayoutTest : public QObject {
    Q_OBJECT
private slots:
    void everythingComesBack();
    void oneFilePerProject();
    void damagedFilesAreErrors_data();
    void damagedFilesAreErrors();
    void valuesOutOfRangeAreBounded();
    void foldersThatCantBeMade();
    void windowsStayInReach();
};

void LayoutTest::everythingComesBack() {
    const test::Scratch scratch;
    WindowLayout layout;
    layout.geometry = {-40, 10, 1300, 800};
    layout.maximized = true;
    layout.page = QStringLiteral("live");
    layout.pageBar = PageBarWish::Collapsed;
    layout.dock = DockWish::Closed;
    layout.dockWidth = 300;
    layout.pane = QStringLiteral("issues");
    layout.paneHeight = 180;
    const auto file = scratch / "deep" / "below" / "layout.json";
    VERIFY_OK(writeLayout(file, layout));
    const auto back = readLayout(file);
    VERIFY_OK(back);
    QCOMPARE(*back, layout);
    struct stat status {};
    QCOMPARE(::stat(file.c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777, mode_t(0600));
}

void LayoutTest::oneFilePerProject() {
    const test::Scratch scratch;
    qputenv("XDG_STATE_HOME", scratch.path().c_str());
    const auto one = layoutFile(QStringLiteral("/projects/one")), two = layoutFile(QStringLiteral("/projects/two"));
    QVERIFY(one != two);
    QCOMPARE(one, layoutFile(QStringLiteral("/projects/one")));
    QCOMPARE(one.parent_path(), scratch / "lockstep" / "layouts");
    QCOMPARE(layoutFile({}).filename().string(), std::string("no-project.json"));
}

void LayoutTest::damagedFilesAreErrors_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("code");
    QTest::addRow("empty") << QByteArray() << "F640";
    QTest::addRow("cut") << QByteArray("{\"schema\":1,\"page\":\"li") << "F640";
    QTest::addRow("list") << QByteArray("[1]") << "F640";
    QTest::addRow("newer") << QByteArray("{\"schema\":2}") << "F640";
    QTest::addRow("huge") << QByteArray(100000, ' ') << "F606";
    QTest::addRow("deep") << QByteArray(30000, '[') << "F640";
}

void LayoutTest::damagedFilesAreErrors() {
    QFETCH(QByteArray, text);
    QFETCH(QString, code);
    const test::Scratch scratch;
    VERIFY_OK(replaceFile(scratch / "layout.json", text.toStdString()));
    const auto layout = readLayout(scratch / "layout.json");
    QVERIFY(!layout.ok());
    QCOMPARE(QString::fromStdString(layout.error().code), code);
    VERIFY_ERROR(readLayout(scratch / "none.json"), "F602");
}

void LayoutTest::valuesOutOfRangeAreBounded() {
    const test::Scratch scratch;
    const std::string text = R"({"schema":1,"geometry":[1e9,-1e9,-5,"wide"],"page":7,"dock_width":-3,"pane_height":1e99,"unknown":{}})";
    VERIFY_OK(replaceFile(scratch / "layout.json", text));
    const auto layout = readLayout(scratch / "layout.json");
    VERIFY_OK(layout);
    QCOMPARE(layout->geometry.width(), 0);
    QVERIFY(layout->geometry.x() <= 32768 && layout->geometry.y() >= -32768);
    QCOMPARE(layout->dockWidth, 0);
    QVERIFY(layout->page.isEmpty());
    QCOMPARE(layout->dock, DockWish::Open);
}

void LayoutTest::foldersThatCantBeMade() {
    const test::Scratch scratch;
    VERIFY_OK(replaceFile(scratch / "file", "x"));
    QVERIFY(!writeLayout(scratch / "file" / "layout.json", {}).ok());
}

void LayoutTest::windowsStayInReach() {
    const QRect screen(0, 0, 1920, 1080);
    QCOMPARE(fittedTo({100, 100, 800, 600}, screen), QRect(100, 100, 800, 600));
    QCOMPARE(fittedTo({5000, -300, 800, 600}, screen), QRect(1120, 0, 800, 600));
    QCOMPARE(fittedTo({-50, 900, 4000, 3000}, screen), screen);
}

LOCKSTEP_TEST(LayoutTest)
#include "layout_test.moc"
