#include <passes/passes.h>

#include "rewriter.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::passes {

using graph::Graph;
using graph::NodeId;
using graph::OpKind;
using graph::Value;

namespace {

using Buckets = std::vector<std::vector<Value>>;

// Gradients in the order in which they are ready; TensorFlow's rule for the size.
Buckets fillBuckets(const Draft& draft, std::size_t bytesPerPack) {
    std::vector<Value> ready;
    for (const auto& pair : draft.gradients) ready.push_back(pair.gradient);
    std::sort(ready.begin(), ready.end());
    Buckets buckets(1);
    std::size_t bytes = 0;
    for (const Value& gradient : ready) {
        if (bytesPerPack > 0 && bytes > bytesPerPack) {
            buckets.emplace_back();
            bytes = 0;
        }
        buckets.back().push_back(gradient);
        bytes += draft.graph.type(gradient).bytes();
    }
    // A few scalars more cost nothing there; a bucket of their own would cost a round trip. "control" is the caller's own signal.
    const auto& outputs = draft.graph.outputs();
    for (const char* name : {"loss", "correct", "control"})
        if (const auto output = outputs.find(name); output != outputs.end()) buckets.back().push_back(output->second);
    for (const auto& [name, value] : outputs)
        if (name == "row_loss" || name.starts_with("metric/")) buckets.back().push_back(value);
    for (const auto& statistic : draft.statistics) buckets.back().push_back(statistic.batch);
    return buckets;
}

Result<void> appendAllReduce(Rewriter& rewriter, const std::vector<Value>& bucket, std::size_t number) {
    const std::string name = fmt::format("bucket_{}", number);
    LS_TRY_ASSIGN(const NodeId id,
                  rewriter.to().append(OpKind::AllReduce, name, rewriter.mapped(bucket), {{"bucket", static_cast<std::int64_t>(number)}}));
    for (std::uint32_t i = 0; i < bucket.size(); ++i) rewriter.map(bucket[i], {id, i});
    return {};
}

}  // namespace

Result<void> bucketGradients(Draft& draft, std::size_t bytesPerPack) {
    const Buckets buckets = fillBuckets(draft, bytesPerPack);
    Rewriter rewriter(draft.graph);
    std::size_t next = 0;
    for (std::uint32_t n = 0; n < draft.graph.nodes().size(); ++n) {
        LS_TRY(rewriter.copy(NodeId{n}));
        while (next < buckets.size() && std::max_element(buckets[next].begin(), buckets[next].end())->node.value <= n) {
            LS_TRY(appendAllReduce(rewriter, buckets[next], next));
            ++next;
        }
    }
    for (auto& pair : draft.gradients) pair = {rewriter.mapped(pair.weight), rewriter.mapped(pair.gradient)};
    for (auto& statistic : draft.statistics) {
        statistic.state = rewriter.mapped(statistic.state);
        statistic.batch = rewriter.mapped(statistic.batch);
    }
    draft.graph = rewriter.finish();
    return {};
}

}  // namespace lockstep::passes
