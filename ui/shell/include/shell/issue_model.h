// The Issues of this window, newest first, at most kMostIssues.
//
// Threads: GUI thread only.
#pragma once

#include <shell/values.h>

#include <QAbstractListModel>

#include <deque>

namespace lockstep::shell {

inline constexpr std::size_t kMostIssues = 200;

class IssueModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Roles { SeverityRole = Qt::UserRole, CodeRole, SentenceRole, NextRole, TimesRole };
    using QAbstractListModel::QAbstractListModel;

    // The same code and sentence again: moves to the top and counts.
    void add(const Issue& issue);
    void clear();
    int count(Severity severity) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    // DisplayRole: the whole row as one sentence, for screen readers and the clipboard.
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::deque<Issue> m_issues;
};

}  // namespace lockstep::shell
