// First use: the large card with the sample. Later: one row with the same three actions.
#pragma once

#include <pages/overview_page.h>
#include <style/controls.h>

#include <QWidget>

#include <optional>

class QLabel;

namespace lockstep::style {
class Label;
}

namespace lockstep::pages {

// "Try the sample", "New project", "Open…": one filled button at most, the others quieter.
class OverviewActions : public QWidget {
    Q_OBJECT
public:
    OverviewActions(const style::Theme& theme, style::ButtonKind sample, style::ControlSize size, const QString& objectPrefix,
                    QWidget* parent);
    void setSampleStarting(bool starting);
    // Filled or outlined.
    void setSampleKind(style::ButtonKind kind);

signals:
    void trySample();
    void newProject();
    void openProject();

private:
    style::Button* m_sample;
};

class OverviewHero : public QFrame {
    Q_OBJECT
public:
    OverviewHero(const style::Theme& theme, QWidget* parent);
    OverviewActions& actions() { return *m_actions; }
    // With a project of last time that one is what a person goes on with.
    void setLast(const std::optional<RecentProject>& project);
    QSize minimumSizeHint() const override;

signals:
    void openLast(const QString& folder);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    OverviewActions* m_actions;
    style::Label* m_title;
    style::Label* m_sentence;
    style::Button* m_open;
    QString m_last;  // folder
    QWidget* m_words;
    QWidget* m_drawing;
};

class OverviewHeading : public QWidget {
    Q_OBJECT
public:
    OverviewHeading(const style::Theme& theme, QWidget* parent);
    OverviewActions& actions() { return *m_actions; }
    enum class Use : std::uint8_t { First, Project, Later };
    void setUse(Use use);

private:
    QLabel* m_title;
    OverviewActions* m_actions;
};

}  // namespace lockstep::pages
