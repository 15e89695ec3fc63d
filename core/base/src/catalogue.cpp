#include "catalogue_rows.h"

#include <algorithm>
#include <array>
#include <vector>

namespace lockstep {
namespace {

std::vector<CatalogueRow> collect() {
    std::vector<CatalogueRow> all;
    for (const auto family : {rows::hosts(), rows::devices(), rows::tfConfig(), rows::specification(), rows::network(), rows::runs(),
                              rows::files(), rows::checkpoints(), rows::memory(), rows::programs(), rows::internal()})
        all.insert(all.end(), family.begin(), family.end());
    return all;
}

}  // namespace

std::span<const CatalogueRow> catalogueRows() {
    static const std::vector<CatalogueRow> all = collect();
    return all;
}

const CatalogueRow* findCatalogueRow(std::string_view code) {
    const auto rows = catalogueRows();
    const auto found = std::ranges::find(rows, code, &CatalogueRow::code);
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace lockstep
