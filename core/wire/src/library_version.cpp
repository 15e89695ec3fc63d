#include <wire/library_version.h>

#include <google/protobuf/stubs/common.h>
#include <grpcpp/grpcpp.h>

namespace lockstep::wire {

std::string grpcVersion() { return grpc::Version(); }
std::string protobufVersion() { return google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION); }

}  // namespace lockstep::wire
