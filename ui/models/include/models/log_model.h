// The lines of a run's logs, filtered, for a view that shows some of a million. Memory is bounded: the oldest lines go, in blocks, and
// are counted. Filtering goes on in slices of a few milliseconds between events, so that neither typing nor new lines wait for it: what
// has matched so far is there, isFiltering() says that more may come.
#pragma once

#include <QAbstractListModel>  // first: moc 6.4 stumbles over <compare> before any other header

#include <api/logs.h>
#include <models/log_line.h>

#include <QRegularExpression>
#include <QTimer>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lockstep::models {

class LogStore;

struct LogFilter {
    std::optional<int> rank;  // only this one; api::kController for the controller
    LogLevel lowest = LogLevel::Debug;
    QRegularExpression pattern;  // an empty or invalid one lets everything through
    bool operator==(const LogFilter&) const = default;
    bool letsAllThrough() const { return !rank && lowest == LogLevel::Debug && !hasPattern(); }
    bool hasPattern() const { return pattern.isValid() && !pattern.pattern().isEmpty(); }
};

class LogModel : public QAbstractListModel {
    Q_OBJECT
    Q_PROPERTY(bool following READ isFollowing WRITE setFollowing NOTIFY followingChanged)
public:
    enum Role {
        TextRole = Qt::UserRole + 1,  // the whole line; DisplayRole is its words (messageOfLine)
        RankRole,                     // int
        LevelRole,                    // int, LogLevel
        GoesOnRole,                   // bool: goes on with the line before it of its rank and has its level
        TimeRole,                     // double, Unix seconds; 0 = not known. Of a line without a stamp: of the last one before it
        DatedRole,                    // bool: the line has a stamp of its own
        NumberRole,                   // qulonglong; the first line that ever came is 0
    };
    struct Limits {
        std::size_t bytes = 192u << 20;
        std::size_t lines = 2'000'000;
    };
    struct SourceCount {
        std::uint64_t lines = 0, warnings = 0, errors = 0;  // that ever came; an error of several lines counts once
    };

    explicit LogModel(QObject* parent = nullptr);
    LogModel(const Limits& limits, QObject* parent);
    ~LogModel() override;

    void append(const std::vector<api::LogLine>& lines);
    void clear();  // the filter stays

    void setFilter(const LogFilter& filter);
    const LogFilter& filter() const { return m_filter; }
    bool isFiltering() const { return m_scanned < lineCountEver(); }
    // Goes through all that is left now.
    void finishFiltering();

    // Whether the view should stay at the newest line. A flag that model and views share; the model does nothing with it.
    bool isFollowing() const { return m_following; }
    void setFollowing(bool following);

    std::uint64_t lineCount() const;     // kept, also those the filter hides
    std::uint64_t droppedCount() const;  // gone because there were too many
    const std::map<int, SourceCount>& sources() const { return m_sources; }

    // The next visible line with which an error begins after `row` (-1 = from the beginning), from the beginning again after the last.
    std::optional<int> nextError(int row) const;
    std::optional<int> previousError(int row) const;
    // The last visible line at or before this time, else the first one; of this rank when given and visible at all.
    std::optional<int> rowAt(std::optional<int> rank, double time) const;
    // Where the line of this number is, or the visible one that follows it.
    std::optional<int> rowOfNumber(std::uint64_t number) const;
    // Lines for the clipboard, each after its rank; with so many lines before and after that the filter may hide.
    QString textOf(int firstRow, int lastRow, int context) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

signals:
    void sourcesChanged();
    void filteringChanged(bool filtering);
    void followingChanged(bool following);
    void linesDropped(quint64 count);

private:
    std::uint64_t lineCountEver() const;
    std::uint64_t numberOf(int row) const;
    bool matches(std::uint64_t number) const;
    bool beginsError(int row) const;
    void scan(int milliseconds);
    void showAll();
    void trim();

    const std::unique_ptr<LogStore> m_store;
    std::map<int, SourceCount> m_sources;
    LogFilter m_filter;
    bool m_following = true;
    std::vector<std::uint64_t> m_visible;  // numbers of lines that match; unused while the filter lets all through
    std::uint64_t m_shown = 0;             // lets all through: one past the last line that is shown as a row
    std::uint64_t m_scanned = 0;           // one past the last line the filter has seen
    std::uint64_t m_dropped = 0;
    bool m_toldFiltering = false;
    QTimer m_timer;
};

}  // namespace lockstep::models
