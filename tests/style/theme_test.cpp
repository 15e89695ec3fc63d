#include <style/theme.h>
#include <support/scratch.h>
#include <support/test.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFontMetrics>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QVBoxLayout>

using namespace lockstep;
using namespace lockstep::style;

class ThemeTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void paletteFollowsTheTable();
    void styleSheetHasNoPlaceLeft();
    void changingTheModeChangesEverything();
    void systemModeReadsThePalette();
    void textGrowsTo200();
    void keyboardFocusIsMarkedAndMouseFocusIsNot();
    void listsGetAFrameThatMovesNothing();
    void everyIconRenders();
    void iconsTakeTheColourOfTheirRoleAndState();
    void iconsFollowTheThemeAndThePixelRatio();
    void everyIconNamedInTheSourcesExists();

private:
    QColor strongest(const QPixmap& pixmap) const;
    std::unique_ptr<Theme> m_theme;
};

void ThemeTest::init() {
    m_theme = std::make_unique<Theme>(*embeddedTokens().tokens);
    m_theme->setMode(Mode::Light);
    m_theme->apply(*qApp);
}

void ThemeTest::cleanup() { m_theme.reset(); }

void ThemeTest::paletteFollowsTheTable() {
    const QPalette palette = QApplication::palette();
    QCOMPARE(palette.color(QPalette::Window), m_theme->color(Role::Window));
    QCOMPARE(palette.color(QPalette::Base), m_theme->color(Role::Surface));
    QCOMPARE(palette.color(QPalette::Highlight), m_theme->color(Role::AccentTint));
    QCOMPARE(palette.color(QPalette::HighlightedText), m_theme->color(Role::Text));
    QCOMPARE(palette.color(QPalette::PlaceholderText), m_theme->color(Role::MutedText));
    QCOMPARE(palette.color(QPalette::Disabled, QPalette::ButtonText), m_theme->color(Role::DisabledText));
    QCOMPARE(palette.color(QPalette::Link), m_theme->color(Role::Accent));
}

void ThemeTest::styleSheetHasNoPlaceLeft() {
    const QString sheet = m_theme->styleSheet();
    QVERIFY(sheet.size() > 1000);
    QVERIFY2(!sheet.contains('@'), qPrintable(sheet.mid(sheet.indexOf('@'), 60)));
}

void ThemeTest::changingTheModeChangesEverything() {
    QSignalSpy spy(m_theme.get(), &Theme::changed);
    m_theme->setMode(Mode::Light);
    QCOMPARE(spy.count(), 0);
    m_theme->setMode(Mode::Dark);
    QCOMPARE(spy.count(), 1);
    QVERIFY(m_theme->isDark());
    QCOMPARE(QApplication::palette().color(QPalette::Window).name().toUpper(), QStringLiteral("#13161B"));
    QVERIFY(qApp->styleSheet().contains(QStringLiteral("#1a1e25")));
}

void ThemeTest::systemModeReadsThePalette() {
    // The offscreen desktop is light.
    m_theme->setMode(Mode::Dark);
    m_theme->setMode(Mode::System);
    QVERIFY(!m_theme->isDark());
    QCOMPARE(QApplication::palette().color(QPalette::Window), m_theme->color(Role::Window));
}

void ThemeTest::textGrowsTo200() {
    QCOMPARE(m_theme->font(TextStyle::Body).pixelSize(), 13);
    QCOMPARE(m_theme->font(TextStyle::Stat).weight(), QFont::Bold);
    QVERIFY(m_theme->heightFor(TextStyle::Body, 32) >= 32);
    m_theme->setTextScale(2.0);
    QCOMPARE(m_theme->font(TextStyle::Body).pixelSize(), 26);
    QCOMPARE(QApplication::font().pixelSize(), 26);
    QVERIFY(m_theme->heightFor(TextStyle::Body, 32) >= 32 + 18);
    m_theme->setTextScale(7.0);
    QCOMPARE(m_theme->textScale(), 2.0);
    m_theme->setTextScale(0.0);
    QCOMPARE(m_theme->textScale(), 1.0);
}

void ThemeTest::keyboardFocusIsMarkedAndMouseFocusIsNot() {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* first = new QPushButton(QStringLiteral("One"));
    auto* second = new QPushButton(QStringLiteral("Two"));
    column->addWidget(first);
    column->addWidget(second);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const QSize before = second->sizeHint();
    QTest::mouseClick(first, Qt::LeftButton);
    QVERIFY(first->hasFocus());
    QVERIFY(!first->property("keyboardFocus").toBool());
    QTest::keyClick(first, Qt::Key_Tab);
    QVERIFY(second->hasFocus());
    QVERIFY(second->property("keyboardFocus").toBool());
    QCOMPARE(second->sizeHint(), before);  // nothing moves
}

