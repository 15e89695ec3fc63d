#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"D203", "Device {device} is not on {host}.", "The host has: {devices}.", "Choose one of these devices.", 4},
    {"D204", "{count} cpu devices are asked of {host}, which has {cores} usable cores.",
     "More cpu devices than cores only slow each other down.", "Name fewer devices or set cluster.oversubscribe: true.", 4},
    {"D205", "Device kind \"{kind}\" is not supported here.", "This build has: {kinds}.", "Use cpu devices.", 9},
};

}  // namespace

std::span<const CatalogueRow> devices() { return kRows; }

}  // namespace lockstep::rows
