#include "right_dock.h"

#include <style/controls.h>
#include <style/text.h>

#include <QEvent>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace lockstep::shell {

RightDock::RightDock(const style::Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme), m_stack(new QStackedWidget(this)) {
    setProperty("bar", true);
    setObjectName(QStringLiteral("shell.dock"));
    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(0, 0, 0, 0);
    across->setSpacing(0);
    across->addWidget(new style::Divider(Qt::Vertical, style::Divider::Weight::Edge, this));
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    across->addLayout(column, 1);
    auto* header = new QWidget(this);
    const auto grow = [this, &theme, header] {
        header->setMinimumHeight(theme.heightFor(style::TextStyle::Strong, style::layout::kDockHeader - style::edge::kWidth));
        fitWidth();
    };
    connect(&theme, &style::Theme::changed, this, grow);
    grow();
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(style::space::kL, 0, style::space::kS, 0);
    m_title = new style::ElidedLabel(theme, {}, style::TextStyle::Strong, style::Role::Text, header);
    auto* close = new style::IconButton(theme, QStringLiteral("close"), tr("Close (F4)"), header);
    close->setObjectName(QStringLiteral("shell.dock.close"));
    row->addWidget(m_title, 1);
    row->addWidget(close);
    column->addWidget(header);
    column->addWidget(new style::Divider(Qt::Horizontal, style::Divider::Weight::Edge, this));
    column->addWidget(m_stack, 1);
    connect(close, &QToolButton::clicked, this, &RightDock::closeClicked);
}

QSize RightDock::minimumSizeHint() const {
    const QSize own = QFrame::minimumSizeHint();
    return {std::max(own.width(), static_cast<int>(style::layout::kValuesDock * m_theme.textScale())), own.height()};
}

void RightDock::fitWidth() { setMinimumWidth(minimumSizeHint().width()); }

bool RightDock::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) fitWidth();
    return QFrame::event(event);
}

void RightDock::setOverlay(bool overlay) {
    m_overlay = overlay;
    setProperty("overlay", overlay);
    setAutoFillBackground(overlay);
}

void RightDock::setContent(QWidget* content) {
    m_content = content;
    if (content == nullptr) return;
    if (m_stack->indexOf(content) < 0) m_stack->addWidget(content);
    m_stack->setCurrentWidget(content);
    m_title->setText(content->windowTitle());
    setAccessibleName(content->windowTitle());
    fitWidth();
}

}  // namespace lockstep::shell
