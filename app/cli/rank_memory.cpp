#include "rank_memory.h"

#include "rank_setup.h"

#include <base/units.h>
#include <cluster/inventory.h>
#include <control/data_facts.h>
#include <control/keras_model.h>
#include <plan/ladder.h>
#include <train/memory.h>

#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>
#include <thread>

namespace lockstep::cli {
namespace {

const plan::RankBytes& bytesOf(const plan::Plan& plan, int rank) { return plan.ranks.at(static_cast<std::size_t>(rank)).bytes; }

// The remedy that makes it fit into what there is, in words for an error.
std::string nextRemedy(const spec::RunSpec& spec, std::uint64_t available) {
    const std::string general = "Close other programs, or see lockstep plan SPEC --fit-memory " + std::to_string(available >> 20) + "MiB.";
    auto here = cluster::probeThisHost();
    here.address = "localhost";
    spec::RunSpec asked = spec;
    if (!control::resolveModel(asked).ok()) return general;
    const auto facts = control::readDataFacts(asked);
    if (!facts.ok()) return general;
    asked.training.memoryLimit.reset();
    const auto ladder = plan::memoryLadder(asked, {{std::move(here)}}, available, *facts, makeSizer(false));
    return ladder.ok() ? "Close other programs. " + plan::doesNotFit(*ladder).next : general;
}

}  // namespace

plan::Sizer makeSizer(bool reference) {
    return
        [reference](const spec::RunSpec& spec, const plan::Plan& plan, int rank, const plan::DataFacts& data) -> Result<plan::RankBytes> {
            train::RankOptions options = rankOptionsOf(spec, plan, rank, control::dataFolder(spec), data);
            options.checkpoint.folder = "checkpoints";  // ranks of a run have one
            const data::DatasetFacts facts{
                data.rowShape,   data.rows, data.validationRows, data.classes, data.bytes ? data::Element::U8 : data::Element::F32,
                data.targetWidth};
            const auto executor = makeExecutor(reference);
            LS_TRY_ASSIGN(const auto m, train::memoryOf(options, facts, static_cast<int>(plan.ranks.size()), *executor));
            return plan::RankBytes{m.weights, m.gradients, m.optimizerSlots, m.activations, m.workspace,
                                   m.input,   m.data,      m.checkpoint,     m.library};
        };
}

void guardMemory(train::RankOptions& options, const spec::RunSpec& spec, const plan::Plan& plan) {
    options.compile.allow = [&spec, &plan, rank = options.rank](const exec::MemoryReport& report) -> Result<void> {
        const plan::RankBytes& bytes = bytesOf(plan, rank);
        // The rows are there already; what is written behind the compilation comes on top.
        const std::uint64_t need = report.total() + bytes.input + bytes.checkpoint, available = cluster::availableMemory();
        if (need <= available) return {};
        return makeError("M903", {{"rank", std::to_string(rank)},
                                  {"need", formatBytes(need)},
                                  {"available", formatBytes(available)},
                                  {"parts", plan::bytesInWords(bytes)},
                                  {"next", nextRemedy(spec, available)}});
    };
}

namespace {

// What is given back for the last words: building and sending an error takes some.
constexpr std::size_t kLastWords = std::size_t{1} << 20;

std::atomic<LastWord*> g_lastWord{nullptr};
std::terminate_handler g_before = nullptr;

// Of any thread. The exception decides whether this is ours.
[[noreturn]] void endOfProcess() {
    LastWord* word = g_lastWord.exchange(nullptr);
    if (word != nullptr && isLackOfMemory(std::current_exception())) word->say();
    if (word == nullptr)
        // Another thread is saying it, and ends the process then.
        for (int i = 0; i < 20; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (g_before != nullptr) g_before();
    std::abort();
}

}  // namespace

bool isLackOfMemory(const std::exception_ptr& thrown) {
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        return true;
    } catch (const std::system_error& error) {
        // A thread that can't be had, for want of memory for its stack.
        return error.code() == std::errc::resource_unavailable_try_again || error.code() == std::errc::not_enough_memory;
    } catch (...) {
        return false;
    }
    return false;
}

LastWord::LastWord(const plan::Plan& plan, int rank, std::function<void(const Error&)> tell)
    : m_plan(plan), m_rank(rank), m_tell(std::move(tell)), m_ballast(std::make_unique<char[]>(kLastWords)) {
    // Pages that are there, not promises.
    std::memset(m_ballast.get(), 1, kLastWords);
    during("while it was set up");
    g_lastWord = this;
    g_before = std::set_terminate(endOfProcess);
}

LastWord::~LastWord() {
    std::set_terminate(g_before);
    g_lastWord = nullptr;
}

void LastWord::during(std::string when) {
    m_phases.push_back(std::move(when));
    m_when = &m_phases.back();
}

Error LastWord::error() {
    m_ballast.reset();
    return plan::ranOutOfMemory(m_plan, m_rank, *m_when.load());
}

void LastWord::say() {
    const Error last = error();
    m_tell(last);
    ::_exit(last.exitCode);
}

}  // namespace lockstep::cli
