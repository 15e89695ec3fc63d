#include <control/client.h>

#include "unix_socket.h"

#include <base/paths.h>
#include <proto/controller.grpc.pb.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace lockstep::control {
namespace {

constexpr Seconds kCall{3};

std::filesystem::path socketOf(const RunId& run) { return runtimeFolder() / ("r-" + run.shortHex() + ".sock"); }

class SocketClient final : public Client {
public:
    explicit SocketClient(const std::filesystem::path& socket)
        : m_name(socket.filename().string()), m_stub(wire::Controller::NewStub(makeChannel(socket))) {}

    Result<RunStatus> status() override;
    Result<void> stop(StopMode mode, const std::string& actor) override;
    Result<void> checkpoint(const std::string& actor) override;

private:
    Error gone(const grpc::Status& status) const { return makeError("R535", {{"run", m_name}, {"reason", status.error_message()}}); }

    std::string m_name;
    std::unique_ptr<wire::Controller::Stub> m_stub;
};

Result<RunStatus> SocketClient::status() {
    grpc::ClientContext context;
    setDeadline(context, kCall);
    wire::StatusReply reply;
    if (const auto called = m_stub->Status(&context, {}, &reply); !called.ok()) return gone(called);
    RunStatus status;
    status.run = RunId{reply.run()};
    status.folder = reply.folder();
    status.state = store::findRunState(reply.state()).value_or(store::RunState::Lost);
    status.cause = reply.cause();
    status.controllerPid = reply.pid();
    status.step = reply.step();
    status.steps = reply.steps();
    for (const auto& rank : reply.ranks())
        status.ranks.push_back({rank.rank(), rank.host(), rank.device(), rank.pid(), rank.state(), rank.step()});
    return status;
}

Result<void> SocketClient::stop(StopMode mode, const std::string& actor) {
    grpc::ClientContext context;
    setDeadline(context, kCall);
    wire::StopRequest request;
    request.set_kind(mode == StopMode::Kill ? wire::STOP_KILL : mode == StopMode::Insist ? wire::STOP_INSIST : wire::STOP_ASK);
    request.set_actor(actor);
    wire::StopReply reply;
    if (const auto called = m_stub->Stop(&context, request, &reply); !called.ok()) return gone(called);
    return {};
}

Result<void> SocketClient::checkpoint(const std::string& actor) {
    grpc::ClientContext context;
    setDeadline(context, kCall);
    wire::CheckpointRequest request;
    request.set_actor(actor);
    wire::CheckpointReply reply;
    if (const auto called = m_stub->Checkpoint(&context, request, &reply); !called.ok()) return gone(called);
    return {};
}

}  // namespace

Result<std::unique_ptr<Client>> Client::connect(const RunId& run, Seconds deadline) {
    const auto socket = socketOf(run);
    const auto end = Deadline::in(deadline);
    // A controller that has just been started needs a moment; one without a socket file will not get one.
    std::error_code status;
    while (!isListening(socket)) {
        if (!std::filesystem::exists(socket, status) || end.passed())
            return makeError("R535", {{"run", run.value}, {"reason", "nobody listens on " + socket.string()}});
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return std::unique_ptr<Client>(std::make_unique<SocketClient>(socket));
}

std::vector<RunStatus> runningControllers() {
    std::vector<RunStatus> all;
    std::error_code status;
    for (std::filesystem::directory_iterator entry(runtimeFolder(), status), end; !status && entry != end; entry.increment(status)) {
        const auto name = entry->path().filename().string();
        if (!name.starts_with("r-") || !name.ends_with(".sock") || !isListening(entry->path())) continue;
        if (auto answer = SocketClient(entry->path()).status(); answer.ok()) all.push_back(std::move(answer).value());
    }
    std::ranges::sort(all, {}, [](const RunStatus& each) { return each.run.value; });
    return all;
}

}  // namespace lockstep::control
