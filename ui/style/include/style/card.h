// What pages are built from: card, value with caption, empty state, page header and command bar.
//
// Threads: GUI thread only. The theme must outlive them.
#pragma once

#include <style/controls.h>
#include <style/pill.h>
#include <style/text.h>

#include <QFrame>

class QHBoxLayout;
class QProgressBar;
class QVBoxLayout;

namespace lockstep::style {

class FlowLayout;

enum class CardHeader : std::uint8_t {
    Small,  // 34, no line under it: charts
    Wide,   // 44, line under it: lists and facts
    None,
};

class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(const Theme& theme, const QString& title, CardHeader header = CardHeader::Small, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    // The muted unit or kind beside the title; it elides first when there is no room.
    void setCaption(const QString& caption);
    // After title and caption: chips. The card owns them.
    void addToHeader(QWidget* widget);
    // At the right end: last value, menu. The card owns them.
    void addToHeaderEnd(QWidget* widget);
    // Below the header, no margins.
    QVBoxLayout* body() { return m_body; }

private:
    Label* m_title = nullptr;
    ElidedLabel* m_caption = nullptr;
    QHBoxLayout* m_start = nullptr;
    QHBoxLayout* m_end = nullptr;
    QVBoxLayout* m_body;
};

// Caption over a large value with its unit on the same base line (run header).
class KeyFigure : public QWidget {
    Q_OBJECT
public:
    KeyFigure(const Theme& theme, const QString& caption, QWidget* parent = nullptr);
    void setCaption(const QString& caption);
    void setCaptionEnd(const QString& text);  // at the right of the caption: "ETA 9:11"
    void setValue(const QString& value, const QString& unit = {});
    void setNote(const QString& note, Tone tone);  // after the unit, strong: "1 late"
    void setProgress(double ratio);                // 0..1 shows a 4 px bar; negative hides it
    void setStale(bool stale);                     // the value muted

private:
    void updateName();
    void strengthenNote();
    Label* m_caption;
    ElidedLabel* m_captionEnd;
    Label* m_value;
    ElidedLabel* m_unit;
    Label* m_note;
    QProgressBar* m_bar;
};

// Why there is nothing here, and the way out. `hint` may hold <a href="id">words</a>.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const Theme& theme, const QString& iconName, const QString& reason, const QString& hint = {}, QWidget* parent = nullptr);
    void setTexts(const QString& reason, const QString& hint);
    void addButton(QPushButton* button);

    // It fills the room it gets. Else every layout above would set its words anew at each change of anything, also while it is hidden.
    bool hasHeightForWidth() const override { return false; }
    int heightForWidth(int) const override { return -1; }

signals:
    void linkActivated(const QString& id);

private:
    Label* m_reason;
    Label* m_hint;
    QHBoxLayout* m_buttons;
};

// 52 high: title, one muted sentence that elides, actions at the right.
class PageHeader : public QWidget {
    Q_OBJECT
public:
    PageHeader(const Theme& theme, const QString& title, const QString& sentence = {}, QWidget* parent = nullptr);
    void setSentence(const QString& sentence);
    void addAction(QWidget* widget);

private:
    ElidedLabel* m_sentence;
    QHBoxLayout* m_actions;
};

// A strip of controls above content (44): captions, fields, segments; what is added after addStretch() stands at the right. It goes on
// in a second line when it has no room in one.
class CommandBar : public QFrame {
    Q_OBJECT
public:
    explicit CommandBar(const Theme& theme, QWidget* parent = nullptr);
    // A caption that names the widget added next (its buddy).
    void addCaption(const QString& text);
    void add(QWidget* widget);
    void addGap();
    void addStretch();

private:
    const Theme& m_theme;
    FlowLayout* m_row;
    Label* m_pendingCaption = nullptr;
};

}  // namespace lockstep::style
