#include <shell/locator_model.h>

#include <algorithm>

namespace lockstep::shell {
namespace {

constexpr int kBeginning = 8, kWord = 4, kMiddle = 2, kDetail = 1;

int wordScore(const LocatorItem& item, const QString& word) {
    const qsizetype at = item.title.indexOf(word, 0, Qt::CaseInsensitive);
    if (at == 0) return kBeginning;
    if (at > 0) return item.title.at(at - 1).isLetterOrNumber() ? kMiddle : kWord;
    return item.detail.contains(word, Qt::CaseInsensitive) ? kDetail : 0;
}

}  // namespace

int locatorScore(const LocatorItem& item, const QString& query) {
    int total = 1;
    for (const QString& word : query.simplified().split(u' ', Qt::SkipEmptyParts)) {
        const int score = wordScore(item, word);
        if (score == 0) return 0;
        total += score;
    }
    return total;
}

void LocatorModel::setItems(std::vector<LocatorItem> items) {
    beginResetModel();
    m_items = std::move(items);
    narrow();
    endResetModel();
}

void LocatorModel::setQuery(const QString& query) {
    beginResetModel();
    m_query = query;
    narrow();
    endResetModel();
}

void LocatorModel::narrow() {
    std::vector<std::pair<int, std::size_t>> fitting;
    for (std::size_t i = 0; i < m_items.size(); ++i)
        if (const int score = locatorScore(m_items[i], m_query); score > 0) fitting.emplace_back(-score, i);
    std::sort(fitting.begin(), fitting.end());
    m_shown.clear();
    for (const auto& [score, i] : fitting) m_shown.push_back(i);
}

int LocatorModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_shown.size()); }

QVariant LocatorModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const LocatorItem& item = itemAt(index.row());
    switch (role) {
        case Qt::DisplayRole: return item.title;
        case Qt::AccessibleTextRole: return QStringLiteral("%1 %2").arg(item.title, item.detail);
        case KindRole: return static_cast<int>(item.kind);
        case IdRole: return item.id;
        case DetailRole: return item.detail;
        case IconRole: return item.iconName;
        default: return {};
    }
}

}  // namespace lockstep::shell
