#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"M901", "Memory for {what} ({size}) could not be had.", "{reason}", "Use a smaller batch or close other programs.", 1},
};

}  // namespace

std::span<const CatalogueRow> memory() { return kRows; }

}  // namespace lockstep::rows
