// What Ctrl+K finds: pages, runs, actions, narrowed down by words.
//
// Threads: GUI thread only.
#pragma once

#include <shell/values.h>

#include <QAbstractListModel>

#include <vector>

namespace lockstep::shell {

// How well the words of `query` fit an item: 0 = not at all (every word must stand in title or detail), higher is better (beginnings
// of the title beat beginnings of words beat middles beat the detail). An empty query fits everything equally.
int locatorScore(const LocatorItem& item, const QString& query);

class LocatorModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Roles { KindRole = Qt::UserRole, IdRole, DetailRole, IconRole };
    using QAbstractListModel::QAbstractListModel;

    void setItems(std::vector<LocatorItem> items);
    void setQuery(const QString& query);
    const LocatorItem& itemAt(int row) const { return m_items[m_shown[static_cast<std::size_t>(row)]]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    void narrow();
    std::vector<LocatorItem> m_items;
    std::vector<std::size_t> m_shown;  // best first, equal ones in the given order
    QString m_query;
};

}  // namespace lockstep::shell
