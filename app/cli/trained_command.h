// What `lockstep evaluate` and `lockstep predict` share: the run and its checkpoint, and what is said of them.
#pragma once

#include "command.h"
#include "trained_run.h"

#include <string>

namespace lockstep::cli {

class TrainedArguments {
public:
    void declare(CLI::App& parser);
    // The run's folder and what was asked for; notes a run that still trains. Errors: R531, X002; the run's own when it can't be read.
    Result<TrainedRequest> request(Context& context) const;

private:
    std::string m_run;
    std::string m_checkpoint = "latest";
    int m_threads = 0;
    std::string m_executor = "cpu";
};

// "Run 2026…-1a2b, checkpoint of step 120 (3 epochs)"; warnings of the result go to stderr.
std::string headOf(Output& output, const Json& result);

}  // namespace lockstep::cli
