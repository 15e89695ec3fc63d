#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"H107", "The agent of this computer did not start within {seconds} s.", "{reason}", "Read {log}, then start it by hand: lockstep agent.", 5},
    {"H108", "The agent at {socket} does not answer.", "{reason}", "End it (pid {pid}) and try again.", 5},
    {"H109", "Host \"{host}\" is reached through ssh.", "Remote hosts are not supported here yet.", "Use address: localhost.", 9},
};

}  // namespace

std::span<const CatalogueRow> hosts() { return kRows; }

}  // namespace lockstep::rows
