#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"S308", "\"{text}\" is not {what}.", "{why}", "Write for example {example}.", 3},
};

}  // namespace

std::span<const CatalogueRow> specification() { return kRows; }

}  // namespace lockstep::rows
