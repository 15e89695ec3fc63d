// One rank of RankProcesses. Not a test of its own: without its settings it is skipped.
#include "ranks.h"

#include <support/test.h>

#include <base/file.h>

#include <cstdlib>
#include <sstream>

using namespace lockstep;

class RankProcess : public QObject {
    Q_OBJECT
private slots:
    void untilAnErrorComes() {
        if (std::getenv("LOCKSTEP_TEST_RANK") == nullptr) QSKIP("started by other tests only");
        const int rank = std::atoi(std::getenv("LOCKSTEP_TEST_RANK"));
        const std::filesystem::path folder = std::getenv("LOCKSTEP_TEST_FOLDER");
        auto group = join(rank);
        VERIFY_OK(group);
        std::vector<float> values(100'003, static_cast<float>(rank));
        const auto reserved = (*group)->reserve(400'000, Deadline::in(Seconds(30)));
        VERIFY_OK(reserved);
        for (int round = 0;; ++round) {
            // Both kinds of memory in turn, where there are two.
            const auto own = std::as_writable_bytes(std::span(values));
            const auto memory = round % 2 == 0 || reserved->empty() ? own : *reserved;
            const auto done = (*group)->allReduce({.data = memory, .deadline = Deadline::in(Seconds(30))});
            if (!done.ok()) {
                VERIFY_OK(replaceFile(folder / (std::to_string(rank) + ".end"), done.error().toText()));
                return;
            }
            if (round == 0) VERIFY_OK(replaceFile(folder / (std::to_string(rank) + ".busy"), "busy"));
            std::ranges::fill(values, 1.0F);
        }
    }

private:
    static Result<std::unique_ptr<comm::Group>> join(int rank) {
        const std::string addresses = std::getenv("LOCKSTEP_TEST_ADDRESSES");
        if (!addresses.empty()) return joinOverTcp(rank, addresses);
        comm::SharedMemoryOptions options;
        options.name = std::getenv("LOCKSTEP_TEST_SEGMENT");
        options.rank = rank;
        options.size = std::atoi(std::getenv("LOCKSTEP_TEST_SIZE"));
        options.epoch = 1;
        options.capacity = 1 << 20;
        return comm::joinSharedMemory(options);
    }
    static Result<std::unique_ptr<comm::Group>> joinOverTcp(int rank, const std::string& addresses) {
        comm::TcpOptions options;
        options.rank = rank;
        options.size = std::atoi(std::getenv("LOCKSTEP_TEST_SIZE"));
        options.run = "by hand";
        options.key = "a key of thirty-two random bytes";
        std::istringstream words(addresses);
        for (std::string address; words >> address;) options.addresses.push_back(address);
        return comm::joinTcp(options);
    }
};

LOCKSTEP_TEST(RankProcess)
#include "rank_process.moc"
