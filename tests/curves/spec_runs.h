// Recorded training started from a specification: parsed, planned and set up as the program does it; only the rows and the first weights
// are the recorded ones.
#pragma once

#include "recorded.h"

#include <cluster/inventory.h>
#include <control/data_facts.h>
#include <plan/plan.h>
#include <spec/run_spec.h>

#include <rank_setup.h>

#include <numeric>

namespace lockstep::test {

inline cluster::Inventory hostWith(int processors) {
    cluster::HostFacts facts;
    facts.name = "here";
    facts.address = "localhost";
    facts.isa = "avx2";
    facts.processors.resize(static_cast<std::size_t>(processors));
    std::iota(facts.processors.begin(), facts.processors.end(), 0);
    facts.shmBytes = 1ull << 30;
    return {{facts}};
}

// What each rank of the specification gets; pinned to no processor.
inline Result<std::vector<train::RankOptions>> rankOptionsOf(const std::string& yaml, int ranks) {
    LS_TRY_ASSIGN(const spec::RunSpec spec, spec::parseRunSpec(yaml, "spec.yaml"));
    LS_TRY_ASSIGN(const auto facts, control::readDataFacts(spec));
    LS_TRY_ASSIGN(const plan::Plan plan, plan::makePlan(spec, hostWith(ranks), "run", facts));
    std::vector<train::RankOptions> all;
    for (int rank = 0; rank < ranks; ++rank) {
        LS_TRY_ASSIGN(auto setup, cli::makeRankSetup(spec, plan, rank, control::dataFolder(spec)));
        setup.options.compile = {};
        setup.options.checkpoint = {};
        setup.options.evaluate = false;
        all.push_back(std::move(setup.options));
    }
    return all;
}

}  // namespace lockstep::test
