#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"N403", "Port {port} on {host} is taken by {owner}.", "Another program listens there.", "End that program or choose another port.", 4},
    {"N411", "The other end of a socket of this run can't be understood: {reason}.", "It has ended, or it is another version of the program.", "End what is left with: lockstep clean; then start again.", 1},
};

}  // namespace

std::span<const CatalogueRow> network() { return kRows; }

}  // namespace lockstep::rows
