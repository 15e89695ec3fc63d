// Level and pattern above the lines. A pattern that is none is said in a sentence under the field; the last valid one stays in force.
//
// Threads: GUI thread only.
#pragma once

#include <models/log_line.h>
#include <style/card.h>
#include <style/theme.h>

#include <QRegularExpression>
#include <QTimer>
#include <QWidget>

class QLineEdit;

namespace lockstep::pages {

class LogsFilterBar : public QWidget {
    Q_OBJECT
public:
    explicit LogsFilterBar(const style::Theme& theme, QWidget* parent = nullptr);

    models::LogLevel lowest() const;
    const QRegularExpression& pattern() const { return m_pattern; }
    QString problem() const;  // the sentence under the field; empty when the pattern is valid
    void setCount(const QString& text);
    // Everything through again.
    void clear();
    void focusPattern();

signals:
    void changed();

private:
    void takePattern();

    style::SegmentedControl* m_levels;
    QLineEdit* m_field;
    style::Label* m_count;
    style::Label* m_problem;
    QRegularExpression m_pattern;
    QTimer m_typing;  // a pattern counts when no key came for a moment
};

}  // namespace lockstep::pages
