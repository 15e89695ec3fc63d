// Values of series at the cursors A and B, one row a series; a heading stands above the rows of the ranks.
#pragma once

#include <api/series.h>

#include <QAbstractTableModel>
#include <QString>

#include <optional>
#include <vector>

namespace lockstep::models {

class ValuesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, A, B, Difference, ColumnCount };
    enum Role {
        RawRole = Qt::UserRole + 1,  // double or text; invalid where the series has no value there
        SeriesNameRole,              // QString: "loss"
        SeriesRankRole,              // int, api::kWholeRun
        HeadingRole,                 // bool: a name for the rows below it, without values
        ColorRole,                   // int: series colour of its curve, −1 none
    };
    struct Row {
        api::SeriesKey key;
        QString name;  // translated
        std::optional<double> a, b;
        int color = -1;
        bool heading = false;
        bool whole = false;  // whole numbers: steps
        bool operator==(const Row&) const = default;
    };

    using QAbstractTableModel::QAbstractTableModel;

    // The same series in the same order: only what differs is told. Otherwise the whole table.
    void setRows(std::vector<Row> rows);
    const std::vector<Row>& rows() const { return m_rows; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Row> m_rows;
};

}  // namespace lockstep::models
