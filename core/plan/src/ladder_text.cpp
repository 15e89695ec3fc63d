#include "plan_json.h"

#include <base/units.h>
#include <plan/ladder.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::plan {
namespace {

std::string verdictOf(const Rung& rung) { return rung.sameUpdate ? "same update" : rung.difference; }

// The first rung that fits, whatever it does to the update, and better one that is advised; else the smallest.
const Rung& nextRung(const Ladder& ladder) {
    for (const bool advised : {true, false})
        for (const Rung& rung : ladder.rungs)
            if (rung.fits && rung.advised == advised) return rung;
    return *std::ranges::min_element(ladder.rungs, {}, [](const Rung& rung) { return rung.bytes.total(); });
}

}  // namespace

std::string bytesInWords(const RankBytes& bytes) {
    const std::pair<const char*, std::uint64_t> parts[] = {{"weights", bytes.weights},
                                                           {"gradients", bytes.gradients},
                                                           {"optimizer slots", bytes.optimizerSlots},
                                                           {"activations", bytes.activations},
                                                           {"workspace", bytes.workspace},
                                                           {"input", bytes.input},
                                                           {"data", bytes.data},
                                                           {"checkpoint", bytes.checkpoint},
                                                           {"libraries", bytes.library}};
    std::string out;
    for (const auto& [name, size] : parts)
        if (size > 0) out += fmt::format("{} {}, ", name, formatBytes(size));
    return out + formatBytes(bytes.total()) + " in all";
}

std::string explainLadder(const Ladder& ladder) {
    std::size_t width = 6;
    for (const Rung& rung : ladder.rungs) width = std::max(width, rung.remedy.size());
    std::string out = fmt::format("To fit a rank into {}:\n\n{:<{}}  {:>10}  {:>8}  {:<4}  {}\n", formatBytes(ladder.limit), "remedy",
                                  width, "memory", "time", "fits", "what it does");
    for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
        const Rung& rung = ladder.rungs[i];
        out += fmt::format("{:<{}}  {:>10}  {:>7.2f}x  {:<4}  {}; {}\n", rung.remedy, width, formatBytes(rung.bytes.total()), rung.slowdown,
                           rung.fits ? "yes" : "no", rung.what, verdictOf(rung));
    }
    if (ladder.chosen) {
        const Rung& rung = ladder.rungs[*ladder.chosen];
        out += fmt::format("\ntraining.memory_limit: {} takes \"{}\": {}.\n", formatBytes(ladder.limit), rung.remedy,
                           bytesInWords(rung.bytes));
        return out;
    }
    const Rung& next = nextRung(ladder);
    out += next.fits ? fmt::format("\nNothing that leaves the update as it is fits. What fits: {}.\n", fmt::join(next.set, " "))
                     : fmt::format("\nNothing fits. The smallest is \"{}\": {}.\n", next.remedy, bytesInWords(next.bytes));
    return out;
}

std::string printLadder(const Ladder& ladder) {
    Json json = {{"schema", 1}, {"limit", ladder.limit}, {"rungs", Json::array()}};
    for (const Rung& rung : ladder.rungs) {
        Json bytes = toJson(rung.bytes);
        bytes["total"] = rung.bytes.total();
        json["rungs"].push_back({{"remedy", rung.remedy},
                                 {"what", rung.what},
                                 {"set", rung.set},
                                 {"bytes", std::move(bytes)},
                                 {"slowdown", rung.slowdown},
                                 {"same_update", rung.sameUpdate},
                                 {"difference", rung.difference},
                                 {"fits", rung.fits},
                                 {"advised", rung.advised}});
    }
    json["chosen"] = ladder.chosen ? Json(*ladder.chosen) : Json(nullptr);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Error ranOutOfMemory(const Plan& plan, int rank, const std::string& when) {
    const RankBytes& bytes = plan.ranks.at(static_cast<std::size_t>(rank)).bytes;
    return makeError("M904", {{"rank", std::to_string(rank)},
                              {"when", when},
                              {"parts", bytesInWords(bytes)},
                              {"next", "See lockstep plan SPEC --fit-memory " + std::to_string(bytes.total() * 3 / 4 >> 20) +
                                           "MiB for remedies, or set training.memory_limit."}});
}

Error doesNotFit(const Ladder& ladder) {
    std::string table;
    for (const Rung& rung : ladder.rungs) table += (table.empty() ? "" : "; ") + rung.remedy + " " + formatBytes(rung.bytes.total());
    const Rung& next = nextRung(ladder);
    return makeError(
        "M902",
        {{"limit", formatBytes(ladder.limit)},
         {"parts", bytesInWords(ladder.rungs.front().bytes)},
         {"table", table},
         {"next", next.fits ? fmt::format("Set {} ({}), or allow more memory.", fmt::join(next.set, " "), verdictOf(next))
                            : "Allow more memory (the smallest needs " + formatBytes(next.bytes.total()) + "), or use a smaller model."}});
}

}  // namespace lockstep::plan
