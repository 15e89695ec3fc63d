#include "issue_pane.h"

#include <style/controls.h>
#include <style/pill.h>
#include <text/format.h>

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace lockstep::shell {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kCodeWidth = 44;
constexpr int kGap = 10;
constexpr double kNextShare = 0.45;  // of the row, at most

struct Look {
    const char* icon;
    Role role;
};

Look lookOf(Severity severity) {
    switch (severity) {
        case Severity::Error: return {"error", Role::Error};
        case Severity::Warning: return {"warning", Role::Warning};
        case Severity::Note: return {"info", Role::MutedText};
    }
    return {"info", Role::MutedText};
}

class IssueDelegate : public QStyledItemDelegate {
public:
    IssueDelegate(const style::Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {200, m_theme.heightFor(TextStyle::Body, style::layout::kIssueRow)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected) || option.state.testFlag(QStyle::State_MouseOver))
            painter->fillRect(option.rect, m_theme.color(option.state.testFlag(QStyle::State_Selected) ? Role::AccentTint : Role::Hover));
        const int icon = m_theme.iconSize(style::icon_size::kControl);
        const Look look = lookOf(static_cast<Severity>(index.data(IssueModel::SeverityRole).toInt()));
        QRect row = option.rect.adjusted(style::space::kL, 0, -style::space::kL, 0);
        painter->drawPixmap(
            row.left(), row.center().y() - icon / 2,
            style::iconPixmap(m_theme, QString::fromLatin1(look.icon), look.role, icon, painter->device()->devicePixelRatioF()));
        row.setLeft(row.left() + icon + kGap);
        const QFont caption = m_theme.font(TextStyle::Caption);
        text(*painter, {row.left(), row.top(), kCodeWidth, row.height()}, caption, Role::MutedText,
             index.data(IssueModel::CodeRole).toString());
        row.setLeft(row.left() + std::max(kCodeWidth, QFontMetrics(caption).horizontalAdvance(QStringLiteral("W000")) + kGap));
        const QFont body = m_theme.font(TextStyle::Body), small = m_theme.font(TextStyle::Small);
        QString sentence = index.data(IssueModel::SentenceRole).toString();
        if (const int times = index.data(IssueModel::TimesRole).toInt(); times > 1) sentence += QStringLiteral(" (×%1)").arg(times);
        const QString next = index.data(IssueModel::NextRole).toString();
        const int wanted = QFontMetrics(small).horizontalAdvance(next) + 2;
        const int spare = row.width() - QFontMetrics(body).horizontalAdvance(sentence) - 2 * kGap;
        const int nextWidth = std::min(wanted, std::max(spare, static_cast<int>(row.width() * kNextShare)));
        text(*painter, row.adjusted(0, 0, -nextWidth - 2 * kGap, 0), body, Role::Text, sentence);
        text(*painter, {row.right() - nextWidth, row.top(), nextWidth + 1, row.height()}, small, Role::MutedText, next);
        painter->restore();
    }

private:
    void text(QPainter& painter, const QRect& area, const QFont& font, Role role, const QString& words) const {
        painter.setFont(font);
        painter.setPen(m_theme.color(role));
        painter.drawText(area, Qt::AlignVCenter | Qt::TextSingleLine, QFontMetrics(font).elidedText(words, Qt::ElideRight, area.width()));
    }
    const style::Theme& m_theme;
};

}  // namespace

IssuePane::IssuePane(const style::Theme& theme, IssueModel& model, QWidget* parent)
    : Pane(theme, QStringLiteral("issues"), tr("Issues"), parent), m_model(model), m_list(new QListView(this)) {
    m_list->setObjectName(QStringLiteral("shell.pane.issues.list"));
    m_list->setAccessibleName(tr("Issues"));
    m_list->setModel(&model);
    m_list->setItemDelegate(new IssueDelegate(theme, m_list));
    m_list->setMouseTracking(true);
    m_list->setProperty("prose", 0);  // sentences elide; the tool tip has them whole
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    body()->addWidget(m_list);
    auto* copy = new QAction(tr("Copy"), m_list);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    m_list->addAction(copy);
    m_list->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copy, &QAction::triggered, this, &IssuePane::copySelected);
    auto* clear = new style::IconButton(theme, QStringLiteral("trash"), tr("Clear the list"), this);
    clear->setObjectName(QStringLiteral("shell.pane.issues.clear"));
    addToHeader(clear);
    connect(clear, &QToolButton::clicked, &model, &IssueModel::clear);
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&model, signal, this, &IssuePane::updateSummary);
    connect(&model, &QAbstractItemModel::modelReset, this, &IssuePane::updateSummary);
    updateSummary();
}

void IssuePane::updateSummary() {
    QStringList parts;
    if (const int n = m_model.count(Severity::Error)) parts << (n == 1 ? tr("1 error") : tr("%n errors", nullptr, n));
    if (const int n = m_model.count(Severity::Warning)) parts << (n == 1 ? tr("1 warning") : tr("%n warnings", nullptr, n));
    if (const int n = m_model.count(Severity::Note)) parts << (n == 1 ? tr("1 note") : tr("%n notes", nullptr, n));
    setSummary(parts.isEmpty() ? tr("Nothing to report") : parts.join(QStringLiteral(", ")));
}

void IssuePane::copySelected() const { QGuiApplication::clipboard()->setText(m_list->currentIndex().data().toString()); }

}  // namespace lockstep::shell
