#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"S308", "\"{text}\" is not {what}.", "{why}", "Write for example {example}.", 3},
    {"S401", "{op} \"{name}\" takes {wanted} inputs, not {given}.", "The graph was built wrongly.", "Check the node's inputs.", 3},
    {"S402", "{op} \"{name}\" reads %{node}.{output}, which is not a value of an earlier node.", "The graph was built wrongly.", "Check the order of the nodes.", 3},
    {"S403", "{op}: {what}.", "The shapes or types of the tensors don't fit together.", "Check the layer sizes and the input shape of the model.", 3},
    {"S404", "{op} can't be named \"{name}\": {why}.", "The name of an input or state is its identity in feeds and checkpoints.", "Give every input and state its own name.", 3},
    {"S405", "Graph text, line {line}, column {column}: {what}.", "The text isn't in the form that Lockstep prints.", "Correct that place.", 3},
    {"S406", "The graph breaks a rule: {rule}; node {node}.", "A pass or a hand-written graph left it inconsistent.", "Dump the graph after each pass to find the first bad one.", 1},
    {"S407", "{executor} can't run {op} \"{name}\": {reason}.", "This executor has no kernel for it.", "Choose another device or change the model.", 9},
    {"S408", "{op}: attribute \"{attribute}\" {what}.", "The node's attributes don't fit its operation.", "See the list of operations for what it takes.", 3},
    {"S409", "{op} \"{name}\" has no gradient{why}.", "It lies between the loss and a weight.", "Use a differentiable operation there.", 9},
};

}  // namespace

std::span<const CatalogueRow> specification() { return kRows; }

}  // namespace lockstep::rows
