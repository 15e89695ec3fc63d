#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"F601", "{file} byte {offset}: expected {expected}, found {found}.", "{cause}", "Replace the file by a whole copy.", 3},
    {"F602", "{file} can't be opened: {reason}.", "", "Check the path and its permissions.", 3},
    {"F603", "{file} can't be read: {reason}.", "", "Check the disk and the permissions.", 1},
    {"F604", "{file} can't be written: {reason}.", "", "Check the folder's permissions.", 1},
    {"F605", "{file} can't be written: no space left on the device.", "The disk is full.",
     "Free some space; what was there before is unchanged.", 1},
    {"F606", "{file} has {size}, more than the {limit} allowed here.", "Such a file is refused before it is read.", "Use a smaller file.",
     3},
    {"F607", "Folder {folder} can't be used: {reason}.", "Sockets in it would not be private.",
     "Remove it or set XDG_RUNTIME_DIR to a folder of your own.", 1},
    {"F608", "The shared memory handed over is not a telemetry ring: {what}.",
     "It was overwritten, or another version of the program made it.", "Start the run again with one version of the program.", 1},
    {"F609", "{file} can't be used as a run store: {what}.", "{cause}", "{next}", 3},
    {"F610", "{file} is already written by process {pid}.", "A run has one writer, its controller.",
     "Wait until it ends, or stop the run with: lockstep stop.", 1},
    {"F611", "Series {series} has no points in {file}.", "Nothing was measured under this name yet.",
     "List the series with: lockstep metrics.", 1},
    {"F612", "{images} holds {imageCount} pictures, {labels} {labelCount} labels.",
     "The two files belong to different data sets, or one was cut off and repaired.", "Use the files of one data set.", 3},
    {"F613", "{file} row {row} (byte {offset}): label {label}, but there are only {classes} classes.", "A label is out of range.",
     "Correct the file, or choose a model with more classes.", 3},
    {"F614", "{file} byte {offset}: {what}.", "The telemetry spool is damaged or from another version of the program.",
     "What was read before this place is kept; move the file away.", 1},
    {"F615", "{file} is still locked by another process that unpacks data.", "It may hang or work on a very slow disk.",
     "End that process, or use another cache folder (XDG_CACHE_HOME).", 8},
    {"F616", "The input of step {step} was not ready within {seconds} s.", "The disk or network share with the data stalls.",
     "Copy the data to a local disk, then resume.", 8},
    {"F617", "There is no data set \"{dataset}\".", "Known are mnist and idx.", "Write data.dataset: mnist, or idx with data.path.", 3},
    {"F630", "There is no project folder {folder}.", "--project names a folder that is not there.", "Make it with: lockstep init {folder}.",
     1},
    {"F631", "{file} is no project file of Lockstep.", "It should be one JSON object with schema 1 and a name.",
     "Move it away and run lockstep init again.", 3},
    {"F632", "{folder} is no project of Lockstep.", "It holds no file lockstep.project.",
     "Choose another folder, or make a project there: lockstep init {folder}.", 3},
    {"F633", "{file} was made by a newer Lockstep.", "Its schema is {schema}; this program knows up to {known}.",
     "Install that version or a later one.", 3},
    {"F640", "{file} is no layout of the window: {what}.", "It is damaged or from another version of the program.",
     "Nothing: the window opens as designed and writes a new one when it closes.", 3},
    {"F641", "{file} holds no preferences of the window: {what}.", "It is damaged or from another program.",
     "Nothing: the window goes on with the defaults and writes a new file at the next change.", 3},
};

}  // namespace

std::span<const CatalogueRow> files() { return kRows; }

}  // namespace lockstep::rows
