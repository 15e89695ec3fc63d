// Issues: one row each (33 high) with icon, code, sentence and, muted at the right, what to do next.
#pragma once

#include "pane.h"

#include <shell/issue_model.h>

class QListView;

namespace lockstep::shell {

class IssuePane : public Pane {
    Q_OBJECT
public:
    IssuePane(const style::Theme& theme, IssueModel& model, QWidget* parent);

private:
    void updateSummary();
    void copySelected() const;
    IssueModel& m_model;
    QListView* m_list;
};

}  // namespace lockstep::shell
