// Reading a stranger's .keras file in a process of its own, with limits of memory, time and output, so that a fault of a parser ends
// that process and nothing else. The process is `lockstep worker --task=read-keras FILE OUT`.
#pragma once

#include <base/clock.h>
#include <base/result.h>
#include <keras/keras_file.h>

#include <filesystem>

namespace lockstep::keras {

struct IsolationOptions {
    std::filesystem::path program;  // empty: the program `lockstep` beside this one
    Seconds deadline{60};
};

// Blocks until the other process has answered, at most until the deadline; thread safe. Errors: those of readKeras(), F656 (the
// process broke down or met a limit), F657 (deadline), P801 (no such program).
Result<KerasFile> readKerasIsolated(const std::filesystem::path& file, const IsolationOptions& options = {});

// The other process' work: limits itself for good, reads, and writes values or error to `out`. Gives its exit code: 0 when `out` was
// written. Nothing else may run in the process.
int runReaderTask(const std::filesystem::path& file, const std::filesystem::path& out);

}  // namespace lockstep::keras
