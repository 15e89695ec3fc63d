#include <style/card.h>
#include <support/test.h>
#include <text/format.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

using namespace lockstep::style;

// One of each, as pages use them. LOCKSTEP_PICTURES=DIR keeps the pictures.
class WidgetsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void galleryFits_data();
    void galleryFits();
    void segmentsByKeyboard();
    void elidedLabelTellsItsText();
    void marksHideWhenEmpty();
    void keyFigureSaysItself();
    void emptyStateLink();
    void cardCaptionGivesWayFirst();
    void commandBarGoesOnInASecondLine();
    void checkedButtonKeepsItsWidth();
    void enterPressesAButton();

private:
    std::unique_ptr<QWidget> gallery();
    std::unique_ptr<Theme> m_theme;
};

void WidgetsTest::init() {
    m_theme = std::make_unique<Theme>(*embeddedTokens().tokens);
    m_theme->setMode(Mode::Light);
    m_theme->apply(*qApp);
}

void WidgetsTest::cleanup() { m_theme.reset(); }

namespace {

QHBoxLayout* rowOf(std::initializer_list<QWidget*> widgets) {
    auto* row = new QHBoxLayout;
    for (QWidget* widget : widgets) row->addWidget(widget);
    row->addStretch(1);
    return row;
}

QWidget* disabled(QWidget* widget) {
    widget->setEnabled(false);
    return widget;
}

Card* figures(const Theme& theme) {
    auto* card = new Card(theme, QStringLiteral("Loss"), CardHeader::Small);
    card->setCaption(QStringLiteral("log scale"));
    card->addToHeader(new Chip(theme, QStringLiteral("17 points outside")));
    card->addToHeaderEnd(new Label(theme, QStringLiteral("0.253"), TextStyle::Figure));
    card->addToHeaderEnd(new IconButton(theme, QStringLiteral("more"), QStringLiteral("More")));
    auto* step = new KeyFigure(theme, QStringLiteral("Step"));
    step->setValue(lockstep::text::formatInteger(12400), QStringLiteral("of ") + lockstep::text::formatInteger(20000));
    step->setCaptionEnd(QStringLiteral("ETA 9:11"));
    step->setProgress(0.62);
    auto* workers = new KeyFigure(theme, QStringLiteral("Workers"));
    workers->setValue(QStringLiteral("8 of 8"));
    workers->setNote(QStringLiteral("1 late"), Tone::Warning);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 4, 12, 8);
    row->setSpacing(16);
    row->addWidget(step);
    row->addWidget(new Divider(Qt::Vertical));
    row->addWidget(workers);
    card->body()->addLayout(row);
    return card;
}

QTableWidget* table() {
    auto* table = new QTableWidget(2, 2);
    table->setHorizontalHeaderLabels({QStringLiteral("Cursor"), QStringLiteral("A")});
    table->setItem(0, 0, new QTableWidgetItem(QStringLiteral("Loss, train")));
    table->setItem(0, 1, new QTableWidgetItem(QStringLiteral("0.352")));
    table->selectRow(0);
    table->setMinimumHeight(90);
    return table;
}

SegmentedControl* segments(const Theme& theme) {
    auto* control = new SegmentedControl(theme, QStringLiteral("Mode"));
    for (const char* name : {"Compute", "Busy", "Memory"})
        control->addSegment(QString::fromLatin1(name).toLower(), QString::fromLatin1(name));
    return control;
}

}  // namespace

