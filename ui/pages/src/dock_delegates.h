// Rows of the dock beside the charts, as the specification draws them: values at the cursors, and events.
#pragma once

#include <style/theme.h>

#include <QStyledItemDelegate>

namespace lockstep::pages {

// Name with the marker of its curve, figures at the right, the difference muted; a heading for the ranks below it.
class ValuesDelegate : public QStyledItemDelegate {
public:
    ValuesDelegate(const style::Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const style::Theme& m_theme;
};

// Icon, what happened, step at the right.
class EventsDelegate : public QStyledItemDelegate {
public:
    EventsDelegate(const style::Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const style::Theme& m_theme;
};

}  // namespace lockstep::pages
