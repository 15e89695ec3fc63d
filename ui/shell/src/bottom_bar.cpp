#include "bottom_bar.h"

#include <style/controls.h>
#include <style/text.h>
#include <text/format.h>

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>

namespace lockstep::shell {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kTogglePadding = 12;
constexpr int kCounterGap = 8;
constexpr std::size_t kMostBars = 12;
constexpr int kBarWidth = 3, kBarGap = 1, kBarsHeight = 12;
constexpr int kDot = 8;
constexpr int kFactGap = 18;

class Dot : public QWidget {
public:
    Dot(const style::Theme& theme, Role role, QWidget* parent) : QWidget(parent), m_theme(theme), m_role(role) { setFixedSize(kDot, kDot); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(m_role));
        painter.drawEllipse(rect());
    }

private:
    const style::Theme& m_theme;
    Role m_role;
};

}  // namespace

class PaneToggle : public QAbstractButton {
public:
    PaneToggle(const style::Theme& theme, const QString& title, QWidget* parent)
        : QAbstractButton(parent), m_theme(theme), m_counter(new style::Counter(theme, style::Tone::Neutral, this)) {
        setText(title);
        setCheckable(true);
        setAttribute(Qt::WA_Hover);
        setFocusPolicy(Qt::StrongFocus);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
        connect(&theme, &style::Theme::changed, this, [this] { updateGeometry(); });
        setCount(0, style::Tone::Neutral);
    }

    void setCount(int count, style::Tone tone) {
        m_counter->setTone(tone);
        m_counter->setCount(count);
        setAccessibleName(count > 0 ? QStringLiteral("%1, %2").arg(text(), text::formatInteger(count)) : text());
        updateGeometry();
        place();
    }

    QSize sizeHint() const override {
        const QFontMetrics metrics(m_theme.font(TextStyle::Small));
        const int counter = m_counter->count() > 0 ? kCounterGap + m_counter->sizeHint().width() : 0;
        return {metrics.horizontalAdvance(text()) + 2 * kTogglePadding + counter + 1,
                m_theme.heightFor(TextStyle::Small, style::control::kMinTarget)};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void resizeEvent(QResizeEvent*) override { place(); }

    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        if (isChecked() || underMouse()) painter.fillRect(rect(), m_theme.color(isChecked() ? Role::Pressed : Role::Hover));
        painter.fillRect(width() - 1, 0, 1, height(), m_theme.color(Role::Border));
        if (hasFocus() && property("keyboardFocus").toBool()) {
            painter.setPen(QPen(m_theme.color(Role::Focus), style::edge::kFocusWidth));
            painter.drawRect(rect().adjusted(1, 1, -2, -1));
        }
        painter.setFont(m_theme.font(TextStyle::Small));
        painter.setPen(m_theme.color(isChecked() ? Role::Text : Role::MutedText));
        painter.drawText(rect().adjusted(kTogglePadding, 0, 0, 0), Qt::AlignVCenter | Qt::TextSingleLine, text());
    }

private:
    void place() {
        const QSize size = m_counter->sizeHint();
        m_counter->setGeometry(width() - 1 - kTogglePadding - size.width() + 2, (height() - size.height()) / 2, size.width(),
                               size.height());
    }
    const style::Theme& m_theme;
    style::Counter* m_counter;
};

class BusyBars : public QWidget {
public:
    BusyBars(const style::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
        setFixedSize(static_cast<int>(kMostBars) * (kBarWidth + kBarGap), kBarsHeight);
    }
    void setValues(const std::vector<double>& values) {
        const auto first = values.size() > kMostBars ? values.end() - static_cast<std::ptrdiff_t>(kMostBars) : values.begin();
        m_values.assign(first, values.end());
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        int x = width() - static_cast<int>(m_values.size()) * (kBarWidth + kBarGap);
        for (const double value : m_values) {
            const int tall = std::max(1, static_cast<int>(std::clamp(value, 0.0, 1.0) * height()));
            painter.fillRect(x, height() - tall, kBarWidth, tall, m_theme.color(Role::ChartContext));
            x += kBarWidth + kBarGap;
        }
    }

private:
    const style::Theme& m_theme;
    std::vector<double> m_values;
};

