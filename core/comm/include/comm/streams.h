// Plain byte streams from rank 0 to each other rank, over TCP, proven like the connections of a group (group.h): for what tasks tell
// each other that is not a collective.
#pragma once

#include <base/file.h>
#include <base/result.h>
#include <comm/group.h>

#include <vector>

namespace lockstep::comm {

// Connected, non-blocking sockets by rank: rank 0 gets one for each other rank, the others one for rank 0; the rest are not valid.
// Rank 0 listens at `listenFd` or addresses[0]; the others need no address of their own. Blocks at most until the deadline. `run` must
// differ from that of a group that meets at the same address at the same time. What is sent is neither signed nor secret.
// Errors: as joinTcp.
Result<std::vector<Fd>> joinStreams(const TcpOptions& options);

}  // namespace lockstep::comm
