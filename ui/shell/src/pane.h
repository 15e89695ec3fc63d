// The frame of a bottom pane: header 36 with title, muted summary and close, then its content.
#pragma once

#include <style/theme.h>

#include <QFrame>

class QHBoxLayout;
class QVBoxLayout;

namespace lockstep::style {
class ElidedLabel;
}

namespace lockstep::shell {

class Pane : public QFrame {
    Q_OBJECT
public:
    // `id` names it in layouts and object names: "issues".
    Pane(const style::Theme& theme, const QString& id, const QString& title, QWidget* parent);
    QString id() const { return m_id; }
    void setSummary(const QString& text);
    void addToHeader(QWidget* widget);
    QVBoxLayout* body() { return m_body; }

signals:
    void closeClicked();

private:
    QString m_id;
    style::ElidedLabel* m_summary;
    QHBoxLayout* m_tools;
    QVBoxLayout* m_body;
};

}  // namespace lockstep::shell
