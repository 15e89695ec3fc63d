// Nothing that is visible is clipped, at any text size and width, in both themes. LOCKSTEP_PICTURES=DIR keeps what was drawn.
#include "sample_window.h"

#include <style/text.h>
#include <support/scratch.h>
#include <support/test.h>

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QScrollArea>

using namespace lockstep;

class PicturesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanupTestCase();
    void nothingIsClipped_data();
    void nothingIsClipped();
    void openPaneAndLocator_data();
    void openPaneAndLocator();

private:
    void checkFits(const QWidget& window) const;
    void keep(QWidget& window) const;
    std::unique_ptr<style::Theme> m_theme;
    test::Scratch m_scratch;
};

void PicturesTest::initTestCase() {
    QCursor::setPos(4000, 4000);  // nothing is hovered
    qputenv("XDG_STATE_HOME", m_scratch.path().c_str());
    m_theme = std::make_unique<style::Theme>(*style::embeddedTokens().tokens);
    m_theme->apply(*qApp);
}

void PicturesTest::cleanupTestCase() { m_theme.reset(); }

void PicturesTest::keep(QWidget& window) const {
    const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (folder.isEmpty()) return;
    const QString scale = QString::number(window.devicePixelRatioF());
    QVERIFY(window.grab().save(
        QStringLiteral("%1/%2-%3-@%4.png")
            .arg(folder, QString::fromLatin1(QTest::currentTestFunction()), QString::fromLatin1(QTest::currentDataTag()), scale)));
}

void PicturesTest::checkFits(const QWidget& window) const {
    int checked = 0;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        const auto* label = qobject_cast<const QLabel*>(widget);
        const bool matters = label != nullptr || qobject_cast<const QPushButton*>(widget) || qobject_cast<const style::Mark*>(widget) ||
                             qobject_cast<const QComboBox*>(widget);
        if (!matters || !widget->isVisible() || widget->size().isEmpty()) continue;
        ++checked;
        const QByteArray what = QStringLiteral("%1 \"%2\" is %3×%4, wants %5×%6")
                                    .arg(QLatin1String(widget->metaObject()->className()), label ? label->text() : widget->accessibleName())
                                    .arg(widget->width())
                                    .arg(widget->height())
                                    .arg(widget->sizeHint().width())
                                    .arg(widget->sizeHint().height())
                                    .toUtf8();
        if (label != nullptr && label->wordWrap())
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), what.constData());
        else
            QVERIFY2(widget->width() >= widget->sizeHint().width() && widget->height() >= widget->sizeHint().height(), what.constData());
        // Inside what holds it, unless that scrolls.
        const QWidget* parent = widget->parentWidget();
        QVERIFY2(parent->rect().contains(widget->geometry()), what.constData());
    }
    QVERIFY(checked > 8);
}

void PicturesTest::nothingIsClipped_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("text");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("used");
    for (const bool dark : {false, true})
        for (const bool used : {false, true})
            for (const double text : {1.0, 1.5, 2.0})
                for (const QSize size : {QSize(1440, 900), QSize(1180, 760), QSize(1000, 700)})
                    QTest::addRow("%s-%s-%d-%d", dark ? "dark" : "light", used ? "used" : "first", static_cast<int>(text * 100),
                                  size.width())
                        << dark << text << size << used;
}

void PicturesTest::nothingIsClipped() {
    QFETCH(bool, dark);
    QFETCH(double, text);
    QFETCH(QSize, size);
    QFETCH(bool, used);
    m_theme->setMode(dark ? style::Mode::Dark : style::Mode::Light);
    m_theme->setTextScale(text);
    shell::MainWindow window(*m_theme, test::sampleRegistry(*m_theme));
    if (used)
        test::fillWindow(window);
    else
        qobject_cast<pages::OverviewPage*>(window.page(QStringLiteral("overview")))->setHost(test::sampleHost());
    window.resize(size);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QCoreApplication::processEvents();
    // At 100 % the window keeps to the width it is given.
    if (text == 1.0) QCOMPARE(window.width(), size.width());
    checkFits(window);
    keep(window);
}

void PicturesTest::openPaneAndLocator_data() {
    QTest::addColumn<bool>("dark");
    QTest::addRow("light") << false;
    QTest::addRow("dark") << true;
}

void PicturesTest::openPaneAndLocator() {
    QFETCH(bool, dark);
    m_theme->setMode(dark ? style::Mode::Dark : style::Mode::Light);
    m_theme->setTextScale(1.0);
    shell::MainWindow window(*m_theme, test::sampleRegistry(*m_theme));
    test::fillWindow(window);
    window.setRuns({{shell::LocatorKind::Run, QStringLiteral("r12"), QStringLiteral("mnist-mirrored"),
                     QStringLiteral("running, loss 0.253"), QStringLiteral("live")}});
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    window.showPage(QStringLiteral("live"));
    window.showPane(QStringLiteral("issues"));
    QCoreApplication::processEvents();
    checkFits(window);
    window.openLocator();
    QCoreApplication::processEvents();
    keep(window);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    window.showPane(QStringLiteral("tasks"));
    QCoreApplication::processEvents();
    checkFits(window);
}

LOCKSTEP_TEST(PicturesTest)
#include "pictures_test.moc"
