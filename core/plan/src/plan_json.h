// Parts of plan.json that other texts of the plan use, too.
#pragma once

#include <plan/plan.h>

#include <nlohmann/json.hpp>

namespace lockstep::plan {

using Json = nlohmann::ordered_json;

Json toJson(const RankBytes& bytes);

}  // namespace lockstep::plan
