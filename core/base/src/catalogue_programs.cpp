#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"P801", "The program {program} was not found.", "It is needed for {what}.", "Install it: {package}.", 5},
};

}  // namespace

std::span<const CatalogueRow> programs() { return kRows; }

}  // namespace lockstep::rows
