#include "gate.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::passes {

Result<Gate> Gate::create(const TrainStepOptions& options, std::vector<std::string> optional) {
    for (const auto& name : options.disabled) {
        if (std::find(optional.begin(), optional.end(), name) == optional.end()) {
            return makeError("S412", {{"pass", name}, {"known", fmt::format("{}", fmt::join(optional, ", "))}});
        }
    }
    return Gate(options);
}

Result<void> Gate::run(std::string_view name, Draft& draft, const std::function<Result<void>(Draft&)>& pass) {
    if (std::find(m_options->disabled.begin(), m_options->disabled.end(), name) != m_options->disabled.end()) return {};
    const auto start = std::chrono::steady_clock::now();
    auto done = pass(draft);
    if (done.ok()) done = verify(draft.graph);
    if (!done.ok()) return withContext(std::move(done).error(), fmt::format("in the pass {}", name));
    m_times.push_back({std::string(name), std::chrono::steady_clock::now() - start});
    if (m_options->dump) m_options->dump(std::string(name), draft.graph);
    return {};
}

}  // namespace lockstep::passes