std::unique_ptr<QWidget> WidgetsTest::gallery() {
    const Theme& theme = *m_theme;
    auto window = std::make_unique<QWidget>();
    auto* column = new QVBoxLayout(window.get());
    column->addWidget(new PageHeader(theme, QStringLiteral("Gallery"), QStringLiteral("One of each part that pages use.")));
    column->addLayout(
        rowOf({new Button(theme, ButtonKind::Main, QStringLiteral("Try the sample"), QStringLiteral("play"), ControlSize::Large),
               new Button(theme, ButtonKind::Outlined, QStringLiteral("New project"), {}, ControlSize::Large),
               new Button(theme, ButtonKind::Plain, QStringLiteral("Open…"), {}, ControlSize::Large),
               new Button(theme, ButtonKind::Outlined, QStringLiteral("Pause"), QStringLiteral("pause"), ControlSize::Small),
               disabled(new Button(theme, ButtonKind::Outlined, QStringLiteral("Stop"), QStringLiteral("stop"))),
               new Button(theme, ButtonKind::Link, QStringLiteral("Details"))}));
    column->addLayout(rowOf({new StatePill(theme, {QStringLiteral("Running"), Tone::Good, {}}),
                             new StatePill(theme, {QStringLiteral("Ready"), Tone::Good, QStringLiteral("check-circle")}),
                             new StatePill(theme, {QStringLiteral("Paused"), Tone::Warning, QStringLiteral("pause")}),
                             new StatePill(theme, {QStringLiteral("Failed"), Tone::Bad, QStringLiteral("error")}),
                             new StatePill(theme, {QStringLiteral("Queued"), Tone::Neutral, {}, PillSize::Small})}));
    auto* check = new QCheckBox(QStringLiteral("Log y"));
    check->setChecked(true);
    auto* radio = new QRadioButton(QStringLiteral("Dark"));
    radio->setChecked(true);
    auto* combo = new QComboBox;
    combo->addItems({QStringLiteral("Mean and band"), QStringLiteral("Each")});
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setValue(60);
    auto* bar = new CommandBar(theme);
    bar->addCaption(QStringLiteral("Workers"));
    bar->add(combo);
    bar->addGap();
    bar->addCaption(QStringLiteral("Smoothing"));
    bar->add(slider);
    bar->add(new QDoubleSpinBox);
    bar->add(new QCheckBox(QStringLiteral("Log x")));
    bar->add(check);
    bar->add(disabled(new QCheckBox(QStringLiteral("Off"))));
    bar->add(radio);
    bar->addStretch();
    bar->add(segments(theme));
    column->addWidget(bar);
    auto* field = new QLineEdit(QStringLiteral("cifar-ring"));
    auto* counter = new Counter(theme, Tone::Bad);
    counter->setCount(3);
    column->addLayout(rowOf({field, disabled(new QLineEdit(QStringLiteral("fixed"))), counter,
                             new IconLabel(theme, QStringLiteral("warning"), Role::Warning)}));
    column->addWidget(figures(theme));
    column->addWidget(table());
    auto* card = new Card(theme, QStringLiteral("Recent runs"), CardHeader::Wide);
    card->body()->addWidget(new EmptyState(theme, QStringLiteral("live"), QStringLiteral("No runs yet"),
                                           QStringLiteral("Runs appear here. <a href=\"import\">Import</a> some.")));
    column->addWidget(card);
    return window;
}

void WidgetsTest::galleryFits_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("scale");
    for (const bool dark : {false, true})
        for (const double scale : {1.0, 1.5, 2.0}) QTest::addRow("%s-%.1f", dark ? "dark" : "light", scale) << dark << scale;
}

