#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"X001", "Internal error: {what}.", "This is a fault of the program.", "Report it with the log.", 1},
    {"X002", "The command line can't be read: {what}.", "", "See: {help}.", 2},
    {"X003", "{work} has no result: its process {how}.", "It was ended from outside, or it needed more memory than there is.",
     "Look at the system's log; use fewer threads or a smaller batch.", 1},
    {"X009", "{what} is not supported here.", "{why}", "{next}", 9},
};

}  // namespace

std::span<const CatalogueRow> internal() { return kRows; }

}  // namespace lockstep::rows
