// A private folder for one test, removed with everything in it at the end.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep::test {

class Scratch {
public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path operator/(const std::string& name) const { return m_path / name; }

private:
    std::filesystem::path m_path;
};

// Root of the source tree; fixtures are at sourceDir() / "tests/fixtures/...".
std::filesystem::path sourceDir();

}  // namespace lockstep::test
