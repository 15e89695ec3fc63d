// The Logs page: every rank's lines and the controller's, one by one or merged by time, of one run.
//
// Threads: GUI thread only. Theme and workbench must outlive it.
#pragma once

#include <api/workbench.h>
#include <bridge/log_feed.h>
#include <models/log_model.h>
#include <pages/page.h>
#include <style/card.h>

#include <optional>

class QLabel;
class QStackedWidget;

namespace lockstep::pages {

class LogsFilterBar;
class LogsSources;
class LogsView;

class LogsPage : public Page {
    Q_OBJECT
public:
    LogsPage(const style::Theme& theme, api::Logs& logs, QWidget* parent = nullptr);
    ~LogsPage() override;

    QString id() const override { return QStringLiteral("logs"); }
    QString title() const override { return tr("Logs"); }
    QString iconName() const override { return QStringLiteral("logs"); }
    QList<QAction*> pageActions() const override { return m_actions; }
    void activated() override;
    void deactivated() override;

    // The run whose lines are shown; read while the page is in front. `name` is for the header.
    void open(const RunId& run, const QString& name);
    void close();
    // Jumps to the last line of this source (api::kController, a rank; none = any) at or before this moment, as soon as the lines are
    // there.
    void showAt(std::optional<int> rank, double unixSeconds);

    const models::LogModel& model() const { return m_model; }

signals:
    // The empty page's way out.
    void overviewWanted();

private:
    struct Jump {
        std::optional<int> rank;
        double time = 0;
    };
    void build();
    void makeActions();
    void showFollowing(bool on);
    QAction* makeAction(const QString& text, const QString& icon, const QKeySequence& keys, void (LogsPage::*slot)());
    QWidget* makeLines();
    void applyFilter();
    void refreshTexts();
    QString cutText() const;
    void jump();
    void toEnd();
    void nextError();
    void previousError();
    void goToError(std::optional<int> row);
    void copy();
    void copyWithContext();
    void copyLines(int context);
    void clearFilter();
    void showProblem(const Error& error);

    const style::Theme& m_theme;
    models::LogModel m_model;
    bridge::LogFeed m_feed;
    RunId m_run;
    QString m_runName;
    bool m_inFront = false;
    std::optional<Jump> m_jump;

    style::PageHeader* m_header = nullptr;
    style::Button* m_follow = nullptr;
    LogsFilterBar* m_filter = nullptr;
    LogsSources* m_sources = nullptr;
    LogsView* m_view = nullptr;
    QStackedWidget* m_stack = nullptr;  // lines, or why there are none
    style::EmptyState* m_empty = nullptr;
    style::ElidedLabel* m_cut = nullptr;
    style::Label* m_problem = nullptr;
    QList<QAction*> m_actions;
};

}  // namespace lockstep::pages
