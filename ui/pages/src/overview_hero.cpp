#include "overview_hero.h"

#include <style/text.h>
#include <text/format.h>

#include <QDir>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace lockstep::pages {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kPaddingX = 32, kPaddingY = 28;
constexpr int kDrawingWidth = 420, kDrawingHeight = 200;
constexpr int kTextWidth = 380;

// Four workers that wait for each other at every step: bars are work, thin lines waiting, upright lines the steps.
class Drawing : public QWidget {
public:
    Drawing(const style::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
        setFixedSize(kDrawingWidth, kDrawingHeight);
        connect(&theme, &style::Theme::changed, this, qOverload<>(&QWidget::update));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        static constexpr double kStepAt[] = {112, 214, 316};
        static constexpr double kBarFrom[] = {8, 120, 222, 324};
        // Length of each worker's work per step; the last column is what comes next.
        static constexpr double kWork[4][4] = {{92, 52, 75, 59}, {69, 83, 52, 45}, {83, 62, 84, 67}, {58, 74, 62, 37}};
        static constexpr double kBar = 14, kTop = 11, kRow = 44, kGap = 5;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        for (int row = 0; row < 4; ++row) {
            const double y = kTop + row * kRow;
            for (int step = 0; step < 3; ++step) {
                const double end = kBarFrom[step] + kWork[row][step];
                painter.setPen(Qt::NoPen);
                painter.setBrush(m_theme.color(Role::AccentMid));
                painter.drawRoundedRect(QRectF(kBarFrom[step], y, kWork[row][step], kBar), 2, 2);
                painter.setPen(QPen(m_theme.color(Role::ChartAxis), 1.5));
                if (kStepAt[step] - end > 3 * kGap)
                    painter.drawLine(QPointF(end + kGap, y + kBar / 2), QPointF(kStepAt[step] - kGap, y + kBar / 2));
            }
            painter.setPen(QPen(m_theme.color(Role::AccentMid), 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(kBarFrom[3] + 0.5, y + 0.5, kWork[row][3], kBar - 1), 2, 2);
        }
        painter.setFont(m_theme.font(TextStyle::Caption));
        for (int step = 0; step < 3; ++step) {
            painter.setPen(QPen(m_theme.color(Role::Accent), 1.5));
            painter.drawLine(QPointF(kStepAt[step], 0), QPointF(kStepAt[step], kTop + 3 * kRow + kBar + 11));
            painter.setPen(m_theme.color(Role::MutedText));
            painter.drawText(QRectF(kStepAt[step] - 50, kTop + 3 * kRow + kBar + 13, 100, kDrawingHeight), Qt::AlignHCenter | Qt::AlignTop,
                             OverviewHero::tr("step %1").arg(step + 1));
        }
    }

private:
    const style::Theme& m_theme;
};

}  // namespace

OverviewActions::OverviewActions(const style::Theme& theme, style::ButtonKind sample, style::ControlSize size, const QString& objectPrefix,
                                 QWidget* parent)
    : QWidget(parent) {
    using style::Button;
    using style::ButtonKind;
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(10);
    m_sample = new Button(theme, sample, tr("Try the sample"), QStringLiteral("play"), size, this);
    auto* create = new Button(theme, ButtonKind::Outlined, tr("New project"), {}, size, this);
    auto* open = new Button(theme, ButtonKind::Plain, tr("Open…"), {}, size, this);
    m_sample->setObjectName(objectPrefix + QStringLiteral(".trySample"));
    create->setObjectName(objectPrefix + QStringLiteral(".newProject"));
    open->setObjectName(objectPrefix + QStringLiteral(".open"));
    open->setAccessibleName(tr("Open a project"));
    for (QPushButton* button : {m_sample, create, open}) row->addWidget(button);
    row->addStretch(1);
    connect(m_sample, &QPushButton::clicked, this, &OverviewActions::trySample);
    connect(create, &QPushButton::clicked, this, &OverviewActions::newProject);
    connect(open, &QPushButton::clicked, this, &OverviewActions::openProject);
}

void OverviewActions::setSampleKind(style::ButtonKind kind) {
    m_sample->setKind(kind);
    m_sample->setIconName(QStringLiteral("play"), kind == style::ButtonKind::Main ? Role::OnAccent : Role::Text);
}

void OverviewActions::setSampleStarting(bool starting) {
    m_sample->setEnabled(!starting);
    m_sample->setToolTip(starting ? tr("The sample is being started.") : QString());
}

