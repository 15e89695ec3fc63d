#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"R501", "Rank {missing} didn't join within {seconds} s; {present} did.", "It has not started, or it cannot reach the others.", "Read its log with: lockstep logs {run} --rank {missing}.", 8},
    {"R502", "Rank {rank} ended with {how} at step {step}.", "{meaning}", "Read its log with: lockstep logs {run} --rank {rank}; continue with: lockstep resume {run}.", 6},
    {"R503", "Loss became {value} at step {step} on rank {rank}.", "The update diverged.", "Resume from the last checkpoint with a lower learning rate.", 7},
    {"R504", "Rank {rank} {how} for {seconds} at step {step}.", "Its process is stopped or hangs, or its computer is overloaded.", "Read its log with: lockstep logs {run} --rank {rank}; continue with: lockstep resume {run}.", 6},
    {"R505", "{late} didn't arrive at {what} within {seconds} s; {present} did.", "A rank is slow, stopped, or waits for something else.", "Look at the load and the log of the named rank, then resume the run.", 8},
    {"R506", "Rank {rank} is gone: {how}.", "A group can't go on without one of its ranks.", "Read the log of rank {rank}; continue from the last checkpoint with: lockstep resume.", 6},
    {"R507", "The group was given up: {why}.", "The run was stopped, or its membership changed.", "See what stopped it; a new membership epoch makes a new group.", 6},
    {"R508", "Rank {rank} and rank {other} don't do the same: {what}.", "All ranks of a group must make the same calls in the same order.", "Check that all ranks run the same version and specification.", 6},
    {"R509", "Group {name} can't be joined: {reason}.", "The shared memory of a group belongs to one user, one run and one membership epoch.", "End what is left of the earlier run with: lockstep clean.", 6},
    {"R511", "Slice {slice} of {slices} belongs to {count} ranks.", "Every slice of a batch must belong to exactly one rank.", "Check that all ranks got the same plan.", 6},
    {"R512", "Rank 0 can't start, so rank {rank} can't either.", "It reads the checkpoint for all ranks.", "Read its log with: lockstep logs.", 6},
    {"R513", "The gradient became {value} at step {step}.", "The update diverged; its weights are not kept.", "Resume from the last checkpoint with a lower learning rate.", 7},
    {"R530", "The run is being ended: {why}.", "", "See what ended it.", 6},
    {"R531", "There is no run \"{run}\" in {folder}.", "{reason}.", "List the runs with: lockstep ls.", 2},
    {"R532", "Run {run} is already there.", "A run id is used once.", "Start without --run-id.", 2},
    {"R533", "Run {run} is {state}; there is nothing left to do.", "Only a run that was stopped, failed or was lost can be resumed.", "Start a new one with: lockstep run.", 2},
    {"R534", "Run {run} has no result yet.", "It still runs, or its controller was killed.", "See lockstep status {run}; if nothing runs: lockstep resume {run}.", 1},
    {"R535", "No controller answers for run {run}.", "{reason}", "If the run is not final, continue it with: lockstep resume {run}.", 1},
    {"R536", "Starting {what} was refused: {reason}.", "The system limits processes or memory, or a program file is gone.", "See ulimit -u and free memory.", 1},
    {"R537", "Run {run} already has {count} live ranks here.", "An earlier controller of it was killed; its ranks train on.", "Adopt them with: lockstep resume {run}.", 1},
    {"R538", "The agent does not know run {run} with membership epoch {epoch}.", "It was restarted, or the run has new ranks.", "Continue with: lockstep resume {run}.", 1},
    {"R539", "Rank {missing} didn't finish its first step within {seconds} s.", "It loads its data, compiles, or waits for another rank.", "Read its log with: lockstep logs {run} --rank {missing}.", 8},
    {"R540", "The ranks of run {run} ended with different weights.", "An update was lost or a memory is faulty.", "Report it with the logs; the newest checkpoint is older than this.", 1},
    {"R541", "Rank {rank} of an earlier attempt (pid {pid}) still runs.", "Its agent was killed; it checkpoints and ends when its lease is over.", "Wait a minute, or end it, then: lockstep resume {run}.", 1},
    {"R542", "The folder of run {run} was taken away while it trained.", "{folder} is gone, so nothing of the run could be kept.", "Start it again; end a run with lockstep stop before its folder is removed.", 6},
    {"R561", "Run {run} can't be removed.", "{why}.", "Stop it first: lockstep stop {run}.", 1},
    {"R562", "Run {run} has no log of rank {rank}.", "That rank has not started, or there is none of that number.", "See which there are: lockstep logs {run}.", 1},
    {"R563", "The controller ended before it said how the start went ({how}).", "It was killed or has crashed.", "Start it in the foreground to see what happens: lockstep run SPEC.", 1},
    {"R564", "The controller (pid {pid}) has said nothing for {seconds} s.", "It hangs.", "See where the run is with lockstep status, and end it with lockstep stop --kill.", 8},
    {"R565", "Run {run} has no series \"{series}\".", "It has: {known}.", "List them with: lockstep metrics {run}.", 1},
    {"R566", "Nothing was removed: {what}.", "{reason}", "Add --force to remove without a question.", 1},
    {"R567", "Run {run} has not ended within {time}.", "It is still writing its checkpoint, or a rank hangs.", "Wait with a longer --timeout, or end it at once: lockstep stop {run} --kill.", 8},
    {"R568", "Cancelled: {what}.", "", "The run itself goes on; see it with: lockstep status.", 130},
};

}  // namespace

std::span<const CatalogueRow> runs() { return kRows; }

}  // namespace lockstep::rows
