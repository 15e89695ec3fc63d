// A card with one chart: title, unit, chips of what the chart hides or thins, and the last value.
#pragma once

#include <charts/chart_view.h>
#include <style/card.h>

#include <QList>

namespace lockstep::pages {

class MetricCard : public style::Card {
    Q_OBJECT
public:
    // Owns the chart.
    MetricCard(const style::Theme& theme, const QString& title, const QString& unit, charts::ChartView* chart, int height,
               QWidget* parent = nullptr);

    charts::ChartView* chart() const { return m_chart; }
    void setLast(const QString& text) { m_last->setText(text); }
    void setUnit(const QString& unit);
    void setChips(const std::vector<QString>& texts);

    QSize minimumSizeHint() const override { return {kLeastWidth, Card::minimumSizeHint().height()}; }
    static constexpr int kLeastWidth = 220;

signals:
    void exportAsked(const QString& kind);  // "png", "svg", "csv", "copy"

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showChips();
    void fillMenu(QWidget* button);

    const style::Theme& m_theme;
    charts::ChartView* m_chart;
    style::Label* m_last;
    QList<style::Chip*> m_chips;
    std::vector<QString> m_texts;
};

}  // namespace lockstep::pages
