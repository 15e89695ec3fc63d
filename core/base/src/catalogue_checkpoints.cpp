#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"C701", "Checkpoint {checkpoint} is incomplete or its checksum differs.", "{reason}", "{next}", 1},
};

}  // namespace

std::span<const CatalogueRow> checkpoints() { return kRows; }

}  // namespace lockstep::rows
