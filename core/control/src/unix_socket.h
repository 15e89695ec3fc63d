// gRPC over unix sockets in the runtime folder.
#pragma once

#include <base/clock.h>
#include <base/result.h>

#include <grpcpp/grpcpp.h>

#include <filesystem>
#include <memory>

namespace lockstep::control {

// Whether somebody accepts connections there. Never waits.
bool isListening(const std::filesystem::path& socket);

std::shared_ptr<grpc::Channel> makeChannel(const std::filesystem::path& socket);

// Serves `service` on the socket, whose leftover file (nobody listens) is replaced; mode 0600. Error N413.
Result<std::unique_ptr<grpc::Server>> serve(grpc::Service& service, const std::filesystem::path& socket);

// For every call: its deadline.
void setDeadline(grpc::ClientContext& context, Seconds deadline);

}  // namespace lockstep::control
