#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"M901", "Memory for {what} ({size}) could not be had.", "{reason}", "Use a smaller batch or close other programs.", 1},
    {"M902", "A rank does not fit into {limit}: as specified it needs {parts}.", "Remedies, with what each needs: {table}.", "{next}", 4},
    {"M903", "Rank {rank} needs {need} more, and {available} are available here.", "Its parts: {parts}.", "{next}", 6},
    {"M904", "Rank {rank} ran out of memory {when}.", "It had planned: {parts}.", "{next}", 6},
};

}  // namespace

std::span<const CatalogueRow> memory() { return kRows; }

}  // namespace lockstep::rows
