#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"H107", "The agent of this computer did not start within {seconds} s.", "{reason}",
     "Read {log}, then start it by hand: lockstep agent.", 5},
    {"H108", "The agent at {socket} does not answer.", "{reason}", "End it (pid {pid}) and try again.", 5},
    {"H109", "Host \"{host}\" is reached through ssh.", "Remote hosts are not supported here yet.", "Use address: localhost.", 9},
    {"H110", "The agent at {socket} is gone while the run was going on: {reason}.", "It was ended, or it hangs.",
     "Its ranks checkpoint and end when their lease is over; then: lockstep resume.", 5},
    {"H111", "Another agent already serves {socket}.", "One agent serves all runs of a user on a computer.",
     "Use that one; lockstep agent --print shows it.", 5},
};

}  // namespace

std::span<const CatalogueRow> hosts() { return kRows; }

}  // namespace lockstep::rows
