// Versions of the libraries under the messages: gRPC tells its own; protobuf's headers and library refuse to differ.
#pragma once

#include <string>

namespace lockstep::wire {

std::string grpcVersion();
std::string protobufVersion();

}  // namespace lockstep::wire
