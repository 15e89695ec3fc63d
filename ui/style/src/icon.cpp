#include <style/theme.h>

#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QPointer>
#include <QSvgRenderer>

#include <algorithm>
#include <cmath>

namespace lockstep::style {
namespace {

QByteArray source(const QString& name) {
    QFile file(QStringLiteral(":/lockstep/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QPixmap render(const QByteArray& svg, const QColor& color, QSize pixels) {
    QByteArray colored = svg;
    colored.replace("currentColor", color.name().toLatin1());
    QPixmap pixmap(pixels);
    pixmap.fill(Qt::transparent);
    QSvgRenderer renderer(colored);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    // An icon asked for wider than high keeps its form and leaves the rest as a gap (Button).
    const double side = std::min(pixels.width(), pixels.height());
    renderer.render(&painter, QRectF(0, 0, side, side));
    return pixmap;
}

// Looks its colour up when it paints, so that a change of theme needs no new icons.
class ThemedEngine : public QIconEngine {
public:
    ThemedEngine(const Theme& theme, QByteArray svg, Role role, int size)
        : m_theme(&theme), m_svg(std::move(svg)), m_role(role), m_size(size) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const double ratio = painter->device()->devicePixelRatioF();
        const QSize pixels = (QSizeF(rect.size()) * ratio).toSize();
        painter->drawPixmap(rect, scaledPixmap(pixels, mode, state, ratio));
    }
    QSize actualSize(const QSize& size, QIcon::Mode, QIcon::State) override { return size; }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override { return scaledPixmap(size, mode, state, 1.0); }
    // `size` is in device pixels here; the caller sets the ratio of what it gets.
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal) override {
        if (m_theme.isNull() || size.isEmpty()) return {};
        const QColor color = m_theme->color(mode == QIcon::Disabled ? Role::DisabledText : m_role);
        const quint64 key = (quint64{color.rgb()} << 32) | (quint64(size.width() & 0xffff) << 16) | quint64(size.height() & 0xffff);
        auto found = m_cache.find(key);
        if (found == m_cache.end()) found = m_cache.insert(key, render(m_svg, color, size));
        return *found;
    }
    QIconEngine* clone() const override { return new ThemedEngine(*this); }
    QString key() const override { return QStringLiteral("lockstep"); }
    bool isNull() override { return m_svg.isEmpty(); }
    QList<QSize> availableSizes(QIcon::Mode, QIcon::State) override { return {QSize(m_size, m_size)}; }

private:
    QPointer<const Theme> m_theme;
    QByteArray m_svg;
    Role m_role;
    int m_size;
    QHash<quint64, QPixmap> m_cache;
};

}  // namespace

QIcon icon(const Theme& theme, const QString& name, Role role, int size) {
    QByteArray svg = source(name);
    return svg.isEmpty() ? QIcon() : QIcon(new ThemedEngine(theme, std::move(svg), role, size));
}

QPixmap iconPixmap(const Theme& theme, const QString& name, Role role, int size, double devicePixelRatio) {
    const int pixels = static_cast<int>(std::lround(size * devicePixelRatio));
    const QColor color = theme.color(role);
    // Delegates ask at every painting.
    const QString key = QStringLiteral("lockstep-icon %1 %2 %3").arg(name, color.name()).arg(pixels);
    QPixmap pixmap;
    if (!QPixmapCache::find(key, &pixmap)) {
        const QByteArray svg = source(name);
        if (svg.isEmpty()) return {};
        pixmap = render(svg, color, QSize(pixels, pixels));
        QPixmapCache::insert(key, pixmap);
    }
    pixmap.setDevicePixelRatio(devicePixelRatio);
    return pixmap;
}

bool iconExists(const QString& name) { return QFile::exists(QStringLiteral(":/lockstep/icons/%1.svg").arg(name)); }

}  // namespace lockstep::style
