#include "breakage.h"
#include "words.h"

namespace lockstep::comm {
namespace {

class SingleGroup final : public Group {
public:
    Result<void> allReduce(const AllReduce& options) override {
        return checked({Operation::Kind::AllReduce, options.element, 0, options.data.size()});
    }
    Result<void> broadcast(const Broadcast& options) override {
        return checked({Operation::Kind::Broadcast, Element::F32, static_cast<std::uint16_t>(options.root), options.data.size()});
    }
    Result<void> barrier(Deadline) override { return checked({}); }
    void abort(Error why) override { m_breakage.set(std::move(why)); }
    GroupInfo info() const override { return {0, 0, 1, "none", {}, 0}; }

private:
    Result<void> checked(const Operation& operation) const {
        if (m_breakage.broken()) return m_breakage.error();
        if (const auto wrong = misuse(operation, 1)) return *wrong;
        return {};
    }

    Breakage m_breakage;
};

}  // namespace

std::unique_ptr<Group> makeSingleGroup() { return std::make_unique<SingleGroup>(); }

}  // namespace lockstep::comm
