#include <spec/library_version.h>

namespace lockstep::spec {

std::string yamlCppVersion() { return LOCKSTEP_YAML_CPP_VERSION; }

}  // namespace lockstep::spec
