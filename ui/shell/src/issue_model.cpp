#include <shell/issue_model.h>

#include <algorithm>

namespace lockstep::shell {

void IssueModel::add(const Issue& issue) {
    Issue added = issue;
    const auto same = std::find_if(m_issues.begin(), m_issues.end(), [&](const Issue& other) {
        return other.severity == issue.severity && other.code == issue.code && other.sentence == issue.sentence;
    });
    if (same != m_issues.end()) {
        const int row = static_cast<int>(same - m_issues.begin());
        added.times = same->times + 1;
        if (row == 0) {
            m_issues.front() = added;
            emit dataChanged(index(0), index(0));
            return;
        }
        beginRemoveRows({}, row, row);
        m_issues.erase(same);
        endRemoveRows();
    } else if (m_issues.size() == kMostIssues) {
        const int last = static_cast<int>(kMostIssues) - 1;
        beginRemoveRows({}, last, last);
        m_issues.pop_back();
        endRemoveRows();
    }
    beginInsertRows({}, 0, 0);
    m_issues.push_front(added);
    endInsertRows();
}

void IssueModel::clear() {
    beginResetModel();
    m_issues.clear();
    endResetModel();
}

int IssueModel::count(Severity severity) const {
    return static_cast<int>(std::count_if(m_issues.begin(), m_issues.end(), [&](const Issue& i) { return i.severity == severity; }));
}

int IssueModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_issues.size()); }

QVariant IssueModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Issue& issue = m_issues[static_cast<std::size_t>(index.row())];
    switch (role) {
        case SeverityRole: return static_cast<int>(issue.severity);
        case CodeRole: return issue.code;
        case SentenceRole: return issue.sentence;
        case NextRole: return issue.next;
        case TimesRole: return issue.times;
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            if (!issue.whole.isEmpty()) return QStringLiteral("%1 %2").arg(issue.code, issue.whole).simplified();
            return QStringLiteral("%1 %2 %3").arg(issue.code, issue.sentence, issue.next).simplified();
        default: return {};
    }
}

}  // namespace lockstep::shell
