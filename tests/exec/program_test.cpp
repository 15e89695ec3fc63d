// What the contract of Program promises, for every executor that computes.
#include "allocations.h"
#include "step_graph.h"

#include <support/test.h>

#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

using namespace lockstep;
using namespace lockstep::exec;

namespace {

// Sums over `ranks` ranks that all hold the same. While a bucket is under way its memory holds NaN, so that a program that reads
// too early gives NaN and one that writes too early is seen.
class EqualRanks final : public Collectives {
public:
    explicit EqualRanks(int ranks) : m_ranks(ranks) {}

    Result<void> start(int bucket, std::span<std::byte> data, graph::DType dtype) override {
        if (bucket == failing) return makeError("X001", {{"what", "the link is down"}});
        calls.push_back("start " + std::to_string(bucket));
        startedAt.push_back(data);
        Flight flight{data, {data.begin(), data.end()}, dtype};
        if (dtype == graph::DType::F32)
            fill<float>(data);
        else
            fill<double>(data);
        if (m_flights.size() <= static_cast<std::size_t>(bucket)) m_flights.resize(static_cast<std::size_t>(bucket) + 1);
        m_flights[static_cast<std::size_t>(bucket)] = std::move(flight);
        return {};
    }
    Result<void> wait(int bucket) override {
        calls.push_back("wait " + std::to_string(bucket));
        Flight& flight = m_flights[static_cast<std::size_t>(bucket)];
        std::vector<std::byte> poison(flight.data.size());
        if (flight.dtype == graph::DType::F32)
            fill<float>(poison);
        else
            fill<double>(poison);
        if (std::memcmp(poison.data(), flight.data.data(), poison.size()) != 0) touched = true;
        if (flight.dtype == graph::DType::F32)
            sum<float>(flight);
        else
            sum<double>(flight);
        return {};
    }

    Result<std::span<std::byte>> memory(int bucket, std::size_t bytes) override {
        if (!lends) return std::span<std::byte>();
        asked.push_back(bucket);
        lent.push_back(std::vector<std::byte>(bytes + 64));
        auto* at = lent.back().data();
        at += 64 - reinterpret_cast<std::uintptr_t>(at) % 64;
        lentAt.push_back({at, bytes});
        return lentAt.back();
    }

    bool lends = false;
    std::vector<int> asked;
    std::vector<std::vector<std::byte>> lent;
    std::vector<std::span<std::byte>> lentAt;
    std::vector<std::span<std::byte>> startedAt;
    std::vector<std::string> calls;
    bool touched = false;
    int failing = -1;

private:
    struct Flight {
        std::span<std::byte> data;
        std::vector<std::byte> sent;
        graph::DType dtype{};
    };
    template <class T>
    static void fill(std::span<std::byte> data) {
        const T value = std::numeric_limits<T>::quiet_NaN();
        for (std::size_t at = 0; at < data.size(); at += sizeof(T)) std::memcpy(data.data() + at, &value, sizeof(T));
    }
    template <class T>
    void sum(Flight& flight) const {
        for (std::size_t at = 0; at < flight.data.size(); at += sizeof(T)) {
            T value{};
            std::memcpy(&value, flight.sent.data() + at, sizeof(T));
            value *= static_cast<T>(m_ranks);
            std::memcpy(flight.data.data() + at, &value, sizeof(T));
        }
    }
    int m_ranks;
    std::vector<Flight> m_flights;
};

constexpr std::array kX = {0.5F, -1.0F, 2.0F, 1.5F, 0.25F, -0.75F, 1.0F, 1.0F, 0.0F, -2.0F, 0.5F, 0.125F};
constexpr std::array<std::int32_t, 4> kLabels = {0, 1, 1, 0};
constexpr std::array kW = {0.1F, -0.2F, 0.3F, 0.4F, -0.5F, 0.6F};

// A compiled stepGraph with its feeds; `scale` multiplies the row weights.
struct Step {
    std::unique_ptr<Program> program;
    std::array<float, 4> weights{};
    float rate = 0.125F;
    float step = 1;

    static Result<Step> create(Executor& executor, const CompileOptions& options, float scale) {
        Step made;
        made.weights.fill(0.25F * scale);
        LS_TRY_ASSIGN(const graph::Graph graph, stepGraph({.allReduce = options.collectives != nullptr}));
        LS_TRY_ASSIGN(made.program, executor.compile(graph, options));
        made.program->writeState(0, std::as_bytes(std::span(kW)));
        return made;
    }
    Result<void> run() {
        const auto at = [](const void* data) { return static_cast<const std::byte*>(data); };
        const std::array<const std::byte*, 5> feeds = {at(kX.data()), at(kLabels.data()), at(weights.data()), at(&rate), at(&step)};
        return program->run({feeds});
    }
    std::vector<float> state(std::size_t index, std::size_t count) const {
        std::vector<float> values(count);
        program->readState(index, std::as_writable_bytes(std::span(values)));
        return values;
    }
    float loss() const {
        float value = 0;
        std::memcpy(&value, program->output("loss").data(), sizeof value);
        return value;
    }
};

constexpr std::array<std::size_t, 5> kStateSizes = {6, 2, 6, 6, 2};

}  // namespace

