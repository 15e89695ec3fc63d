// Small painted marks: the pill of a state, a counter, a chip. Never colour alone: always icon or dot, plus a word. Delegates paint the
// same pills with paintPill().
//
// Threads: GUI thread only. The theme must outlive them.
#pragma once

#include <style/theme.h>

#include <QWidget>

namespace lockstep::style {

enum class Tone : std::uint8_t {
    Neutral,  // Connecting, Queued, Stopped, Draft
    Good,     // Up, Running, Ready
    Warning,  // Paused, late
    Bad,      // Failed, Auth failed, Lost
};
// Text and icon colour of a tone, and the tint under it.
Role roleOf(Tone tone);
Role tintOf(Tone tone);

enum class PillSize : std::uint8_t { Normal, Small };

struct Pill {
    QString word;
    Tone tone = Tone::Neutral;
    QString icon;  // empty = an 8 px dot
    PillSize size = PillSize::Normal;
    bool operator==(const Pill&) const = default;
};
QSize pillSize(const Theme& theme, const Pill& pill);
// At the left of `area`, vertically centred; cut at its right edge.
void paintPill(QPainter& painter, const QRect& area, const Theme& theme, const Pill& pill);

// A mark without content takes no room; it can be made before it has a parent.
class Mark : public QWidget {
    Q_OBJECT
public:
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    Mark(const Theme& theme, QWidget* parent);
    void contentChanged(bool hasContent);
    void changeEvent(QEvent* event) override;
    const Theme& theme() const { return m_theme; }

private:
    const Theme& m_theme;
    bool m_hasContent = true;
};

class StatePill : public Mark {
    Q_OBJECT
public:
    explicit StatePill(const Theme& theme, Pill pill = {}, QWidget* parent = nullptr);
    void setPill(const Pill& pill);
    const Pill& pill() const { return m_pill; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Pill m_pill;
};

// A number in a rounded field. It takes no room while it is 0.
class Counter : public Mark {
    Q_OBJECT
public:
    explicit Counter(const Theme& theme, Tone tone = Tone::Neutral, QWidget* parent = nullptr);
    void setCount(int count);
    int count() const { return m_count; }
    void setTone(Tone tone);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString text() const;
    Tone m_tone;
    int m_count = 0;
};

// A short remark in a card header: "17 points outside", "n points in m buckets".
class Chip : public Mark {
    Q_OBJECT
public:
    explicit Chip(const Theme& theme, const QString& text, Tone tone = Tone::Neutral, QWidget* parent = nullptr);
    void setText(const QString& text);
    QString text() const { return m_text; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
    Tone m_tone;
};

}  // namespace lockstep::style
