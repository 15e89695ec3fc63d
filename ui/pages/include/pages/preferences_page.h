// Theme, text size and language of the program. A change takes effect at once and is told by a signal; nothing is kept here.
#pragma once

#include <pages/page.h>
#include <style/theme.h>

class QComboBox;
class QSpinBox;

namespace lockstep::style {
class SegmentedControl;
}

namespace lockstep::pages {

class PreferencesPage : public Page {
    Q_OBJECT
public:
    explicit PreferencesPage(const style::Theme& theme, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("preferences"); }
    QString title() const override { return tr("Preferences"); }
    QString iconName() const override { return QStringLiteral("preferences"); }

    // What is chosen now; no signal. `language`: "" = the system's, "en", "zh_CN".
    void setChosen(style::Mode mode, double textScale, const QString& language);

signals:
    void modeChosen(lockstep::style::Mode mode);
    void textScaleChosen(double scale);
    void languageChosen(const QString& language);

private:
    QWidget* makeRows(const style::Theme& theme);

    style::SegmentedControl* m_mode = nullptr;
    QSpinBox* m_textSize = nullptr;
    QComboBox* m_language = nullptr;
};

}  // namespace lockstep::pages