void WidgetsTest::galleryFits() {
    QFETCH(bool, dark);
    QFETCH(double, scale);
    m_theme->setMode(dark ? Mode::Dark : Mode::Light);
    m_theme->setTextScale(scale);
    const auto window = gallery();
    window->resize(900, static_cast<int>(640 * scale));  // the bar goes on in a second line
    window->show();
    QVERIFY(QTest::qWaitForWindowExposed(window.get()));
    for (const QWidget* widget : window->findChildren<QWidget*>()) {
        const bool checked = qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLabel*>(widget) ||
                             qobject_cast<const Mark*>(widget) || qobject_cast<const QComboBox*>(widget);
        if (!checked || !widget->isVisible() || widget->inherits("QTableCornerButton")) continue;
        const auto* label = qobject_cast<const QLabel*>(widget);
        if (label != nullptr && label->wordWrap()) {
            QVERIFY(label->height() >= label->heightForWidth(label->width()));
            continue;
        }
        QVERIFY2(
            widget->width() >= widget->sizeHint().width() && widget->height() >= widget->sizeHint().height(),
            qPrintable(
                QStringLiteral("%1 %2: %3x%4")
                    .arg(widget->accessibleName(), QLatin1String(widget->metaObject()->className()))
                    .arg(widget->width())
                    .arg(widget->height()) +
                QStringLiteral(" < %1x%2 in %3").arg(widget->sizeHint().width()).arg(widget->sizeHint().height()).arg(window->width())));
    }
    const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (!folder.isEmpty())
        window->grab().save(QStringLiteral("%1/gallery-%2.png").arg(folder, QString::fromLatin1(QTest::currentDataTag())));
}

void WidgetsTest::segmentsByKeyboard() {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* before = new QLineEdit;
    auto* control = segments(*m_theme);
    auto* after = new QLineEdit;
    for (QWidget* widget : std::initializer_list<QWidget*>{before, control, after}) column->addWidget(widget);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    before->setFocus();
    QSignalSpy spy(control, &SegmentedControl::chosenByPerson);
    QTest::keyClick(before, Qt::Key_Tab);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
    QCOMPARE(control->chosen(), QStringLiteral("memory"));
    QCOMPARE(spy.count(), 2);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QVERIFY(after->hasFocus());
    QTest::keyClick(after, Qt::Key_Backtab);
    QCOMPARE(QApplication::focusWidget()->property("segment").toString(), QStringLiteral("memory"));
    control->choose(QStringLiteral("busy"));
    QCOMPARE(control->chosen(), QStringLiteral("busy"));
    QCOMPARE(spy.count(), 2);
}

void WidgetsTest::elidedLabelTellsItsText() {
    ElidedLabel label(*m_theme, QStringLiteral("a sentence that is much longer than its place"));
    label.resize(60, 20);
    label.show();
    QVERIFY(label.isElided());
    QCOMPARE(label.toolTip(), label.text());
    label.resize(900, 20);
    QVERIFY(label.toolTip().isEmpty());
    QCOMPARE(label.accessibleName(), label.text());
}

void WidgetsTest::marksHideWhenEmpty() {
    auto* counter = new Counter(*m_theme);
    auto* filled = new Counter(*m_theme);
    filled->setCount(2000);
    QVERIFY(!counter->isVisible() && !filled->isVisible());  // no windows of their own
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    column->addWidget(counter);
    column->addWidget(filled);
    window.show();
    QVERIFY(!counter->isVisible());
    QVERIFY(filled->isVisible());
    counter->setCount(1);
    QVERIFY(counter->isVisible());
}

void WidgetsTest::keyFigureSaysItself() {
    KeyFigure figure(*m_theme, QStringLiteral("Workers"));
    figure.setValue(QStringLiteral("8 of 8"));
    figure.setNote(QStringLiteral("1 late"), Tone::Warning);
    QCOMPARE(figure.accessibleName(), QStringLiteral("Workers: 8 of 8 1 late"));
}

void WidgetsTest::emptyStateLink() {
    EmptyState state(*m_theme, QStringLiteral("live"), QStringLiteral("No runs yet"), QStringLiteral("<a href=\"import\">Import</a>"));
    QSignalSpy spy(&state, &EmptyState::linkActivated);
    QVERIFY(!state.hasHeightForWidth());
    state.show();
    QLabel* hint = nullptr;
    for (QLabel* label : state.findChildren<QLabel*>())
        if (label->text().contains(QStringLiteral("href"))) hint = label;
    QVERIFY(hint != nullptr);
    hint->setFocus(Qt::TabFocusReason);
    QTest::keyClick(hint, Qt::Key_Tab);
    QTest::keyClick(hint, Qt::Key_Return);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.first().first().toString(), QStringLiteral("import"));
}