void ThemeTest::listsGetAFrameThatMovesNothing() {
    auto window = std::make_unique<QWidget>();
    auto* column = new QVBoxLayout(window.get());
    auto* before = new QLineEdit;
    auto* list = new QListWidget;
    list->addItem(QStringLiteral("one"));
    column->addWidget(before);
    column->addWidget(list);
    window->show();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    before->setFocus();
    const QRect inside = list->viewport()->geometry();
    const QPoint edge = list->geometry().bottomLeft() + QPoint(list->width() / 2, 0);
    const auto edgeColor = [&] { return window->grab().toImage().pixelColor(edge).name(); };
    QVERIFY(edgeColor() != m_theme->color(Role::Focus).name());
    QTest::keyClick(before, Qt::Key_Tab);
    QVERIFY(list->hasFocus());
    QCoreApplication::processEvents();
    QCOMPARE(edgeColor(), m_theme->color(Role::Focus).name());
    QCOMPARE(list->viewport()->geometry(), inside);
    QTest::keyClick(list, Qt::Key_Backtab);
    QCOMPARE(QApplication::focusWidget(), before);
    QCoreApplication::processEvents();
    QVERIFY(edgeColor() != m_theme->color(Role::Focus).name());
    QTest::keyClick(before, Qt::Key_Tab);
    window.reset();  // with the frame around its list
    m_theme->setMode(Mode::Dark);
}

void ThemeTest::everyIconRenders() {
    const QDir folder(QString::fromStdString((test::sourceDir() / "resources/icons").string()));
    const QStringList files = folder.entryList({QStringLiteral("*.svg")});
    QVERIFY(files.size() >= 40);
    for (const QString& file : files) {
        QFile source(folder.filePath(file));
        QVERIFY(source.open(QIODevice::ReadOnly));
        const QByteArray text = source.readAll();
        QVERIFY2(text.contains("currentColor") && text.contains("viewBox=\"0 0 20 20\""), qPrintable(file));
        QVERIFY2(QSvgRenderer(text).isValid(), qPrintable(file));
        QVERIFY2(iconExists(QFileInfo(file).completeBaseName()), qPrintable(file));
        QVERIFY2(strongest(iconPixmap(*m_theme, QFileInfo(file).completeBaseName(), Role::Text, 20, 2.0)).isValid(), qPrintable(file));
    }
}

QColor ThemeTest::strongest(const QPixmap& pixmap) const {
    const QImage image = pixmap.toImage();
    QColor best;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y).alpha() == 255) best = image.pixelColor(x, y);
    return best;
}

void ThemeTest::iconsTakeTheColourOfTheirRoleAndState() {
    const QIcon error = icon(*m_theme, QStringLiteral("stop"), Role::Error);
    QCOMPARE(strongest(error.pixmap(32, 32)).name(), m_theme->color(Role::Error).name());
    QCOMPARE(strongest(error.pixmap(32, 32, QIcon::Disabled)).name(), m_theme->color(Role::DisabledText).name());
    QVERIFY(icon(*m_theme, QStringLiteral("no-such-icon")).isNull());
    QVERIFY(!iconExists(QStringLiteral("../palettes/tokens")));
}

void ThemeTest::iconsFollowTheThemeAndThePixelRatio() {
    const QIcon kept = icon(*m_theme, QStringLiteral("stop"), Role::Text);
    m_theme->setMode(Mode::Dark);
    QCOMPARE(strongest(kept.pixmap(16, 16)).name(), m_theme->color(Role::Text).name());
    const QPixmap large = kept.pixmap(QSize(16, 16), 2.0);
    QCOMPARE(large.size(), QSize(32, 32));
    QCOMPARE(large.devicePixelRatio(), 2.0);
}

void ThemeTest::everyIconNamedInTheSourcesExists() {
    const QRegularExpression uses(QStringLiteral(
        R"x((?:iconName\(\) const override \{ return |\bicon\(|iconPixmap\(|IconLabel\(|IconButton\(|EmptyState\(|setIconName\()[^;{}"]*?"([a-z]+(?:-[a-z]+)*)")x"));
    int found = 0;
    for (const char* root : {"ui", "app/studio"}) {
        QDirIterator files(QString::fromStdString((test::sourceDir() / root).string()), {QStringLiteral("*.cpp"), QStringLiteral("*.h")},
                           QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            auto matches = uses.globalMatch(QString::fromUtf8(file.readAll()));
            while (matches.hasNext()) {
                const QString name = matches.next().captured(1);
                QVERIFY2(iconExists(name), qPrintable(file.fileName() + ": " + name));
                ++found;
            }
        }
    }
    QVERIFY(found > 10);
}

LOCKSTEP_TEST(ThemeTest)
#include "theme_test.moc"
