// Memory in plans: remedies and their ladder, here by what the graph needs; tests/cli asks the executor.
#include "hosts.h"

#include <support/test.h>

#include <plan/ladder.h>
#include <plan/plan.h>

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace lockstep;
using namespace lockstep::plan;
using lockstep::test::fakeInventory;

namespace {

constexpr std::uint64_t kMiB = 1u << 20;

spec::RunSpec specOf(const std::string& yaml) {
    auto parsed = spec::parseRunSpec("name: a\n" + yaml, "a.yaml");
    if (!parsed.ok()) qFatal("%s", parsed.error().toText().c_str());
    return *parsed;
}

DataFacts pictures() { return {{32, 32, 3}, 10, 1000, 0, true, 0}; }

Result<Plan> planOf(const std::string& yaml) { return makePlan(specOf(yaml), fakeInventory(), "run", pictures()); }

Ladder ladderOf(const std::string& yaml, std::uint64_t limit, const std::optional<cluster::Bfloat16Speed>& bfloat16 = {}) {
    auto ladder = memoryLadder(specOf(yaml), fakeInventory(), limit, pictures(), {}, bfloat16);
    if (!ladder.ok()) qFatal("%s", ladder.error().toText().c_str());
    return *ladder;
}

const Rung* rungOf(const Ladder& ladder, const std::string& remedy) {
    const auto found = std::ranges::find(ladder.rungs, remedy, &Rung::remedy);
    return found == ladder.rungs.end() ? nullptr : &*found;
}

const std::string kResnet = "model: {preset: resnet20}\ntraining: {global_batch_size: 128";

}  // namespace