OverviewHero::OverviewHero(const style::Theme& theme, QWidget* parent)
    : QFrame(parent), m_words(new QWidget(this)), m_drawing(new Drawing(theme, this)) {
    setProperty("card", true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(kPaddingX, kPaddingY, kPaddingX, kPaddingY);
    row->setSpacing(style::space::kXl);
    auto* column = new QVBoxLayout(m_words);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_title = new style::Label(theme, {}, TextStyle::Hero, Role::Text, m_words);
    m_title->setWordWrap(true);
    m_sentence = new style::Label(theme, {}, TextStyle::Body, Role::MutedText, m_words);
    m_sentence->setWordWrap(true);
    m_open = new style::Button(theme, style::ButtonKind::Main, {}, QStringLiteral("folder"), style::ControlSize::Large, m_words);
    m_open->setObjectName(QStringLiteral("overview.hero.openLast"));
    connect(m_open, &QPushButton::clicked, this, [this] { emit openLast(m_last); });
    m_actions = new OverviewActions(theme, style::ButtonKind::Main, style::ControlSize::Large, QStringLiteral("overview.hero"), m_words);
    column->addStretch(1);
    column->addWidget(m_title);
    column->addSpacing(style::space::kS);
    column->addWidget(m_sentence);
    column->addSpacing(style::space::kXl - style::space::kXs);
    column->addWidget(m_open, 0, Qt::AlignLeft);
    column->addSpacing(style::space::kS);
    column->addWidget(m_actions);
    column->addStretch(1);
    // A line of text stays short enough to read; the buttons may need more.
    const auto grow = [this, &theme] {
        m_words->setMaximumWidth(std::max(static_cast<int>(kTextWidth * theme.textScale()), m_actions->sizeHint().width()));
    };
    connect(&theme, &style::Theme::changed, m_words, grow);
    grow();
    row->addWidget(m_words, 1);
    row->addStretch(0);
    row->addWidget(m_drawing, 0, Qt::AlignRight | Qt::AlignVCenter);
    m_drawing->setAccessibleName(tr("Drawing: four workers wait for each other at the end of every step"));
    setLast(std::nullopt);
}

void OverviewHero::setLast(const std::optional<RecentProject>& project) {
    m_last = project ? project->folder : QString();
    m_open->setVisible(project.has_value());
    m_actions->setSampleKind(project ? style::ButtonKind::Outlined : style::ButtonKind::Main);
    if (!project) {
        m_title->setText(tr("Train your first model here"));
        m_sentence->setText(
            tr("The sample trains a small network on handwritten digits with two processes on this computer. "
               "It needs no GPU and no download, and takes under a minute."));
        return;
    }
    const QString shown = fontMetrics().elidedText(project->name, Qt::ElideMiddle, kTextWidth - kPaddingX * 4);
    m_title->setText(tr("Go on where you were"));
    m_sentence->setText(tr("The project of last time is %1.").arg(QDir::toNativeSeparators(project->folder)));
    m_open->setText(text::withoutMnemonic(tr("Open %1").arg(shown)));
    m_open->setAccessibleName(tr("Open project %1 in %2").arg(project->name, project->folder));
    m_open->setToolTip(QDir::toNativeSeparators(project->folder));
}

// The drawing gives way, so it must not count.
QSize OverviewHero::minimumSizeHint() const {
    return {m_words->minimumSizeHint().width() + 2 * kPaddingX, QFrame::minimumSizeHint().height()};
}

void OverviewHero::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    const int wanted = m_words->minimumSizeHint().width() + kDrawingWidth + 2 * kPaddingX + style::space::kXl;
    m_drawing->setVisible(width() >= wanted);
}

OverviewHeading::OverviewHeading(const style::Theme& theme, QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    m_title = new style::Label(theme, {}, TextStyle::Page, Role::Text, this);
    // With runs there, what a person goes on with is one of them: no button of this row is filled.
    m_actions =
        new OverviewActions(theme, style::ButtonKind::Outlined, style::ControlSize::Normal, QStringLiteral("overview.heading"), this);
    row->addWidget(m_title, 1);
    row->addWidget(m_actions);
    setUse(Use::First);
}

void OverviewHeading::setUse(Use use) {
    m_title->setText(use == Use::First     ? tr("Welcome to Lockstep")
                     : use == Use::Project ? tr("Nothing has been run in this project yet")
                                           : tr("Overview"));
    m_actions->setVisible(use != Use::First);
}

}  // namespace lockstep::pages
