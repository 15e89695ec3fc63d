#include "banner.h"

#include <QHBoxLayout>
#include <QPainter>

namespace lockstep::shell {

using style::Role;
using style::TextStyle;

Banner::Banner(const style::Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_sentence(new style::ElidedLabel(theme, {}, TextStyle::Strong, Role::Text, this)),
      m_next(new style::ElidedLabel(theme, {}, TextStyle::Body, Role::Text, this)) {
    setObjectName(QStringLiteral("shell.banner"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(style::space::kL, style::space::kS, style::space::kL, style::space::kS);
    row->setSpacing(style::space::kM);
    row->addWidget(new style::IconLabel(theme, QStringLiteral("error"), Role::Error, style::icon_size::kControl, this));
    row->addWidget(m_sentence, 1);
    row->addWidget(m_next, 1);
    m_next->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    hide();
}

void Banner::show(const Issue& issue) {
    m_sentence->setText(issue.sentence);
    m_next->setText(issue.next + QStringLiteral(" (") + issue.code + QLatin1Char(')'));
    setAccessibleName(issue.sentence + QLatin1Char(' ') + m_next->text());
    setVisible(true);
}

void Banner::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::ErrorTint));
    painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.color(Role::Border));
}

}  // namespace lockstep::shell
