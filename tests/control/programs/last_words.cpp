// A rank that is done at once: it never reads what the agent writes to it, and leaves its last message unread behind.
#include <wire/framing.h>
#include <wire/rank_messages.h>

using namespace lockstep;

int main() {
    constexpr int kSocket = 3;
    wire::RankDone done;
    done.steps = 5628;
    return wire::writeFrame(kSocket, wire::toFrame(wire::FromRank(done)), Deadline::in(Seconds(5))).ok() ? 0 : 1;
}