BottomBar::BottomBar(const style::Theme& theme, QWidget* parent) : QStatusBar(parent), m_theme(theme) {
    setObjectName(QStringLiteral("shell.bottomBar"));
    setAccessibleName(tr("Status"));
    setSizeGripEnabled(false);
    auto* left = new QWidget(this);
    m_toggles = new QHBoxLayout(left);
    m_toggles->setContentsMargins(style::space::kS, 0, 0, 0);
    m_toggles->setSpacing(0);
    auto* right = new QWidget(this);
    auto* facts = new QHBoxLayout(right);
    facts->setContentsMargins(0, 0, style::space::kL, 0);
    facts->setSpacing(style::space::kIconTextGap);
    const auto label = [&](Role role) { return new style::Label(theme, {}, TextStyle::Small, role, right); };
    m_note = new style::ElidedLabel(theme, {}, TextStyle::Small, Role::MutedText, right);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_note->setObjectName(QStringLiteral("shell.bottomBar.note"));
    m_runDot = new Dot(theme, Role::Success, right);
    m_runs = label(Role::MutedText);
    m_hosts = label(Role::MutedText);
    m_busyTitle = label(Role::MutedText);
    m_busyTitle->setText(tr("Busy"));
    m_bars = new BusyBars(theme, right);
    m_busy = label(Role::MutedText);
    m_dock = new style::IconButton(theme, QStringLiteral("values"), {}, right);
    m_dock->setObjectName(QStringLiteral("shell.bottomBar.dock"));
    facts->addWidget(m_note, 1);
    facts->addSpacing(kFactGap - style::space::kIconTextGap);
    facts->addWidget(m_runDot);
    facts->addWidget(m_runs);
    for (QWidget* fact : std::initializer_list<QWidget*>{m_hosts, m_busyTitle}) {
        facts->addSpacing(kFactGap - 2 * style::space::kIconTextGap);
        facts->addWidget(fact);
    }
    facts->addWidget(m_bars);
    facts->addWidget(m_busy);
    facts->addWidget(m_dock);
    // Not addWidget(): the bar's own layout leaves gaps above and below.
    m_content = new QWidget(this);
    auto* row = new QHBoxLayout(m_content);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(left);
    row->addWidget(right, 1);
    const auto grow = [this] { setFixedHeight(m_theme.heightFor(TextStyle::Small, style::layout::kBottomBar)); };
    connect(&theme, &style::Theme::changed, this, grow);
    connect(m_dock, &QToolButton::clicked, this, &BottomBar::dockClicked);
    grow();
    setFacts({});
    setDockButton({});
}

void BottomBar::resizeEvent(QResizeEvent* event) {
    QStatusBar::resizeEvent(event);
    m_content->setGeometry(rect().adjusted(0, style::edge::kWidth, 0, 0));
}

void BottomBar::addPane(const QString& id, const QString& title, const QString& shortcut) {
    auto* toggle = new PaneToggle(m_theme, title, this);
    toggle->setObjectName(QStringLiteral("shell.bottomBar.") + id);
    toggle->setToolTip(QStringLiteral("%1 (%2)").arg(title, shortcut));
    m_toggles->addWidget(toggle);
    m_byId.insert(id, toggle);
    connect(toggle, &QAbstractButton::clicked, this, [this, id] { emit paneToggled(id); });
}

void BottomBar::setCounter(const QString& id, int count, style::Tone tone) {
    if (PaneToggle* toggle = m_byId.value(id)) toggle->setCount(count, tone);
}

void BottomBar::setOpenPane(const QString& id) {
    for (auto it = m_byId.begin(); it != m_byId.end(); ++it) it.value()->setChecked(it.key() == id);
}

void BottomBar::setFacts(const Facts& facts) {
    m_runDot->setVisible(facts.runs > 0);
    m_runs->setText(facts.runs == 0 ? tr("No run") : facts.runs == 1 ? tr("1 run") : tr("%n runs", nullptr, facts.runs));
    m_note->setText(facts.runs > 0 ? tr("Runs go on when this window is closed.") : QString());
    m_hosts->setVisible(facts.hostsUp.has_value());
    if (facts.hostsUp) m_hosts->setText(tr("Hosts up %1 of %2").arg(*facts.hostsUp).arg(facts.hosts));
    m_busyTitle->setVisible(facts.busy.has_value());
    m_busy->setVisible(facts.busy.has_value());
    m_bars->setVisible(facts.busy.has_value() && !facts.busyHistory.empty());
    if (facts.busy) m_busy->setText(text::formatPercent(*facts.busy));
    m_bars->setValues(facts.busyHistory);
}

void BottomBar::setDockButton(const QString& dockTitle) {
    m_dock->setVisible(!dockTitle.isEmpty());
    const QString name = tr("Show %1 (F4)").arg(dockTitle);
    m_dock->setToolTip(name);
    m_dock->setAccessibleName(name);
}

}  // namespace lockstep::shell
