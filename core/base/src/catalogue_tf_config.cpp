#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"T303", "TF_CONFIG line {line}, column {column}: {what}.", "TF_CONFIG must be one JSON object.", "Correct the text at this place.", 3},
};

}  // namespace

std::span<const CatalogueRow> tfConfig() { return kRows; }

}  // namespace lockstep::rows
