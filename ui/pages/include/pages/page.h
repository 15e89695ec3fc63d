// One page of the window. The shell owns pages, shows one at a time and asks them only for what stands here.
//
// Threads: GUI thread only.
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

class QAction;

namespace lockstep::pages {

class Page : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    // Stable: "overview", "live", "logs"; also the name of the page's screenshot and of its place in a saved layout.
    virtual QString id() const = 0;
    virtual QString title() const = 0;     // translated
    virtual QString iconName() const = 0;  // of style::icon()
    // For the locator; owned by the page.
    virtual QList<QAction*> pageActions() const { return {}; }
    // What the right dock shows while this page is in front; owned by the page, null = no dock.
    virtual QWidget* dock() const { return nullptr; }
    // The page has come to the front, or gone from it: a page that is not seen draws and reads nothing.
    virtual void activated() {}
    virtual void deactivated() {}

signals:
    // Something went wrong that the person should see in Issues: code, sentence, next step.
    void issueRaised(const QString& code, const QString& sentence, const QString& next);
};

}  // namespace lockstep::pages
