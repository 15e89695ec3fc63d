#include "commands.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kTrain = "Train";
constexpr std::string_view kUse = "Use what was learned";
constexpr std::string_view kLook = "Look at runs";
constexpr std::string_view kCheck = "Check before you run";
constexpr std::string_view kMeasure = "Measure";
constexpr std::string_view kRoles = "Roles";
constexpr std::string_view kHelpers = "Helpers";

constexpr CommandRow kRows[] = {
    {"init", kTrain, "Make a project folder with a first run specification.", "What is in the folder already stays as it is.",
     "lockstep init digits", makeInit},
    {"run", kTrain, "Train what a specification says.",
     "This process leads the run; the first Ctrl+C writes a checkpoint and stops, the second ends the ranks at once.\n"
     "With --detach the run goes on in the background and the run id is printed.\n"
     "A MultiWorkerMirroredStrategy run makes TF_CONFIG for each of its tasks; lockstep plan shows them.",
     "lockstep run experiments/mnist.yaml\n"
     "lockstep run experiments/mnist.yaml training.epochs=1 training.optimizer.learning_rate=0.01\n"
     "lockstep run experiments/mnist.yaml --detach\n"
     "lockstep run experiments/mnist.yaml training.epochs=1 --profile\n"
     "lockstep run experiments/mnist.yaml --json",
     makeRun},
    {"resume", kTrain, "Go on with a run that was stopped, failed or lost its controller.",
     "Ranks that still train are taken over; else training goes on from the newest whole checkpoint.",
     "lockstep resume last\nlockstep resume 20260301-120000-1a2b --detach", makeResume},
    {"stop", kTrain, "Let a run write a checkpoint and stop.", "", "lockstep stop last\nlockstep stop last --kill", makeStop},
    {"evaluate", kUse, "Compute loss and metrics of a run's weights, as Keras' model.evaluate does.",
     "Over the validation rows of the run, or over other rows that data.… keys name. A run may still train: its newest checkpoint counts.",
     "lockstep evaluate last\nlockstep evaluate last --split training --json\nlockstep evaluate last --checkpoint best\n"
     "lockstep evaluate last data.dataset=npy data.path=more",
     makeEvaluate},
    {"predict", kUse, "Apply a run's weights to new rows: class and probability, or the numbers themselves.",
     "INPUT holds rows of the shape the run was trained on. Bytes (uint8, pictures) are seen as value / 255, other numbers as they are; "
     "mean\n"
     "and std of the run's data are applied. Where the model gives logits, probabilities are their softmax (binary: sigmoid).",
     "lockstep predict last x_new.npy\nlockstep predict last pictures --out classes.csv\nlockstep predict last cat.png --json\n"
     "lockstep predict 20260301-120000-1a2b x_new.npz --raw --out logits.npy",
     makePredict},
    {"status", kLook, "Show where runs are: state, step, ranks, what happened.", "With --json and no RUN: every run of the project.",
     "lockstep status\nlockstep status last --json", makeStatus},
    {"ls", kLook, "List the runs of the project, newest first.", "", "lockstep ls\nlockstep ls --state completed --json=lines", makeLs},
    {"logs", kLook, "Print the log lines of a run's ranks and controller, merged by time.", "",
     "lockstep logs last\nlockstep logs last --rank 0 -n 50\nlockstep logs last --follow", makeLogs},
    {"metrics", kLook, "Print curves: every point of a series, or the list of series.",
     "Text is one line per point: step, tab, value. --json=lines: {\"series\",\"rank\",\"step\",\"time\",\"value\"}; rank null = the whole "
     "run.",
     "lockstep metrics last\nlockstep metrics last --series loss\nlockstep metrics last --series step_seconds --rank 0 --json=lines",
     makeMetrics},
    {"studio", kLook, "Open the window on a project.", "Closing it, or ending it in any way, never touches a run.",
     "lockstep studio\nlockstep studio digits --screenshot pictures", makeStudio},
    {"rm", kLook, "Remove runs with their curves, logs and checkpoints.",
     "A run that is being trained is refused. Without a terminal to ask, --force is needed.",
     "lockstep rm last\nlockstep rm 20260301-120000-1a2b --force", makeRm},
    {"validate", kCheck, "Check a run specification and say what is wrong, with line and column.",
     "Also looks at the files of the data and at the batch; whether the devices are there is for: lockstep plan.",
     "lockstep validate experiments/mnist.yaml\nlockstep validate experiments/mnist.yaml --print", makeValidate},
    {"plan", kCheck, "Show where each rank would run, its TF_CONFIG, memory and expected speed.",
     "Nothing is started. With --json: the plan.json a run would keep.",
     "lockstep plan experiments/mnist.yaml\nlockstep plan experiments/mnist.yaml training.global_batch_size=64 --json\n"
     "lockstep plan experiments/mnist.yaml --fit-memory 300MiB",
     makePlan},
    {"doctor", kCheck, "Check whether this computer is fit for training.", "Also names the versions of the libraries in use.",
     "lockstep doctor\nlockstep doctor --json", makeDoctor},
    {"devices", kCheck, "Show this computer's devices.", "", "lockstep devices\nlockstep devices --json", makeDevices},
    {"tfconfig", kCheck, "Check TF_CONFIG texts.",
     "tfconfig check looks at $TF_CONFIG, or at one file per machine (--host), or at a case file (--case). Exit code 3 when one is wrong.",
     "lockstep tfconfig check\nlockstep tfconfig check --host a=a.json --host b=b.json --json", makeTfConfig},
    {"bench", kMeasure, "Measure this build on this computer.",
     "train gives img/s, step times and the share of the hardware's limits; hardware makes a report of them to keep and compare; parity\n"
     "trains recorded Keras curves again and compares each step.",
     "lockstep bench train --models mlp,cnn --batch 32,128\nlockstep bench hardware --out this.json --out this.md\n"
     "lockstep bench parity tests/fixtures/keras/mlp-adam.json tests/fixtures/keras/cnn-adam.json",
     makeBench},
    {"worker", kRoles, "Be one task of a cluster, started by hand: TF_CONFIG says which.",
     "Start one per entry of the cluster, with the same specification. Task 0 keeps the run, with the curves and logs of all; they print "
     "its id and the hash of the weights.",
     "lockstep worker resources/presets/mnist-multi-worker.yaml", makeWorker},
    {"agent", kRoles, "Be the agent of this computer: start ranks, watch them, keep their telemetry.",
     "lockstep run starts one when there is none; it leaves 10 s after its last run.", "lockstep agent --print\nlockstep agent", makeAgent},
    {"completion", kHelpers, "Print a completion script for a shell.",
     "Load it in your shell's start file, or put it where the shell looks for completions.",
     "lockstep completion bash > ~/.local/share/bash-completion/completions/lockstep\nlockstep completion zsh > ~/.zfunc/_lockstep",
     makeCompletion},
};

}  // namespace

std::span<const CommandRow> commandTable() { return kRows; }

}  // namespace lockstep::cli
