#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"T301", "{task} and {task2} both use {address}.", "Two processes can't listen on one port of one host.",
     "Give each task its own port.", 3},
    {"T302", "A loopback address can't join a cluster of {n} hosts.", "{address} means another computer on each of them.",
     "Replace it by {better}.", 3},
    {"T303", "TF_CONFIG line {line}, column {column}: {what}.", "TF_CONFIG must be one JSON object.", "Correct the text at this place.", 3},
    {"T304", "Keras {version} can't train with MultiWorkerMirroredStrategy.", "Keras 3 dropped it.",
     "Use legacy Keras (TF_USE_LEGACY_KERAS=1), a loop of your own, or engine: native.", 3},
    {"T305", "{n} processes claim to be {task}: {hosts}.", "The same task.index was given to several processes.", "Number them from 0.", 3},
    {"T306", "The {job} list of {host} has another order than that of {host2}: ranks would disagree.",
     "The place in the list is the index.", "Use the order of {host2} everywhere.", 3},
    {"T307", "There is no {task}: the cluster lists {n} {type} task(s), numbered from 0.", "task.index is not a place of the list.",
     "Correct task.index or add the address.", 3},
    {"T308", "task.index is written as {value}; it is read as {n}.", "TensorFlow converts texts to numbers.", "Write the plain number.", 3},
    {"T309", "Unknown key \"{key}\"{hint}.{why}", "TensorFlow reads cluster, task (type, index) and rpc_layer.",
     "Rename the key or remove it.", 3},
    {"T310", "TF_CONFIG has a cluster, but no task.type and task.index.", "The process can't know which entry of the cluster it is.",
     "Add a key \"task\" with the type (\"worker\") and the index, from 0, of this process.", 3},
    {"T311", "TF_CONFIG names {task}, but no cluster: the process would train alone.", "Without \"cluster\" there is nobody to join.",
     "Add the cluster, or start a single-host run.", 3},
    {"T312", "{host} and {host2} describe different clusters: {difference}.", "All processes need one and the same cluster.",
     "Write one cluster to all.", 3},
    {"T313", "A cluster has at most one {job}; this one lists {n}.", "TensorFlow refuses more.", "Keep one.", 3},
    {"T314", "Unknown task type \"{type}\"{hint}", "Task types are chief, worker, ps and evaluator, in lower case.", "Use one of them.", 3},
    {"T315", "\"{address}\" needs a port from 1 to 65535 ({what}).", "Other tasks connect to this port.", "Choose a free port.", 3},
    {"T316", "\"{address}\" isn't host:port: {what} at character {character}.", "Addresses are a name or IP, a colon and a port.",
     "Repair the address.", 3},
    {"T317", "The {job} list is an index map; TensorFlow {version} may not read it.", "Index maps are younger than this version.",
     "Write a list.", 3},
    {"T318", "The cluster has no entry for {task}.", "The process needs an address of its own.", "Add the address of this process.", 3},
    {"T319", "ParameterServerStrategy: the evaluator must not be in the cluster.", "It takes no part in training.",
     "Give the evaluator a TF_CONFIG of its own and leave it out of the others.", 3},
    {"T320", "{n} ps task(s) take no part in MultiWorkerMirroredStrategy.", "Every worker keeps the variables itself.",
     "Remove ps or choose ParameterServerStrategy.", 3},
    {"T321", "{host} offers {a} device(s), {host2} {b}: every worker needs the same number.",
     "MultiWorkerMirroredStrategy would wait for ever.", "Limit both to {min}, or use engine: native.", 3},
    {"T322", "{address} is in use by {command} (pid {pid}, {user}).", "A port has one owner.", "End that process or move the port.", 3},
    {"T323", "rpc_layer \"{layer}\" isn't part of TensorFlow{version}; only grpc is.", "Other layers were plug-ins.", "Remove rpc_layer.",
     3},
    {"T324", "\"{key}\" is given twice in the same object (line {line}, column {column}); readers disagree on which one counts.",
     "JSON leaves this open.", "Keep one.", 3},
    {"T325", "{path} must be {expected}, not {kind}.", "TF_CONFIG has a fixed form.", "Correct the value.", 3},
    {"T326", "{n} task(s) are listed, {m} would be started; nobody starts {tasks}.", "The others would wait for them.",
     "Start the missing tasks.", 3},
    {"T327", "The {job} index map leaves out {missing}: MultiWorkerMirroredStrategy needs 0 to {n} without a gap.",
     "It compares the index with the number of entries.", "Write a list.", 3},
    {"T328", "The evaluator's cluster doesn't list it; MultiWorkerMirroredStrategy stops with a KeyError.", "It looks itself up.",
     "Give the evaluator no cluster, or list it.", 3},
};

}  // namespace

std::span<const CatalogueRow> tfConfig() { return kRows; }

}  // namespace lockstep::rows
