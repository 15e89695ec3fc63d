// The sources of a log at the left of the page: all of them, the controller, each rank, with how much they said and how many errors.
//
// Threads: GUI thread only.
#pragma once

#include <models/log_model.h>
#include <style/theme.h>

#include <QListWidget>

#include <map>
#include <optional>
#include <set>

namespace lockstep::pages {

class LogsSources : public QListWidget {
    Q_OBJECT
public:
    explicit LogsSources(const style::Theme& theme, QWidget* parent = nullptr);

    // Sources that have a file or have said something.
    void setSources(const std::set<int>& ranks, const std::map<int, models::LogModel::SourceCount>& counts);
    std::optional<int> chosen() const;  // none = all
    void choose(std::optional<int> rank);

signals:
    void chosenByPerson(std::optional<int> rank);

private:
    const style::Theme& m_theme;
    bool m_filling = false;
};

}  // namespace lockstep::pages
