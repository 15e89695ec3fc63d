// The arguments SPEC [key=value…] that run, plan and validate share.
#pragma once

#include "command.h"

#include <api/run_commands.h>

#include <string>
#include <vector>

namespace lockstep::cli {

class SpecArguments {
public:
    void declare(CLI::App& parser);
    // Error X002 for an override without "=".
    Result<api::SpecSource> source() const;

private:
    std::string m_file;
    std::vector<std::string> m_overrides;
};

}  // namespace lockstep::cli
