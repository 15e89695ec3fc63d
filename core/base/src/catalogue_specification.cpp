#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"S301", "{where}: {what}.", "The text is not one YAML document.", "Correct it at this place.", 3},
    {"S302", "{where}: unknown key \"{key}\"{hint}", "Known here are: {names}.", "Correct the key or remove it.", 3},
    {"S303", "{where}: {key} must be {expected}, found {found}.", "The value has the wrong type.", "Write {expected}.", 3},
    {"S304", "{where}: {key} must be {expected}, found {found}.", "The value is out of range.", "Write {expected}.", 3},
    {"S305", "{where}: {key} is missing.", "It has no default.", "Add the key.", 3},
    {"S306", "Override \"{text}\": {what}.", "An override is key=value with a dotted key, such as training.steps=60.", "Correct it.", 2},
    {"S307", "{where}: {what}.", "Two parts of the specification contradict each other.", "{next}", 3},
    {"S308", "\"{text}\" is not {what}.", "{why}", "Write for example {example}.", 3},
    {"S309", "{where}: {what}.", "Such a text is refused, because small files of this kind can fill the memory or hide a mistake.",
     "Write the values out, each once.", 3},
    {"S310", "{where}: a batch of {rows} rows can't be cut into {slices} slices.", "Each replica needs at least one row of every batch.",
     "Raise training.global_batch_size to {slices} or use fewer devices.", 3},
    {"S401", "{op} \"{name}\" takes {wanted} inputs, not {given}.", "The graph was built wrongly.", "Check the node's inputs.", 3},
    {"S402", "{op} \"{name}\" reads %{node}.{output}, which is not a value of an earlier node.", "The graph was built wrongly.",
     "Check the order of the nodes.", 3},
    {"S403", "{op}: {what}.", "The shapes or types of the tensors don't fit together.",
     "Check the layer sizes and the input shape of the model.", 3},
    {"S404", "{op} can't be named \"{name}\": {why}.", "The name of an input or state is its identity in feeds and checkpoints.",
     "Give every input and state its own name.", 3},
    {"S405", "Graph text, line {line}, column {column}: {what}.", "The text isn't in the form that Lockstep prints.", "Correct that place.",
     3},
    {"S406", "The graph breaks a rule: {rule}; node {node}.", "A pass or a hand-written graph left it inconsistent.",
     "Dump the graph after each pass to find the first bad one.", 1},
    {"S407", "{executor} can't run {op} \"{name}\": {reason}.", "This executor has no kernel for it.",
     "Choose another device or change the model.", 9},
    {"S408", "{op}: attribute \"{attribute}\" {what}.", "The node's attributes don't fit its operation.",
     "See the list of operations for what it takes.", 3},
    {"S409", "{op} \"{name}\" has no gradient{why}.", "It lies between the loss and a weight.", "Use a differentiable operation there.", 9},
    {"S410", "There is no model preset \"{preset}\".", "Lockstep has {known}.", "Set model.preset to one of them.", 3},
    {"S411", "Optimizer: {what}.", "The update rule isn't defined for it.", "Correct training.optimizer.", 3},
    {"S412", "There is no optional pass \"{pass}\".", "Only optional passes can be left out: {known}.",
     "Correct the list of disabled passes.", 3},
    {"S413", "The given initial weights don't fit the model: {what}.", "They were made for another model.",
     "Give one array per weight, of its shape.", 3},
    {"S414", "The model takes rows of {model}, the data has rows of {data}.", "Model and data don't belong together.",
     "Choose the input shape of the data.", 3},
    {"S415", "Layer {layer}: {what}.", "The settings of the layer aren't those that Keras gives it.", "Correct the layer.", 3},
    {"S416", "The layers don't make a model: {what}.", "Names and inputs of the layers must lead from the input to the output.",
     "Correct the list of layers.", 3},
    {"S417", "Learning-rate schedule: {what}.", "Its formula isn't defined for it.", "Correct the schedule.", 3},
    {"S418", "Loss or metric: {what}.", "It isn't defined so.", "Correct training.loss or training.metrics.", 3},
    {"S419", "Two programs of one model disagree about \"{name}\": {what}.", "They were built for different models.",
     "This is a fault of Lockstep; please report it with the run specification.", 3},
    {"S420", "training.recompute: \"{name}\" is no place to cut at. {why}", "Activations are dropped between layers of the model.",
     "Name layers of the model, or write auto.", 3},
};

}  // namespace

std::span<const CatalogueRow> specification() { return kRows; }

}  // namespace lockstep::rows
