#include <wire/rank_messages.h>

#include "json_fields.h"

#include <array>
#include <utility>

namespace lockstep::wire {
namespace {

// On the wire: never renumber.
enum Type : std::uint8_t {
    kAssignment = 1,
    kCommand = 2,
    kLease = 3,
    kHello = 16,
    kPhase = 17,
    kProgress = 18,
    kCheckpoint = 19,
    kWarning = 20,
    kDone = 21,
    kFailed = 22,
};

constexpr std::array<std::string_view, 3> kOrders = {"stop", "checkpoint", "abort"};

Frame pack(Type type, const Json& json) { return {type, json.dump(-1, ' ', false, Json::error_handler_t::replace)}; }

Frame encode(const RankAssignment& m) {
    return pack(kAssignment, {{"run", m.run},
                              {"rank", m.rank},
                              {"epoch", m.epoch},
                              {"spec", m.spec},
                              {"plan", m.plan},
                              {"folder", m.folder},
                              {"data_folder", m.dataFolder},
                              {"executor", m.executor},
                              {"key", m.key},
                              {"listen_fd", m.listenFd},
                              {"ring_fd", m.ringFd},
                              {"resume", m.resume},
                              {"lease_seconds", m.leaseSeconds},
                              {"join_seconds", m.joinSeconds}});
}
Frame encode(const RankCommand& m) {
    Json json = {{"order", kOrders.at(static_cast<std::size_t>(m.order))}};
    if (m.why) json["why"] = fromError(*m.why);
    return pack(kCommand, json);
}
Frame encode(const LeaseBeat&) { return {kLease, {}}; }
Frame encode(const RankHello& m) { return pack(kHello, {{"pid", m.pid}}); }
Frame encode(const RankPhase& m) { return pack(kPhase, {{"name", m.name}, {"step", m.step}}); }
Frame encode(const RankProgress& m) { return pack(kProgress, {{"step", m.step}, {"steps", m.steps}, {"late", m.late}}); }
Frame encode(const RankCheckpoint& m) { return pack(kCheckpoint, {{"step", m.step}, {"id", m.id}}); }
Frame encode(const RankWarning& m) { return pack(kWarning, {{"error", fromError(m.error)}}); }
Frame encode(const RankDone& m) { return pack(kDone, fromDone(m)); }
Frame encode(const RankFailed& m) { return pack(kFailed, {{"error", fromError(m.error)}}); }

template <class Message>
Result<Message> checked(const Fields& fields, Message message) {
    LS_TRY(fields.check());
    return message;
}

Result<RankAssignment> readAssignment(Fields f) {
    RankAssignment m;
    m.run = f.text("run");
    m.rank = static_cast<int>(f.integer("rank"));
    m.epoch = f.count("epoch");
    m.spec = f.text("spec");
    m.plan = f.text("plan");
    m.folder = f.text("folder");
    m.dataFolder = f.text("data_folder");
    m.executor = f.text("executor");
    m.key = f.text("key");
    m.listenFd = static_cast<int>(f.integer("listen_fd"));
    m.ringFd = static_cast<int>(f.integer("ring_fd"));
    m.resume = f.flag("resume");
    m.leaseSeconds = f.number("lease_seconds");
    m.joinSeconds = f.number("join_seconds");
    return checked(f, std::move(m));
}

Result<RankCommand> readCommand(Fields f) {
    const std::string order = f.text("order");
    RankCommand m;
    if (f.has("why")) m.why = f.error("why");
    LS_TRY(f.check());
    for (std::size_t i = 0; i < kOrders.size(); ++i)
        if (kOrders[i] == order) {
            m.order = static_cast<RankOrder>(i);
            return m;
        }
    return makeError("N411", {{"reason", "the order \"" + order + "\" is not known"}});
}

Result<RankHello> readHello(Fields f) {
    RankHello m{f.integer("pid")};
    return checked(f, m);
}

Result<RankPhase> readPhase(Fields f) {
    RankPhase m{f.text("name"), f.count("step")};
    return checked(f, std::move(m));
}

Result<RankProgress> readProgress(Fields f) {
    RankProgress m{f.count("step"), f.count("steps"), f.integers("late")};
    return checked(f, std::move(m));
}

Result<RankCheckpoint> readCheckpoint(Fields f) {
    RankCheckpoint m{f.count("step"), f.text("id")};
    return checked(f, std::move(m));
}

template <class Message>
Result<Message> readError(Fields f) {
    Message m{f.error("error")};
    return checked(f, std::move(m));
}

// A Result<Message> as a Result<variant>.
template <class Variant, class Message>
Result<Variant> widen(Result<Message> message) {
    if (!message.ok()) return std::move(message).error();
    return Variant(std::move(message).value());
}

Error unknownType(std::uint8_t type) { return makeError("N411", {{"reason", "a message has the unknown type " + std::to_string(type)}}); }

}  // namespace

Json fromDone(const RankDone& m) {
    return {{"stopped", m.stopped},
            {"steps", m.steps},
            {"epochs", m.epochs},
            {"loss", fromDouble(m.loss)},
            {"accuracy", fromDouble(m.accuracy)},
            {"val_loss", fromOptional(m.valLoss)},
            {"val_accuracy", fromOptional(m.valAccuracy)},
            {"ended_by", m.endedBy},
            {"weights_hash", m.weightsHash}};
}

Result<RankDone> readDone(Fields f) {
    RankDone m;
    m.stopped = f.flag("stopped");
    m.steps = f.count("steps");
    m.epochs = static_cast<int>(f.integer("epochs"));
    m.loss = f.number("loss");
    m.accuracy = f.number("accuracy");
    m.valLoss = f.optionalNumber("val_loss");
    m.valAccuracy = f.optionalNumber("val_accuracy");
    m.endedBy = f.text("ended_by");
    m.weightsHash = f.text("weights_hash");
    LS_TRY(f.check());
    return m;
}

Frame toFrame(const ToRank& message) {
    return std::visit([](const auto& m) { return encode(m); }, message);
}

Frame toFrame(const FromRank& message) {
    return std::visit([](const auto& m) { return encode(m); }, message);
}

Result<ToRank> parseToRank(const Frame& frame) {
    if (frame.type == kLease) return ToRank(LeaseBeat{});
    if (frame.type != kAssignment && frame.type != kCommand) return unknownType(frame.type);
    LS_TRY_ASSIGN(auto fields, Fields::parse(frame.payload));
    if (frame.type == kAssignment) return widen<ToRank>(readAssignment(std::move(fields)));
    return widen<ToRank>(readCommand(std::move(fields)));
}

Result<FromRank> parseFromRank(const Frame& frame) {
    if (frame.type < kHello || frame.type > kFailed) return unknownType(frame.type);
    LS_TRY_ASSIGN(auto f, Fields::parse(frame.payload));
    switch (frame.type) {
        case kHello: return widen<FromRank>(readHello(std::move(f)));
        case kPhase: return widen<FromRank>(readPhase(std::move(f)));
        case kProgress: return widen<FromRank>(readProgress(std::move(f)));
        case kCheckpoint: return widen<FromRank>(readCheckpoint(std::move(f)));
        case kWarning: return widen<FromRank>(readError<RankWarning>(std::move(f)));
        case kDone: return widen<FromRank>(readDone(std::move(f)));
        default: return widen<FromRank>(readError<RankFailed>(std::move(f)));
    }
}

}  // namespace lockstep::wire