class ProgramTest : public QObject {
    Q_OBJECT

    const std::unique_ptr<Executor> m_cpu = cpu::makeCpuExecutor();
    const std::unique_ptr<Executor> m_ref = ref::makeRefExecutor();
    Executor& executor() {
        QFETCH_GLOBAL(QString, name);
        return name == "cpu" ? *m_cpu : *m_ref;
    }

private slots:
    void initTestCase_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("ref") << "ref";
        QTest::newRow("cpu") << "cpu";
    }
    void initTestCase() {}

    // Two ranks with half the weight each do what one rank does alone.
    void sumsOverRanksEnterTheUpdate() {
        EqualRanks ranks(2);
        CompileOptions options;
        options.guardBytes = 64;
        auto alone = Step::create(executor(), options, 1.0F);
        VERIFY_OK(alone);
        options.collectives = &ranks;
        auto shared = Step::create(executor(), options, 0.5F);
        VERIFY_OK(shared);
        for (int i = 0; i < 3; ++i) {
            VERIFY_OK(alone->run());
            VERIFY_OK(shared->run());
            QVERIFY(std::isfinite(alone->loss()));
            QVERIFY(std::abs(alone->loss() - shared->loss()) < 1e-6F);
            alone->step += 1;
            shared->step += 1;
        }
        for (std::size_t state = 0; state < kStateSizes.size(); ++state) {
            const auto expected = alone->state(state, kStateSizes[state]);
            const auto found = shared->state(state, kStateSizes[state]);
            for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(std::abs(found[i] - expected[i]) < 1e-6F);
        }
        QVERIFY(alone->state(0, 6) != std::vector<float>(kW.begin(), kW.end()));
        QVERIFY(alone->program->intact() && shared->program->intact());
        QVERIFY(!ranks.touched);
    }
    void bucketsStartInOrderAndAreAwaited() {
        EqualRanks ranks(2);
        CompileOptions options;
        options.collectives = &ranks;
        auto step = Step::create(executor(), options, 0.5F);
        VERIFY_OK(step);
        VERIFY_OK(step->run());
        QCOMPARE(ranks.calls.size(), std::size_t{6});
        const auto at = [&](const char* call) { return std::ranges::find(ranks.calls, call) - ranks.calls.begin(); };
        QVERIFY(at("start 0") < at("start 1") && at("start 1") < at("start 2"));
        // All three are under way before the first update needs bucket 0.
        QVERIFY(at("start 2") < at("wait 0"));
        for (const char* call : {"wait 0", "wait 1", "wait 2"}) QVERIFY(at(call) < 6);
    }
    void bucketsLieWhereCollectivesSay() {
        EqualRanks own(2);
        EqualRanks lending(2);
        lending.lends = true;
        CompileOptions options;
        options.collectives = &own;
        auto plain = Step::create(executor(), options, 0.5F);
        VERIFY_OK(plain);
        options.collectives = &lending;
        auto lent = Step::create(executor(), options, 0.5F);
        VERIFY_OK(lent);
        for (int i = 0; i < 3; ++i) {
            VERIFY_OK(plain->run());
            VERIFY_OK(lent->run());
        }
        for (std::size_t state = 0; state < kStateSizes.size(); ++state)
            QVERIFY(plain->state(state, kStateSizes[state]) == lent->state(state, kStateSizes[state]));
        QCOMPARE(lent->program->memory().gradients, plain->program->memory().gradients);
        // The reference keeps all values in its arena and doesn't ask.
        if (executor().name() == "ref") {
            QVERIFY(lending.asked.empty());
            return;
        }
        QCOMPARE(lending.asked, (std::vector{0, 1, 2}));
        for (std::size_t i = 0; i < lending.startedAt.size(); ++i) {
            QVERIFY(lending.startedAt[i].data() == lending.lentAt[i % 3].data());
            QCOMPARE(lending.startedAt[i].size(), lending.lentAt[i % 3].size());
        }
    }
    void aFailedSumEndsTheStep() {
        EqualRanks ranks(2);
        ranks.failing = 1;
        CompileOptions options;
        options.collectives = &ranks;
        auto step = Step::create(executor(), options, 0.5F);
        VERIFY_OK(step);
        const auto before = step->state(0, 6);
        VERIFY_ERROR(step->run(), "X001");
        QVERIFY(before == step->state(0, 6));
    }
    // An update and an evaluation of the same weights: what one program writes, the other reads, and its scratch costs nothing more.
    void aFamilySharesStatesAndScratch() {
        auto whole = stepGraph({.allReduce = false});
        VERIFY_OK(whole);
        graph::Graph reader;
        const auto w = reader.state("w", {graph::DType::F32, {3, 2}}, "weight");
        VERIFY_OK(w);
        const auto squares = reader.append(graph::OpKind::SquareSum, "squares", {*w});
        VERIFY_OK(squares);
        reader.setOutput("squares", {*squares, 0});
        const std::array<const graph::Graph*, 2> graphs = {&*whole, &reader};
        for (const std::size_t guard : {std::size_t{0}, std::size_t{64}}) {
            CompileOptions options;
            options.guardBytes = guard;
            auto programs = executor().compileFamily(graphs, options);
            VERIFY_OK(programs);
            QCOMPARE(programs->size(), std::size_t{2});
            Step step;
            step.weights.fill(0.25F);
            step.program = std::move(programs->front());
            step.program->writeState(0, std::as_bytes(std::span(kW)));
            for (int i = 0; i < 2; ++i) {
                VERIFY_OK(step.run());
                VERIFY_OK(programs->back()->run({}));
                double expected = 0;
                for (const float value : step.state(0, 6)) expected += static_cast<double>(value) * static_cast<double>(value);
                float found = 0;
                std::memcpy(&found, programs->back()->output("squares").data(), sizeof found);
                QVERIFY(std::abs(static_cast<double>(found) - expected) < 1e-6);
                std::array<float, 6> seen{};
                programs->back()->readState(0, std::as_writable_bytes(std::span(seen)));
                QVERIFY(std::ranges::equal(seen, step.state(0, 6)));
            }
            QVERIFY(step.program->intact() && programs->back()->intact());
            if (guard == 0 && executor().name() == "cpu") {
                auto alone = executor().compile(*whole, options);
                VERIFY_OK(alone);
                QCOMPARE((*alone)->memory().weights, programs->back()->memory().weights);
                QCOMPARE((*alone)->memory().activations, programs->back()->memory().activations);
            }
        }
    }
    void aFamilyThatDisagreesIsRefused() {
        auto whole = stepGraph({.allReduce = true});
        VERIFY_OK(whole);
        EqualRanks ranks(2);
        CompileOptions options;
        options.collectives = &ranks;
        const std::array<const graph::Graph*, 2> twice = {&*whole, &*whole};
        VERIFY_ERROR(executor().compileFamily(twice, options), "S407");
        graph::Graph other;
        VERIFY_OK(other.state("w", {graph::DType::F32, {3, 3}}, "weight"));
        const std::array<const graph::Graph*, 2> misfits = {&*whole, &other};
        VERIFY_ERROR(executor().compileFamily(misfits, options), "S419");
    }
    void sumsNeedCollectives() {
        auto graph = stepGraph({.allReduce = true});
        VERIFY_OK(graph);
        VERIFY_ERROR(executor().compile(*graph, {}), "S407");
    }
    void statesComeBackAsWritten() {
        auto step = Step::create(executor(), {}, 1.0F);
        VERIFY_OK(step);
        QVERIFY(step->state(0, 6) == std::vector<float>(kW.begin(), kW.end()));
        QVERIFY(step->state(3, 6) == std::vector<float>(6, 0.0F));
        QVERIFY(step->program->output("no such output").empty());
        QCOMPARE(step->program->output("gradient").size(), 8 * sizeof(float));
    }
    void reportsMemoryCostAndTimes() {
        CompileOptions options;
        options.timeOps = true;
        auto step = Step::create(executor(), options, 1.0F);
        VERIFY_OK(step);
        VERIFY_OK(step->run());
        const auto memory = step->program->memory();
        QVERIFY(memory.weights >= 32 && memory.optimizerSlots >= 56);
        QVERIFY(step->program->cost().flops > 0);
        std::uint64_t calls = 0;
        for (const auto& row : step->program->times()) calls += row.calls;
        QVERIFY(calls >= 6);
    }
    void aStepDoesNotAllocate() {
        auto step = Step::create(executor(), {}, 1.0F);
        VERIFY_OK(step);
        VERIFY_OK(step->run());
        bool ran = false;
        QCOMPARE(countAllocations([&] { ran = step->run().ok(); }), 0);
        QVERIFY(ran);
    }
};

LOCKSTEP_TEST(ProgramTest)
#include "program_test.moc"
