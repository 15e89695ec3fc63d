#include "titled_picture.h"

#include <QFontMetrics>
#include <QPainter>

namespace lockstep::pages {
namespace {

constexpr int kPadding = 10;

int headerHeight(const style::Theme& theme) { return theme.heightFor(style::TextStyle::Strong, style::layout::kCardHeader); }

}  // namespace

QImage titledImage(const style::Theme& theme, const QImage& picture, const QString& title) {
    const double ratio = picture.devicePixelRatio();
    const QSizeF inside = picture.deviceIndependentSize();
    const int header = headerHeight(theme);
    QImage whole((QSizeF(inside.width(), inside.height() + header) * ratio).toSize(), QImage::Format_RGB32);
    whole.setDevicePixelRatio(ratio);
    whole.fill(theme.color(style::Role::ChartBackground));
    QPainter painter(&whole);
    painter.setFont(theme.font(style::TextStyle::Strong));
    painter.setPen(theme.color(style::Role::Text));
    const int room = static_cast<int>(inside.width()) - 2 * kPadding;
    painter.drawText(QRect(kPadding, 0, room, header), Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(title, Qt::ElideMiddle, room));
    painter.drawImage(QPointF(0, header), picture);
    return whole;
}

// The chart's own document stands inside of one that is higher.
QByteArray titledSvg(const style::Theme& theme, const QByteArray& svg, const QSize& size, const QString& title) {
    const auto begin = svg.indexOf("<svg");
    if (begin < 0) return svg;
    const int header = headerHeight(theme);
    const QFont font = theme.font(style::TextStyle::Strong);
    QString inner = QString::fromUtf8(svg.mid(begin + 4));
    const auto end = inner.indexOf(u'>');
    // Its own width and height are in millimetres.
    QString attributes = inner.left(end);
    for (const auto& name : {QStringLiteral(" width=\""), QStringLiteral(" height=\"")}) {
        const auto from = attributes.indexOf(name);
        if (from >= 0) attributes.remove(from, attributes.indexOf(u'"', from + name.size()) + 1 - from);
    }
    const auto number = [](int value) { return QString::number(value); };
    const QString head =
        QStringLiteral(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1\" height=\"%2\" viewBox=\"0 0 %1 %2\">\n"
            "<title>%3</title>\n<rect width=\"%1\" height=\"%2\" fill=\"%4\"/>\n"
            "<text x=\"%5\" y=\"%6\" font-family=\"%7\" font-size=\"%8\" font-weight=\"700\" fill=\"%9\">%3</text>\n")
            .arg(number(size.width()), number(size.height() + header), title.toHtmlEscaped(),
                 theme.color(style::Role::ChartBackground).name(), number(kPadding), number((header + font.pixelSize()) / 2 - 1),
                 font.family().toHtmlEscaped(), number(font.pixelSize()), theme.color(style::Role::Text).name());
    const QString opening =
        QStringLiteral("<svg y=\"%1\" width=\"%2\" height=\"%3\"").arg(number(header), number(size.width()), number(size.height()));
    return (head + opening + attributes + inner.mid(end)).toUtf8() + "</svg>\n";
}

}  // namespace lockstep::pages
