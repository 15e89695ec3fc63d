#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"P801", "The program {program} was not found.", "It is needed for {what}.", "Install it: {package}.", 5},
    {"P802", "There is no display for the window.", "Neither DISPLAY nor WAYLAND_DISPLAY is set.",
     "Start it in a desktop session, or write its pages as pictures: lockstep-studio --screenshot DIR.", 9},
    {"P803", "The display {display} can't be opened.", "No server answers there, or it refuses this program.",
     "Check DISPLAY (of a session over ssh: is it still forwarded?), or write the pages as pictures: lockstep-studio --screenshot DIR.", 9},
};

}  // namespace

std::span<const CatalogueRow> programs() { return kRows; }

}  // namespace lockstep::rows