void WidgetsTest::commandBarGoesOnInASecondLine() {
    QWidget page;
    auto* column = new QVBoxLayout(&page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new CommandBar(*m_theme, &page);
    auto* combo = new QComboBox;
    combo->addItem(QStringLiteral("Mean and band"));
    auto* last = segments(*m_theme);
    bar->addCaption(QStringLiteral("Workers"));
    bar->add(combo);
    bar->addGap();
    auto* check = new QCheckBox(QStringLiteral("Log x"));
    bar->add(check);
    bar->addStretch();
    bar->add(last);
    column->addWidget(bar);
    column->addStretch(1);
    const auto right = [&](const QWidget* widget) { return widget->mapTo(bar, QPoint(widget->width(), 0)).x(); };
    const auto top = [&](const QWidget* widget) { return widget->mapTo(bar, QPoint()).y(); };
    page.resize(800, 200);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QCOMPARE(bar->height(), layout::kChartStrip);
    QCOMPARE(right(last), 800 - space::kPagePadding);
    QVERIFY(top(last) < layout::kChartStrip && top(check) < layout::kChartStrip);
    page.resize(right(check) + space::kPagePadding + 40, 200);
    QTRY_VERIFY(bar->height() > layout::kChartStrip * 3 / 2);
    QCOMPARE(right(last), bar->width() - space::kPagePadding);
    QVERIFY(top(last) >= layout::kChartStrip && top(check) < layout::kChartStrip);
    // The caption stays with its field.
    QCOMPARE(combo->parentWidget()->findChildren<QLabel*>().size(), qsizetype(1));
    QCOMPARE(combo->accessibleName(), QStringLiteral("Workers"));
    const int two = bar->height();
    page.resize(150, 200);
    QTRY_VERIFY(bar->height() > two);
    QVERIFY(top(check) > top(combo) && top(last) > top(check));
}

void WidgetsTest::checkedButtonKeepsItsWidth() {
    Button follow(*m_theme, ButtonKind::Plain, QStringLiteral("Follow the newest"), QStringLiteral("follow"));
    const int plain = follow.sizeHint().width();
    follow.setCheckable(true);
    const int off = follow.sizeHint().width();
    follow.setChecked(true);
    QCOMPARE(follow.sizeHint().width(), off);
    QVERIFY(off > plain);  // it is strong when it is on
}

void WidgetsTest::cardCaptionGivesWayFirst() {
    Card card(*m_theme, QStringLiteral("Throughput per worker"));
    card.setCaption(QStringLiteral("img/s, own compute"));
    card.addToHeaderEnd(new Label(*m_theme, QStringLiteral("7.06k"), TextStyle::Figure));
    card.resize(card.minimumSizeHint().width(), 120);
    card.show();
    QVERIFY(card.findChild<ElidedLabel*>()->isElided());
    for (const Label* label : card.findChildren<Label*>()) QVERIFY(label->width() >= label->sizeHint().width());
}

void WidgetsTest::enterPressesAButton() {
    QWidget window;
    auto* button = new QPushButton(QStringLiteral("Try"), &window);
    QSignalSpy clicks(button, &QPushButton::clicked);
    window.show();
    window.activateWindow();
    QTRY_VERIFY(window.isActiveWindow());
    button->setFocus();
    QTest::keyClick(button, Qt::Key_Return);
    QTest::keyClick(button, Qt::Key_Enter, Qt::KeypadModifier);
    QTest::keyClick(button, Qt::Key_Return, Qt::ControlModifier);
    QCOMPARE(clicks.count(), 2);
    button->setEnabled(false);
    QTest::keyClick(button, Qt::Key_Return);
    QCOMPARE(clicks.count(), 2);
}

LOCKSTEP_TEST(WidgetsTest)
#include "widgets_test.moc"
