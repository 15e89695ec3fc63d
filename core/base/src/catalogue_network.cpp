#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"N403", "Port {port} on {host} is taken by {owner}.", "Another program listens there.", "End that program or choose another port.", 4},
};

}  // namespace

std::span<const CatalogueRow> network() { return kRows; }

}  // namespace lockstep::rows
