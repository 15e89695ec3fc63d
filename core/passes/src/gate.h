// The one door that every pass goes through: it leaves out what is disabled, takes the time, verifies what came out, and dumps it.
#pragma once

#include <passes/passes.h>
#include <passes/pipeline.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::passes {

class Gate {
public:
    // `options` outlives the gate. Error S412: a disabled pass that is not among the optional ones.
    static Result<Gate> create(const TrainStepOptions& options, std::vector<std::string> optional);

    // Errors: those of the pass; S406 when it leaves an illegal graph. Both name the pass in the trail.
    Result<void> run(std::string_view name, Draft& draft, const std::function<Result<void>(Draft&)>& pass);

    std::vector<PassTime> takeTimes() { return std::move(m_times); }

private:
    explicit Gate(const TrainStepOptions& options) : m_options(&options) {}

    const TrainStepOptions* m_options;
    std::vector<PassTime> m_times;
};

}  // namespace lockstep::passes
