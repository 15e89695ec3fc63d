#include <support/scratch.h>

#include <cstdlib>
#include <stdexcept>

namespace lockstep::test {

Scratch::Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a scratch folder");
    m_path = pattern;
}

Scratch::~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

std::filesystem::path sourceDir() { return LOCKSTEP_SOURCE_DIR; }

}  // namespace lockstep::test
