// The run's name, state, six values and commands, at the top of the Live page.
#pragma once

#include "live_series.h"

#include <api/run.h>
#include <style/card.h>

#include <QFrame>

#include <array>

namespace lockstep::pages {

class LiveHeader : public QFrame {
    Q_OBJECT
public:
    explicit LiveHeader(const style::Theme& theme, QWidget* parent = nullptr);

    void showRun(const api::RunSummary& summary);
    // Once per refresh: `summary` as it is now.
    void showValues(const api::RunSummary& summary, const std::vector<api::RankStatus>& ranks, const LiveSeries& series);

signals:
    void checkpointAsked();
    void stopAsked();
    void resumeAsked();
    void chooseRunAsked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    enum Figure { Step, Loss, Accuracy, Throughput, StepTime, Workers, Count };
    QWidget* makeNameRow();
    QWidget* makeFigureRow();
    void fitName();
    void showProgress(const api::RunSummary& summary, const LiveSeries& series);
    void showWorkers(const api::RunSummary& summary, const std::vector<api::RankStatus>& ranks, const LiveSeries& series);

    const style::Theme& m_theme;
    style::StatePill* m_pill = nullptr;
    style::Button* m_run = nullptr;
    style::Label* m_id = nullptr;
    QString m_name;
    style::ElidedLabel* m_description = nullptr;
    style::Button* m_checkpoint = nullptr;
    style::Button* m_stop = nullptr;
    style::Button* m_resume = nullptr;
    std::array<style::KeyFigure*, Count> m_figures{};
};

}  // namespace lockstep::pages