class MemoryTest : public QObject {
    Q_OBJECT
private slots:
    void recomputeIsPlanned() {
        const auto whole = planOf(kResnet + "}");
        VERIFY_OK(whole);
        QVERIFY(whole->memory.recompute.empty());
        const auto automatic = planOf(kResnet + ", recompute: auto}");
        VERIFY_OK(automatic);
        QVERIFY(!automatic->memory.recompute.empty());
        for (const RecomputeCut& cut : automatic->memory.recompute) QCOMPARE(cut.level, 1);
        QVERIFY(automatic->ranks[0].bytes.activations < whole->ranks[0].bytes.activations * 6 / 10);
        QVERIFY(automatic->forecast.stepSeconds > whole->forecast.stepSeconds);
        const auto named = planOf(kResnet + ", recompute: [add_2, add_5]}");
        VERIFY_OK(named);
        QCOMPARE(named->memory.recompute, (std::vector<RecomputeCut>{{"add_2", 1}, {"add_5", 1}}));
        QVERIFY(named->ranks[0].bytes.activations < whole->ranks[0].bytes.activations);
        VERIFY_ERROR(planOf(kResnet + ", recompute: [nowhere]}"), "S420");
    }
    void slicesOfOneRank() {
        const auto plan = planOf("training: {global_batch_size: 10}\ndistribution: {slices: 4}");
        VERIFY_OK(plan);
        QCOMPARE(plan->sliceTotal, 4);
        QCOMPARE(plan->sliceRows, std::int64_t(3));
        QVERIFY(plan->memory.slicesApart);
        QCOMPARE(plan->ranks[0].sliceCount, 4);
        VERIFY_ERROR(planOf("training: {global_batch_size: 3}\ndistribution: {slices: 4}"), "S310");
        const std::string two = "cluster: {hosts: [{devices: [cpu:0, cpu:1]}]}\n";
        VERIFY_ERROR(planOf(two + "distribution: {slices: 1}"), "S307");
        VERIFY_OK(planOf(two + "distribution: {slices: 2}"));
        VERIFY_ERROR(planOf(two + "distribution: {slices: 3}"), "S307");
        VERIFY_ERROR(planOf(two + "distribution: {slices: 4, reduction: keras}"), "S307");
        const auto shared = planOf(two + "distribution: {slices: 4}");
        VERIFY_OK(shared);
        QVERIFY(shared->memory.slicesApart);
        for (const Rank& rank : shared->ranks) {
            QCOMPARE(rank.sliceCount, 2);
            QCOMPARE(rank.firstSlice, 2 * rank.rank);
        }
        const auto again = parsePlan(printPlan(*shared));
        VERIFY_OK(again);
        QVERIFY(*again == *shared);
    }
    void severalRanksClimbToo() {
        const std::string two = "strategy: MirroredStrategy\ncluster: {hosts: [{devices: [cpu:0, cpu:1]}]}\nmodel: {preset: cnn}\n";
        const Ladder ladder = ladderOf(two + "training: {global_batch_size: 512}", 30 * kMiB);
        const Rung* slices = rungOf(ladder, "slices");
        QVERIFY(slices != nullptr && slices->sameUpdate && slices->fits);
        QCOMPARE(slices->plan.ranks.size(), std::size_t{2});
        QVERIFY(slices->plan.sliceTotal >= 4 && slices->plan.sliceTotal % 2 == 0);
        QVERIFY(rungOf(ladderOf(two + "training: {global_batch_size: 512}\ndistribution: {reduction: keras}", 30 * kMiB), "slices") ==
                nullptr);
    }
    // 16 bits are a rung where it is known how fast they are, are never taken by themselves, and are advised against where they are slower.
    void sixteenBitsAreARung() {
        const auto fast = ladderOf(kResnet + "}", 80 * kMiB, cluster::Bfloat16Speed{true, 2.4});
        const auto slow = ladderOf(kResnet + "}", 80 * kMiB, cluster::Bfloat16Speed{false, 0});
        for (const Ladder* ladder : {&fast, &slow}) {
            const Rung* rung = rungOf(*ladder, "16 bits");
            QVERIFY(rung != nullptr && !rung->sameUpdate);
            QCOMPARE(rung->set, std::vector<std::string>{"training.mixed_precision=mixed_bfloat16"});
            QVERIFY(rung->difference.find("rounded") != std::string::npos);
            QVERIFY(!ladder->chosen || ladder->rungs[*ladder->chosen].remedy != "16 bits");
            QVERIFY(rung->bytes.activations < ladder->rungs.front().bytes.activations * 6 / 10);
            QVERIFY(explainLadder(*ladder).find(rung->what) != std::string::npos);
        }
        QVERIFY(rungOf(fast, "16 bits")->slowdown < 1 && rungOf(fast, "16 bits")->advised);
        QVERIFY(rungOf(slow, "16 bits")->slowdown > 1 && !rungOf(slow, "16 bits")->advised);
        QVERIFY(rungOf(slow, "16 bits")->what.find("bf16 is slower on this CPU") != std::string::npos);
        const auto json = nlohmann::json::parse(printLadder(slow));
        for (const auto& rung : json.at("rungs")) QCOMPARE(rung.at("advised").get<bool>(), rung.at("remedy") != "16 bits");
        QVERIFY(rungOf(ladderOf(kResnet + "}", 80 * kMiB), "16 bits") == nullptr);
        QVERIFY(rungOf(ladderOf(kResnet + ", mixed_precision: mixed_bfloat16}", 80 * kMiB, cluster::Bfloat16Speed{true, 2.4}), "16 bits") ==
                nullptr);
    }
    // What is said next is what helps: 16 bits come before slices that change the update, but not where they are slower.
    void theNextRungIsAnAdvisedOne() {
        const auto next = [](const cluster::Bfloat16Speed& speed) {
            Ladder ladder = ladderOf(kResnet + ", recompute: auto}", 70 * kMiB, speed);
            ladder.chosen.reset();
            for (Rung& rung : ladder.rungs) rung.fits = rung.remedy == "16 bits" || rung.remedy == "slices";
            return doesNotFit(ladder).next;
        };
        QVERIFY2(next({true, 2.4}).find("training.mixed_precision") != std::string::npos, next({true, 2.4}).c_str());
        QVERIFY2(next({false, 0}).find("distribution.slices") != std::string::npos, next({false, 0}).c_str());
    }
    void oneIsSingular() {
        const auto ladder = ladderOf("model: {preset: cnn}\ntraining: {global_batch_size: 2}", kMiB);
        QVERIFY2(rungOf(ladder, "smaller batch")->what == "1 row instead of 2", rungOf(ladder, "smaller batch")->what.c_str());
        QVERIFY2(rungOf(ladder, "slices")->what.find("2 slices of 1 row,") != std::string::npos, rungOf(ladder, "slices")->what.c_str());
        QCOMPARE(ladderOf("training: {global_batch_size: 1}", kMiB).rungs.front().what, std::string("batches of 1 row"));
    }
    void theLadderClimbsDown() {
        const auto whole = planOf(kResnet + "}");
        VERIFY_OK(whole);
        const std::uint64_t all = whole->ranks[0].bytes.total();
        const Ladder ladder = ladderOf(kResnet + "}", all * 6 / 10);
        QCOMPARE(ladder.rungs.front().bytes.total(), all);
        QVERIFY(!ladder.rungs.front().fits);
        const Rung* again = rungOf(ladder, "recompute");
        QVERIFY(again != nullptr && again->fits && again->sameUpdate && again->slowdown > 1);
        const Rung* slices = rungOf(ladder, "slices");
        QVERIFY(slices != nullptr && slices->fits && !slices->sameUpdate);  // batch normalisation
        QVERIFY(slices->difference.find("each slice") != std::string::npos);
        QCOMPARE(slices->set, std::vector<std::string>{"distribution.slices=2"});
        const Rung* smaller = rungOf(ladder, "smaller batch");
        QVERIFY(smaller != nullptr && smaller->fits && !smaller->sameUpdate);
        QVERIFY(ladder.chosen && ladder.rungs[*ladder.chosen].remedy == "recompute");
        // Without batch normalisation slices leave the update as it is.
        const Ladder plain = ladderOf("model: {preset: cnn}\ntraining: {global_batch_size: 512}", 40 * kMiB);
        QVERIFY(rungOf(plain, "slices") != nullptr && rungOf(plain, "slices")->sameUpdate);
        const auto json = nlohmann::json::parse(printLadder(ladder));
        QCOMPARE(json.at("rungs").size(), ladder.rungs.size());
        QCOMPARE(json.at("rungs").at(0).at("bytes").at("total").get<std::uint64_t>(), all);
        QCOMPARE(json.at("chosen").get<std::size_t>(), *ladder.chosen);
        for (const Rung& rung : ladder.rungs) QVERIFY(explainLadder(ladder).find(rung.remedy) != std::string::npos);
    }
    void aLimitTakesTheCheapestThatFits() {
        const auto whole = planOf(kResnet + "}");
        VERIFY_OK(whole);
        const std::uint64_t all = whole->ranks[0].bytes.total();
        const auto limited = [&](std::uint64_t bytes) { return planOf(kResnet + ", memory_limit: " + std::to_string(bytes) + "}"); };
        const auto roomy = limited(all);
        VERIFY_OK(roomy);
        QVERIFY(roomy->memory.why.empty());
        const auto tight = limited(all * 6 / 10);
        VERIFY_OK(tight);
        QVERIFY(tight->ranks[0].bytes.total() <= all * 6 / 10);
        QVERIFY(tight->memory.why.starts_with("recompute: "));
        QVERIFY(!tight->memory.slicesApart);
        QCOMPARE(tight->specHash, limited(all)->specHash);
        QVERIFY(explainPlan(*tight).find(tight->memory.why) != std::string::npos);
        const auto again = parsePlan(printPlan(*tight));
        VERIFY_OK(again);
        QVERIFY(*again == *tight);
        // The first that fits is as cheap as possible: more room, less work.
        const auto looser = limited(all * 8 / 10);
        VERIFY_OK(looser);
        QVERIFY(looser->forecast.stepSeconds <= tight->forecast.stepSeconds);
        const auto none = limited(20 * kMiB);
        VERIFY_ERROR(none, "M902");
        QCOMPARE(none.error().exitCode, 4);
        QVERIFY(none.error().cause.find("recompute") != std::string::npos);
        QVERIFY(none.error().next.find("distribution.slices") != std::string::npos ||
                none.error().next.find("Allow more") != std::string::npos);
    }
    void olderPlansLoad() {
        const auto plan = planOf("");
        VERIFY_OK(plan);
        auto json = nlohmann::json::parse(printPlan(*plan));
        json.erase("memory");
        for (const char* part : {"workspace", "data", "checkpoint"}) json.at("ranks").at(0).at("bytes").erase(part);
        const auto older = parsePlan(json.dump());
        VERIFY_OK(older);
        QCOMPARE(older->memory, Memory{});
        QCOMPARE(older->ranks[0].bytes.weights, plan->ranks[0].bytes.weights);
    }
};

LOCKSTEP_TEST(MemoryTest)
#include "memory_test.moc"
