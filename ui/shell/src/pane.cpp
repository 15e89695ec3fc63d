#include "pane.h"

#include <style/controls.h>
#include <style/text.h>

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace lockstep::shell {

Pane::Pane(const style::Theme& theme, const QString& id, const QString& title, QWidget* parent) : QFrame(parent), m_id(id) {
    setProperty("bar", true);
    setObjectName(QStringLiteral("shell.pane.") + id);
    setAccessibleName(title);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(new style::Divider(Qt::Horizontal, style::Divider::Weight::Edge, this));
    auto* header = new QWidget(this);
    const auto grow = [&theme, header] {
        header->setMinimumHeight(theme.heightFor(style::TextStyle::Strong, style::layout::kPaneHeader - style::edge::kWidth));
    };
    connect(&theme, &style::Theme::changed, header, grow);
    grow();
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(style::space::kL, 0, style::space::kS, 0);
    row->setSpacing(style::space::kM);
    m_summary = new style::ElidedLabel(theme, {}, style::TextStyle::Small, style::Role::MutedText, header);
    m_tools = new QHBoxLayout;
    m_tools->setSpacing(style::space::kXs);
    auto* close = new style::IconButton(theme, QStringLiteral("close"), tr("Close %1").arg(title), header);
    close->setObjectName(objectName() + QStringLiteral(".close"));
    row->addWidget(new style::Label(theme, title, style::TextStyle::Strong, style::Role::Text, header));
    row->addWidget(m_summary, 1);
    row->addLayout(m_tools);
    row->addWidget(close);
    column->addWidget(header);
    column->addWidget(new style::Divider(Qt::Horizontal, style::Divider::Weight::Edge, this));
    m_body = new QVBoxLayout;
    m_body->setContentsMargins(0, 0, 0, 0);
    m_body->setSpacing(0);
    column->addLayout(m_body, 1);
    connect(close, &QToolButton::clicked, this, &Pane::closeClicked);
}

void Pane::setSummary(const QString& text) { m_summary->setText(text); }

void Pane::addToHeader(QWidget* widget) { m_tools->addWidget(widget); }

}  // namespace lockstep::shell
