// The families of the catalogue, one file each.
#pragma once

#include <base/catalogue.h>

namespace lockstep::rows {

std::span<const CatalogueRow> hosts();
std::span<const CatalogueRow> devices();
std::span<const CatalogueRow> tfConfig();
std::span<const CatalogueRow> specification();
std::span<const CatalogueRow> network();
std::span<const CatalogueRow> runs();
std::span<const CatalogueRow> files();
std::span<const CatalogueRow> checkpoints();
std::span<const CatalogueRow> memory();
std::span<const CatalogueRow> programs();
std::span<const CatalogueRow> internal();

}  // namespace lockstep::rows
