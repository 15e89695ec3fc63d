#include <passes/passes.h>

#include <fmt/format.h>

namespace lockstep::passes {

using graph::NodeId;
using graph::OpKind;
using graph::Value;

Result<void> movingStatistics(Draft& draft, bool summed) {
    const auto count = draft.graph.find("count");
    for (const nn::MovingStatistic& statistic : draft.statistics) {
        if (summed && statistic.bessel != 0)
            return makeError("X009", {{"what", "tf_keras' rule for the moving variance on several ranks or slices"},
                                      {"why", "It depends on the rows of each of them."},
                                      {"next", "Use Keras 3's rule, or train on one device in one slice."}});
        std::vector<Value> inputs = {statistic.state, statistic.batch};
        // A rank alone without a row has no statistics. Of several ranks some had rows.
        if (!summed && count) inputs.push_back({*count, 0});
        graph::Attributes attributes = {{"momentum", statistic.momentum}};
        if (statistic.bessel != 0) attributes.emplace("bessel", statistic.bessel);
        const std::string name = fmt::format("{}/update", draft.graph.node(statistic.state.node).name);
        LS_TRY(draft.graph.append(OpKind::MovingUpdate, name, std::move(inputs), std::move(attributes)));
    }
    return {};
}

}  // namespace lockstep::passes
