#include <exec_cpu/library_version.h>

#include <dnnl.h>

namespace lockstep::exec::cpu {

std::string oneDnnVersion() {
    const auto* version = ::dnnl_version();
    return std::to_string(version->major) + "." + std::to_string(version->minor) + "." + std::to_string(version->patch);
}

}  // namespace lockstep::exec::cpu
