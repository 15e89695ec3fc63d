#include <support/test.h>

#include <pages/preferences_page.h>
#include <style/controls.h>

#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>

using namespace lockstep;
using namespace lockstep::pages;

class PreferencesPageTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void showsWhatIsChosenInSilence();
    void tabGoesDownThePage();
    void keysChoose();
    void everyControlHasAName();
    void largeTextFits_data();
    void largeTextFits();

private:
    template <class T>
    T* find(const char* name) const {
        return m_page->findChild<T*>(QLatin1String(name));
    }
    std::unique_ptr<style::Theme> m_theme;
    std::unique_ptr<PreferencesPage> m_page;
};

void PreferencesPageTest::init() {
    m_theme = std::make_unique<style::Theme>(*style::embeddedTokens().tokens);
    m_theme->setMode(style::Mode::Light);
    m_theme->apply(*qApp);
    m_page = std::make_unique<PreferencesPage>(*m_theme);
    m_page->resize(900, 600);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
}

void PreferencesPageTest::cleanup() {
    m_page.reset();
    m_theme.reset();
}

void PreferencesPageTest::showsWhatIsChosenInSilence() {
    QSignalSpy mode(m_page.get(), &PreferencesPage::modeChosen), scale(m_page.get(), &PreferencesPage::textScaleChosen),
        language(m_page.get(), &PreferencesPage::languageChosen);
    m_page->setChosen(style::Mode::Dark, 1.5, QStringLiteral("zh_CN"));
    QCOMPARE(find<style::SegmentedControl>("preferences.look.theme")->chosen(), QStringLiteral("dark"));
    QCOMPARE(find<QSpinBox>("preferences.look.textSize")->value(), 150);
    QCOMPARE(find<QComboBox>("preferences.look.language")->currentData().toString(), QStringLiteral("zh_CN"));
    m_page->setChosen(style::Mode::System, 1, QStringLiteral("no such language"));
    QCOMPARE(find<QComboBox>("preferences.look.language")->currentIndex(), 0);
    QCOMPARE(mode.count() + scale.count() + language.count(), 0);
}

void PreferencesPageTest::tabGoesDownThePage() {
    m_page->setChosen(style::Mode::Light, 1, {});
    auto* theme = find<style::SegmentedControl>("preferences.look.theme");
    auto* first = theme->findChildren<QToolButton*>().at(1);  // the chosen one is the stop
    first->setFocus(Qt::TabFocusReason);
    QCOMPARE(QApplication::focusWidget(), first);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("preferences.look.textSize"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("preferences.look.language"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab, Qt::ShiftModifier);
    QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("preferences.look.textSize"));
}

void PreferencesPageTest::keysChoose() {
    m_page->setChosen(style::Mode::Light, 1, {});
    QSignalSpy mode(m_page.get(), &PreferencesPage::modeChosen), scale(m_page.get(), &PreferencesPage::textScaleChosen),
        language(m_page.get(), &PreferencesPage::languageChosen);
    auto* light = find<style::SegmentedControl>("preferences.look.theme")->findChildren<QToolButton*>().at(1);
    light->setFocus(Qt::TabFocusReason);
    QTest::keyClick(light, Qt::Key_Right);
    QCOMPARE(mode.count(), 1);
    QCOMPARE(mode.first().first().value<style::Mode>(), style::Mode::Dark);
    auto* size = find<QSpinBox>("preferences.look.textSize");
    size->setFocus(Qt::TabFocusReason);
    QTest::keyClick(size, Qt::Key_Up);
    QCOMPARE(scale.count(), 1);
    QCOMPARE(scale.first().first().toDouble(), 1.1);
    auto* languages = find<QComboBox>("preferences.look.language");
    languages->setFocus(Qt::TabFocusReason);
    QTest::keyClick(languages, Qt::Key_Down);
    QCOMPARE(language.count(), 1);
    QCOMPARE(language.first().first().toString(), QStringLiteral("en"));
}

void PreferencesPageTest::everyControlHasAName() {
    int controls = 0;
    for (auto* part : m_page->findChildren<QWidget*>()) {
        if (!part->isVisible() || (part->focusPolicy() & Qt::TabFocus) == 0 || part->focusProxy() != nullptr) continue;
        const auto name = QAccessible::queryAccessibleInterface(part)->text(QAccessible::Name);
        QVERIFY2(!name.isEmpty(), qPrintable(part->objectName()));
        ++controls;
    }
    QCOMPARE(controls, 3);
    // Each caption names its field, for screen readers and for a click on it.
    for (const char* name : {"preferences.look.theme", "preferences.look.textSize", "preferences.look.language"}) {
        const auto* field = find<QWidget>(name);
        const auto labels = m_page->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->buddy() == field; }));
    }
}

void PreferencesPageTest::largeTextFits_data() {
    QTest::addColumn<double>("scale");
    for (const double scale : {1.0, 1.5, 2.0}) QTest::addRow("%d", static_cast<int>(scale * 100)) << scale;
}

void PreferencesPageTest::largeTextFits() {
    QFETCH(double, scale);
    m_theme->setTextScale(scale);
    QCoreApplication::processEvents();
    for (const char* name : {"preferences.look.theme", "preferences.look.textSize", "preferences.look.language"}) {
        const auto* field = find<QWidget>(name);
        QTRY_VERIFY2(field->width() >= field->sizeHint().width() && field->height() >= field->sizeHint().height(), name);
        QVERIFY2(field->height() >= m_theme->heightFor(style::TextStyle::Body, style::control::kSegmented), name);
    }
}

LOCKSTEP_TEST(PreferencesPageTest)
#include "preferences_page_test.moc"
