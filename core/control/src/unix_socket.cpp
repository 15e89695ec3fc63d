#include "unix_socket.h"

#include <base/file.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <chrono>
#include <cstring>

namespace lockstep::control {

bool isListening(const std::filesystem::path& socket) {
    const std::string path = socket.string();
    sockaddr_un address{};
    if (path.size() >= sizeof address.sun_path) return false;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

std::shared_ptr<grpc::Channel> makeChannel(const std::filesystem::path& socket) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // A channel of its own per client: a pooled one would remember another agent's death.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel("unix:" + socket.string(), grpc::InsecureChannelCredentials(), arguments);
}

Result<std::unique_ptr<grpc::Server>> serve(grpc::Service& service, const std::filesystem::path& socket) {
    const auto refuse = [&](const char* reason) { return makeError("N413", {{"socket", socket.string()}, {"reason", reason}}); };
    if (socket.string().size() >= sizeof(sockaddr_un::sun_path)) return refuse("its path is longer than 107 characters");
    if (isListening(socket)) return refuse("another process serves it");
    ::unlink(socket.c_str());
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + socket.string(), grpc::InsecureServerCredentials());
    builder.RegisterService(&service);
    builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
    auto server = builder.BuildAndStart();
    if (!server) return refuse("it can't be bound");
    ::chmod(socket.c_str(), 0600);
    return server;
}

void setDeadline(grpc::ClientContext& context, Seconds deadline) {
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::duration_cast<std::chrono::system_clock::duration>(deadline));
}

}  // namespace lockstep::control
