#include "locator.h"

#include <style/text.h>

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace lockstep::shell {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kWidth = 460;
constexpr int kShownRows = 9;
constexpr int kRow = 34;
constexpr int kGap = 10;

QString kindWord(LocatorKind kind) {
    switch (kind) {
        case LocatorKind::Page: return Locator::tr("Page");
        case LocatorKind::Run: return Locator::tr("Run");
        case LocatorKind::Action: return Locator::tr("Action");
    }
    return {};
}

class LocatorDelegate : public QStyledItemDelegate {
public:
    LocatorDelegate(const style::Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {100, m_theme.heightFor(TextStyle::Body, kRow)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        if (selected || option.state.testFlag(QStyle::State_MouseOver)) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(m_theme.color(selected ? Role::AccentTint : Role::Hover));
            painter->drawRoundedRect(option.rect, style::radius::kControl, style::radius::kControl);
        }
        const int icon = m_theme.iconSize(style::icon_size::kControl);
        QRect row = option.rect.adjusted(kGap, 0, -kGap, 0);
        painter->drawPixmap(row.left(), row.center().y() - icon / 2,
                            style::iconPixmap(m_theme, index.data(LocatorModel::IconRole).toString(),
                                              selected ? Role::Accent : Role::MutedText, icon, painter->device()->devicePixelRatioF()));
        row.setLeft(row.left() + icon + kGap);
        const QFont body = m_theme.font(TextStyle::Body), caption = m_theme.font(TextStyle::Caption),
                    small = m_theme.font(TextStyle::Small);
        const QString kind = kindWord(static_cast<LocatorKind>(index.data(LocatorModel::KindRole).toInt()));
        const int kindWidth = QFontMetrics(caption).horizontalAdvance(kind) + 2;
        draw(*painter, {row.right() - kindWidth, row.top(), kindWidth + 1, row.height()}, caption, Role::MutedText, kind);
        row.setRight(row.right() - kindWidth - kGap);
        const QString title = index.data().toString();
        draw(*painter, row, body, Role::Text, title);
        row.setLeft(row.left() + QFontMetrics(body).horizontalAdvance(title) + kGap);
        if (row.width() > 3 * kGap) draw(*painter, row, small, Role::MutedText, index.data(LocatorModel::DetailRole).toString());
        painter->restore();
    }

private:
    void draw(QPainter& painter, const QRect& area, const QFont& font, Role role, const QString& text) const {
        painter.setFont(font);
        painter.setPen(m_theme.color(role));
        painter.drawText(area, Qt::AlignVCenter | Qt::TextSingleLine, QFontMetrics(font).elidedText(text, Qt::ElideRight, area.width()));
    }
    const style::Theme& m_theme;
};

}  // namespace

Locator::Locator(const style::Theme& theme, QWidget* parent)
    : QFrame(parent),
      m_theme(theme),
      m_field(new QLineEdit(this)),
      m_list(new QListView(this)),
      m_none(new style::Label(theme, tr("Nothing here has all these words."), TextStyle::Small, Role::MutedText, this)) {
    setObjectName(QStringLiteral("shell.locator"));
    setAccessibleName(tr("Find"));
    m_field->setObjectName(QStringLiteral("shell.locator.field"));
    m_field->setAccessibleName(tr("Find page, run, action"));
    m_field->setPlaceholderText(tr("Type to find a page, run or action"));
    m_field->setClearButtonEnabled(false);
    m_list->setObjectName(QStringLiteral("shell.locator.list"));
    m_list->setAccessibleName(tr("Found"));
    m_list->setModel(&m_model);
    m_list->setItemDelegate(new LocatorDelegate(theme, m_list));
    m_list->setFocusPolicy(Qt::NoFocus);  // the field keeps the keyboard
    m_list->setMouseTracking(true);
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setProperty("raised", true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(style::space::kS, style::space::kS, style::space::kS, style::space::kS);
    column->setSpacing(style::space::kS);
    column->addWidget(m_field);
    column->addWidget(m_list, 1);
    column->addWidget(m_none);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &Locator::queryChanged);
    connect(m_list, &QListView::clicked, this, &Locator::accept);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (isVisible() && now != nullptr && now != m_field && !isAncestorOf(now)) hide();
    });
    hide();
}

void Locator::open(std::vector<LocatorItem> items, int right, int top) {
    if (!isVisible()) m_focusBefore = QApplication::focusWidget();
    m_model.setItems(std::move(items));
    m_field->clear();
    queryChanged({});
    const int row = m_theme.heightFor(TextStyle::Body, kRow);
    const int height = m_field->sizeHint().height() + kShownRows * row + 4 * style::space::kS;
    const int width = std::min({static_cast<int>(kWidth * m_theme.textScale()), parentWidget()->width() - 2 * style::space::kL});
    setGeometry(std::max(style::space::kL, right - width), top, width, std::min(height, parentWidget()->height() - top - style::space::kL));
    show();
    raise();
    m_field->setFocus(Qt::ShortcutFocusReason);
}

void Locator::queryChanged(const QString& query) {
    m_model.setQuery(query);
    m_none->setVisible(m_model.rowCount() == 0);
    m_list->setVisible(m_model.rowCount() > 0);
    if (m_model.rowCount() > 0) m_list->setCurrentIndex(m_model.index(0));
}

void Locator::step(int by) {
    if (m_model.rowCount() == 0) return;
    const int next = std::clamp(m_list->currentIndex().row() + by, 0, m_model.rowCount() - 1);
    m_list->setCurrentIndex(m_model.index(next));
}

void Locator::accept() {
    const QModelIndex index = m_list->currentIndex();
    if (!index.isValid()) return;
    const LocatorItem item = m_model.itemAt(index.row());
    dismiss();
    emit chosen(item);
}

void Locator::dismiss() {
    hide();
    if (m_focusBefore != nullptr) m_focusBefore->setFocus(Qt::ShortcutFocusReason);
}

bool Locator::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_field || event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Down: step(1); return true;
        case Qt::Key_Up: step(-1); return true;
        case Qt::Key_PageDown: step(kShownRows - 1); return true;
        case Qt::Key_PageUp: step(1 - kShownRows); return true;
        case Qt::Key_Tab:
        case Qt::Key_Backtab: return true;  // stays inside until Escape
        case Qt::Key_Return:
        case Qt::Key_Enter: accept(); return true;
        case Qt::Key_Escape: dismiss(); return true;
        default: return QFrame::eventFilter(watched, event);
    }
}

void Locator::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    // It lies on the window without a shadow, so its corners show what is under it and its edge is the strong one.
    painter.setPen(m_theme.color(Role::BorderStrong));
    painter.setBrush(m_theme.color(Role::Raised));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), style::radius::kCard, style::radius::kCard);
}

}  // namespace lockstep::shell
