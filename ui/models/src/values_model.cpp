#include <models/values_model.h>

#include <text/format.h>

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace lockstep::models {
namespace {

constexpr int kDigits = 3;  // the dock is narrow

std::optional<double> valueAt(const ValuesModel::Row& row, int column) {
    switch (static_cast<ValuesModel::Column>(column)) {
        case ValuesModel::A: return row.a;
        case ValuesModel::B: return row.b;
        case ValuesModel::Difference: return row.a && row.b ? std::optional(*row.b - *row.a) : std::nullopt;
        case ValuesModel::Name:
        case ValuesModel::ColumnCount: break;
    }
    return std::nullopt;
}

// As many decimals as the coarser of the two has: 2.30 and 0.057 differ by 2.24.
QString differenceText(const ValuesModel::Row& row) {
    const double difference = *row.b - *row.a;
    const auto decimals = [](double value) {
        const QString text = text::formatFigure(value, kDigits);
        const auto point = text.indexOf(QLocale().decimalPoint());
        return text.contains(u'×') ? -1 : point < 0 ? 0 : static_cast<int>(text.size() - point) - 1;
    };
    if (*row.a == 0 || *row.b == 0) return text::formatDifference(difference, kDigits);
    const int shown = std::min(decimals(*row.a), decimals(*row.b));
    return shown < 0 || !std::isfinite(difference) ? text::formatDifference(difference, kDigits) : text::formatSigned(difference, shown);
}

}  // namespace

void ValuesModel::setRows(std::vector<Row> rows) {
    const auto sameSeries = [](const Row& a, const Row& b) { return a.key == b.key && a.name == b.name; };
    if (!std::ranges::equal(rows, m_rows, sameSeries)) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    const auto count = static_cast<int>(rows.size());
    for (int first = 0; first < count; ++first) {
        if (rows[static_cast<std::size_t>(first)] == m_rows[static_cast<std::size_t>(first)]) continue;
        int last = first;
        for (; last < count && rows[static_cast<std::size_t>(last)] != m_rows[static_cast<std::size_t>(last)]; ++last)
            m_rows[static_cast<std::size_t>(last)] = rows[static_cast<std::size_t>(last)];
        emit dataChanged(index(first, A), index(last - 1, Difference));
        first = last;
    }
}

int ValuesModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

int ValuesModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant ValuesModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const auto& row = m_rows[static_cast<std::size_t>(index.row())];
    if (role == SeriesNameRole) return text::toText(row.key.name);
    if (role == SeriesRankRole) return row.key.rank;
    if (role == HeadingRole) return row.heading;
    if (role == ColorRole) return row.color;
    const bool isName = index.column() == Name;
    if (role == Qt::TextAlignmentRole) return int((isName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (isName) return role == Qt::DisplayRole || role == RawRole || role == Qt::ToolTipRole ? QVariant(row.name) : QVariant();
    const auto value = valueAt(row, index.column());
    if (role == RawRole) return value ? QVariant(*value) : QVariant();
    if (role != Qt::DisplayRole) return {};
    if (!value) return row.heading ? QString() : QStringLiteral("–");
    if (row.whole) return index.column() == Difference ? text::formatSigned(*value, 0) : text::formatFixed(*value, 0);
    return index.column() == Difference ? differenceText(row) : text::formatFigure(*value, kDigits);
}

Qt::ItemFlags ValuesModel::flags(const QModelIndex& index) const {
    const bool heading = index.isValid() && m_rows[static_cast<std::size_t>(index.row())].heading;
    return heading ? Qt::ItemIsEnabled : QAbstractTableModel::flags(index);
}

QVariant ValuesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return int((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (static_cast<Column>(section)) {
        case Name: return tr("Cursor");
        case A: return tr("A");
        case B: return tr("B");
        case Difference: return tr("B − A");
        case ColumnCount: break;
    }
    return {};
}

}  // namespace lockstep::models
