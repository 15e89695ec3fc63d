// Nothing that a person reads is clipped or covered: every page of the real window, in both themes and languages, at text sizes from 100
// to 200 %, on large and small screens. CTest runs it a second time with two device pixels per pixel. LOCKSTEP_PICTURES=DIR keeps what
// was drawn.
#include "home.h"
#include "recorded_cluster.h"

#include <support/test.h>

#include <base/file.h>
#include <charts/line_chart.h>
#include <studio.h>
#include <style/pill.h>
#include <style/text.h>

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTableView>

using namespace lockstep;

namespace {

constexpr int kPatience = 20'000;
constexpr int kFrame = 110;  // beside a page: the page bar, padding
constexpr const char* kLogLine = "2026-01-01T00:00:01.000Z I rank 0: device cpu:0, 2 cores, avx2\n";

bool matters(const QWidget* widget) {
    // Parts that Qt makes inside of a field.
    if (widget->objectName() == QLatin1String("qt_spinbox_lineedit") || qobject_cast<const QLineEdit*>(widget->parentWidget()))
        return false;
    return qobject_cast<const QLabel*>(widget) != nullptr || qobject_cast<const QAbstractButton*>(widget) != nullptr ||
           qobject_cast<const QComboBox*>(widget) != nullptr || qobject_cast<const QAbstractSpinBox*>(widget) != nullptr ||
           qobject_cast<const QLineEdit*>(widget) != nullptr || qobject_cast<const style::Mark*>(widget) != nullptr ||
           qobject_cast<const style::ElidedLabel*>(widget) != nullptr;
}

QString describe(const QWidget& widget) {
    const auto* label = qobject_cast<const QLabel*>(&widget);
    return QStringLiteral("%1 %2 \"%3\" is %4×%5 at %6,%7, wants %8×%9")
        .arg(QLatin1String(widget.metaObject()->className()), widget.objectName(), label ? label->text() : widget.accessibleName())
        .arg(widget.width())
        .arg(widget.height())
        .arg(widget.x())
        .arg(widget.y())
        .arg(widget.sizeHint().width())
        .arg(widget.sizeHint().height());
}

// What of it can be seen, in coordinates of the window; what is scrolled out of sight is empty. `cut`: something that doesn't scroll cuts
// it.
QRect seen(const QWidget& widget, const QWidget& window, bool& cut) {
    QRect rect(widget.mapTo(&window, QPoint()), widget.size());
    for (const QWidget* above = widget.parentWidget(); above != nullptr; above = above->parentWidget()) {
        const QRect frame(above->mapTo(&window, QPoint()), above->size());
        const auto* scroll = above->parentWidget() ? qobject_cast<const QScrollArea*>(above->parentWidget()) : nullptr;
        const bool scrolls = scroll != nullptr && scroll->viewport() == above;
        if (!scrolls && !frame.contains(rect)) cut = true;
        // Down the page there is a scroll bar; across there is none.
        if (scrolls && (rect.left() < frame.left() || rect.right() > frame.right())) cut = true;
        rect &= frame;
        if ((scrolls && rect.isEmpty()) || above == &window) break;
    }
    return rect;
}

QString problemOfText(const QWidget& widget) {
    if (const auto* elided = qobject_cast<const style::ElidedLabel*>(&widget)) {
        if (elided->isElided() && elided->toolTip().isEmpty()) return QStringLiteral("elided without a tool tip");
        return elided->height() < elided->minimumSizeHint().height() ? QStringLiteral("too low") : QString();
    }
    if (const auto* label = qobject_cast<const QLabel*>(&widget); label != nullptr && label->wordWrap())
        return label->height() < label->heightForWidth(label->width()) ? QStringLiteral("too low for its words") : QString();
    if (const auto* field = qobject_cast<const QLineEdit*>(&widget)) {
        const int words = field->fontMetrics().horizontalAdvance(field->placeholderText());
        if (field->height() < field->minimumSizeHint().height()) return QStringLiteral("too low");
        return words + 48 > field->width() ? QStringLiteral("placeholder is clipped") : QString();
    }
    // A name in a menu button or a wide row elides when it is painted; the tool tip has it all.
    const bool paintedElided = !widget.toolTip().isEmpty() && widget.minimumSizeHint().width() < widget.sizeHint().width();
    const QSize wanted = paintedElided ? widget.minimumSizeHint() : widget.sizeHint();
    if (qobject_cast<const QAbstractSpinBox*>(&widget)) return widget.height() < wanted.height() ? QStringLiteral("too low") : QString();
    return widget.width() < wanted.width() || widget.height() < wanted.height() ? QStringLiteral("clipped") : QString();
}

// Whoever draws a cell says how wide it wants to be: what gets less is cut, tool tip or not. Only a column of prose (the property "prose"
// of its view) may elide, with its tool tip.
QString problemOfCell(const QAbstractItemView& view, const QModelIndex& index, int room) {
    QStyleOptionViewItem option;
    option.font = view.font();
    option.fontMetrics = QFontMetrics(view.font());
    option.rect = view.visualRect(index);
    option.widget = &view;
    const int wanted = view.itemDelegate()->sizeHint(option, index).width();
    const QString text = index.data().toString();
    if (text.isEmpty() || wanted <= room) return {};
    if (view.property("prose").isValid() && view.property("prose").toInt() == index.column())
        return index.data(Qt::ToolTipRole).toString().isEmpty() ? QStringLiteral("cell \"%1\" elides without a tool tip").arg(text)
                                                                : QString();
    return QStringLiteral("cell \"%1\" wants %2 and has %3").arg(text).arg(wanted).arg(room);
}

QString problemOfList(const QAbstractItemView& view) {
    const auto& model = *view.model();
    for (int row = 0; row < std::min(model.rowCount(), 30); ++row) {
        const auto index = model.index(row, 0);
        if (const auto problem = problemOfCell(view, index, view.visualRect(index).width()); !problem.isEmpty()) return problem;
    }
    return {};
}

QString problemOfTable(const QTableView& table) {
    const auto& model = *table.model();
    const QFontMetrics metrics(table.font());
    for (int column = 0; column < model.columnCount(); ++column) {
        if (table.isColumnHidden(column)) continue;
        const QString head = model.headerData(column, Qt::Horizontal).toString();
        const QFontMetrics caption(table.horizontalHeader()->font());
        if (!table.horizontalHeader()->isHidden() && caption.horizontalAdvance(head) > table.columnWidth(column))
            return QStringLiteral("head \"%1\" is clipped").arg(head);
        for (int row = 0; row < std::min(model.rowCount(), 30); ++row) {
            const auto index = model.index(row, column);
            if (const auto problem = problemOfCell(table, index, table.visualRect(index).width()); !problem.isEmpty()) return problem;
            if (table.rowHeight(row) < metrics.height()) return QStringLiteral("rows are too low");
        }
    }
    return {};
}

// Which parts want more than there is, the innermost last: who reads a failure wants to know.
QString whoIsWide(const QWidget& window, int most) {
    QString names;
    for (const QWidget* widget : window.findChildren<QWidget*>())
        if (const int wanted = std::max(widget->minimumSizeHint().width(), widget->minimumWidth()); wanted > most)
            names +=
                QStringLiteral(" %1 %2 wants %3;").arg(QLatin1String(widget->metaObject()->className()), widget->objectName()).arg(wanted);
    return names;
}

}  // namespace

class FitTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void everyPageFits_data();
    void everyPageFits();

private:
    std::unique_ptr<studio::Studio> open(const QString& language, double text);
    QString problemOfPage(shell::MainWindow& window) const;
    std::unique_ptr<test::Home> m_home;
    std::filesystem::path m_project;
};

void FitTest::initTestCase() {
    m_home = std::make_unique<test::Home>();
    m_project = m_home->path() / "project-with-a-name";
    std::filesystem::create_directories(m_project);
    VERIFY_OK(replaceFile(m_project / "lockstep.project", "{\"schema\":1,\"name\":\"project-with-a-name\"}\n"));
    for (const std::string id : {"20260101-000000-aaaa", "20260101-000100-bbbb"}) {
        QVERIFY(test::writeClusterRun(m_project, id, {.ranks = 8, .steps = 1000, .lateFrom = 600}));
        VERIFY_OK(replaceFile(m_project / "runs" / id / "logs" / "rank-0.log", kLogLine));
    }
}

std::unique_ptr<studio::Studio> FitTest::open(const QString& language, double text) {
    studio::Preferences preferences;
    preferences.textScale = text;
    preferences.language = language;
    auto tokens = style::embeddedTokens();
    if (!tokens.tokens || !studio::writePreferences(studio::preferencesFile(), preferences).ok()) return nullptr;
    auto program = std::make_unique<studio::Studio>(*qApp, std::move(*tokens.tokens));
    studio::Options options;
    options.project = QString::fromStdString(m_project.string());
    program->begin(options);
    return program;
}

