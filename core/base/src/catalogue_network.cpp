#include "catalogue_rows.h"

namespace lockstep::rows {
namespace {

constexpr CatalogueRow kRows[] = {
    {"N401", "{task} can't reach {address}{others}.", "A firewall, a wrong address or a network between them.",
     "Open the port for the hosts of the cluster, or use an address that all of them reach.", 4},
    {"N402", "gRPC from {host} to {address} would go through the proxy {proxy}.", "A proxy variable is set and {name} is not exempt.",
     "Unset it for the run, or add {name} to no_proxy.", 4},
    {"N403", "Port {port} on {host} is taken by {owner}.", "Another program listens there.", "End that program or choose another port.", 4},
    {"N404", "{self} and {peer} can't join one group: {reason}.", "{cause}", "Start all ranks from the same run with the same key.", 5},
    {"N405", "Key file {file} can't be used: {reason}.",
     "The key proves to other ranks that a connection is ours, so nobody else may read or replace it.", "{next}", 5},
    {"N406", "Address {address} can't be used: {reason}.", "A rank listens at its own host and port, which the others must reach.",
     "Write it as host:port, with a name or address of the computer where the rank runs.", 4},
    {"N411", "The other end of a socket of this run can't be understood: {reason}.",
     "It has ended, or it is another version of the program.", "End what is left with: lockstep clean; then start again.", 1},
    {"N413", "The socket {socket} can't be served: {reason}.", "", "Set XDG_RUNTIME_DIR to a short path of your own.", 1},
};

}  // namespace

std::span<const CatalogueRow> network() { return kRows; }

}  // namespace lockstep::rows
