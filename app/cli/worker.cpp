#include "worker.h"

#include "bench_parts.h"
#include "commands.h"
#include "precision_probe.h"
#include "trained_run.h"

#include <keras/isolated.h>

#include <new>

namespace lockstep::cli {
namespace {

class Worker : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("SPEC", m_hand.file, "The run specification; TF_CONFIG says which task this is")->type_name("");
        parser.add_option("OVERRIDES", m_hand.overrides, "dotted.key=value, after the file")->type_name("");
        // For agents and tests.
        parser.add_option("--task", m_task)
            ->check(CLI::IsMember(
                {"rank", "read-keras", "evaluate", "predict", "bench-parity", "bench-train", "bench-probe", "probe-bfloat16"}))
            ->group("");
        parser.add_option("--fd", m_fd)->group("");
        parser.add_option("--run", m_run)->group("");
        parser.add_option("--rank", m_rank)->group("");
        parser.add_option("--executor", m_executor)->check(CLI::IsMember({"cpu", "ref"}))->group("");
    }

    Result<int> run(Context& context) override {
        if (m_task == "rank") return runRankTask(m_fd);
        if (m_task == "read-keras") return readKeras();
        if (m_task == "evaluate") return runWork(evaluateTask);
        if (m_task == "predict") return runWork(predictTask);
        if (m_task == "bench-parity") return runWork(benchParityTask);
        if (m_task == "bench-train") return runWork(benchTrainTask);
        if (m_task == "bench-probe") return runWork(benchProbeTask);
        if (m_task == "probe-bfloat16") return runWork(probeBfloat16Task);
        if (m_hand.file.empty()) return makeError("X002", {{"what", "SPEC is missing"}, {"help", "lockstep worker --help"}});
        m_hand.project = context.options.project.value_or(".");
        m_hand.reference = m_executor == "ref";
        return runTaskByHand(m_hand, context.output);
    }

private:
    int runWork(Result<Json> (*work)(const Json&, WorkChannel&)) const {
        WorkChannel channel(m_fd);
        const auto request = channel.request();
        return channel.finish(request.ok() ? guarded(work, *request, channel) : Result<Json>(request.error()));
    }
    static Result<Json> guarded(Result<Json> (*work)(const Json&, WorkChannel&), const Json& request, WorkChannel& channel) {
        try {
            return work(request, channel);
        } catch (const std::bad_alloc&) {
            return makeError("M901", {{"what", "this work"}, {"size", "more than there is"}, {"reason", "The system has no more for it."}});
        }
    }
    // worker --task=read-keras FILE OUT
    Result<int> readKeras() const {
        if (m_hand.overrides.size() != 1)
            return makeError("X002", {{"what", "FILE and OUT are needed"}, {"help", "lockstep worker --help"}});
        return keras::runReaderTask(m_hand.file, m_hand.overrides.front());
    }

    HandOptions m_hand;
    std::string m_task;
    int m_fd = -1;
    std::string m_run;  // for people who look at ps
    std::string m_rank;
    std::string m_executor = "cpu";
};

}  // namespace

std::unique_ptr<Command> makeWorker() { return std::make_unique<Worker>(); }

}  // namespace lockstep::cli