// Empty when there is none.
QString FitTest::problemOfPage(shell::MainWindow& window) const {
    QList<std::pair<const QWidget*, QRect>> shown;
    const auto* dock = window.findChild<const QWidget*>("shell.dock");
    const bool overlay = dock->isVisible() && dock->property("overlay").toBool();
    const QRect covered = overlay ? QRect(dock->mapTo(&window, QPoint()), dock->size()) : QRect();
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->size().isEmpty()) continue;
        bool cut = false;
        const QRect rect = seen(*widget, window, cut);
        if (rect.isEmpty() && !cut) continue;
        // What lies under the dock is not seen.
        if (overlay && widget != dock && !dock->isAncestorOf(widget) && covered.intersects(rect)) continue;
        if (const auto* table = qobject_cast<const QTableView*>(widget))
            if (const QString problem = problemOfTable(*table); !problem.isEmpty()) return table->objectName() + ": " + problem;
        if (const auto* list = qobject_cast<const QListView*>(widget); list != nullptr && list->model() != nullptr)
            if (const QString problem = problemOfList(*list); !problem.isEmpty()) return list->objectName() + ": " + problem;
        if (!matters(widget)) continue;
        if (cut) return "outside of what holds it: " + describe(*widget);
        if (const QString problem = problemOfText(*widget); !problem.isEmpty()) return problem + ": " + describe(*widget);
        shown.append({widget, rect});
    }
    if (shown.size() <= 15) return QStringLiteral("there is hardly anything on it");
    for (qsizetype i = 0; i < shown.size(); ++i)
        for (qsizetype k = i + 1; k < shown.size(); ++k) {
            const auto& [a, first] = shown[i];
            const auto& [b, second] = shown[k];
            if (a->isAncestorOf(b) || b->isAncestorOf(a) || !first.intersects(second)) continue;
            return "overlap: " + describe(*a) + " and " + describe(*b);
        }
    return {};
}

void FitTest::everyPageFits_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<double>("text");
    QTest::addColumn<QSize>("size");
    for (const char* language : {"en", "zh_CN"}) {
        for (const double text : {1.0, 1.5, 2.0})
            QTest::addRow("%s-%d", language, static_cast<int>(text * 100)) << language << text << QSize(1440, 900);
        for (const QSize size : {QSize(1100, 720), QSize(1024, 700)})
            QTest::addRow("%s-%dx%d", language, size.width(), size.height()) << language << 1.0 << size;
        QTest::addRow("%s-200-1024x860", language) << language << 2.0 << QSize(1024, 860);
    }
}

void FitTest::everyPageFits() {
    QFETCH(QString, language);
    QFETCH(double, text);
    QFETCH(QSize, size);
    const auto program = open(language, text);
    QVERIFY(program != nullptr);
    auto& window = program->project().window();
    window.resize(size);
    QTRY_VERIFY_WITH_TIMEOUT(program->project().isSettled(), kPatience);
    for (const auto mode : {style::Mode::Light, style::Mode::Dark}) {
        program->theme().setMode(mode);
        for (const auto& id : window.pageIds()) {
            window.showPage(id);
            if (id == QLatin1String("live"))
                QTRY_VERIFY_WITH_TIMEOUT(window.findChild<charts::LineChart*>("live.chart.loss")->counts().visible > 0, kPatience);
            QTest::qWait(50);
            const auto what = QStringLiteral("%1-%2-%3").arg(id, QTest::currentDataTag(), mode == style::Mode::Dark ? "dark" : "light");
            QVERIFY2(window.size() == size, qPrintable(QStringLiteral("%1 is %2×%3:%4")
                                                           .arg(what)
                                                           .arg(window.width())
                                                           .arg(window.height())
                                                           .arg(whoIsWide(window, size.width() - kFrame))));
            // On a busy machine the last layout of a page comes late.
            QString problem;
            QTRY_VERIFY2_WITH_TIMEOUT((problem = problemOfPage(window)).isEmpty(), qPrintable(what + ": " + problem), kPatience);
            const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
            if (!folder.isEmpty())
                QVERIFY(window.grab().save(QStringLiteral("%1/%2-@%3.png").arg(folder, what).arg(window.devicePixelRatioF())));
            if (id != QLatin1String("live") || window.findChild<QWidget*>("shell.dock")->isVisible()) continue;
            // Over the page, which stays as wide as it is.
            QTest::keyClick(&window, Qt::Key_F4);
            QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QWidget*>("shell.dock")->isVisible(), kPatience);
            QTRY_VERIFY2_WITH_TIMEOUT((problem = problemOfPage(window)).isEmpty(), qPrintable(what + " with dock: " + problem), kPatience);
            QVERIFY2(window.size() == size, qPrintable(QStringLiteral("%1 with dock is %2").arg(what).arg(window.width())));
            if (!folder.isEmpty())
                QVERIFY(window.grab().save(QStringLiteral("%1/%2-dock-@%3.png").arg(folder, what).arg(window.devicePixelRatioF())));
            QTest::keyClick(&window, Qt::Key_F4);
            QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<QWidget*>("shell.dock")->isVisible(), kPatience);
        }
    }
}

LOCKSTEP_TEST(FitTest)
#include "fit_test.moc"
