// Speed and support of every op case: microseconds per run on one core, by executor.
//   op_bench [--filter TEXT]
#include <case_run.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

using namespace lockstep;
using namespace lockstep::opcases;

namespace {

// Median of nine runs, at most 50 ms in all; below zero: not supported.
Result<double> microseconds(const OpCase& opCase, exec::Executor& executor) {
    LS_TRY_ASSIGN(CaseRun run, CaseRun::create(opCase, graph::DType::F32, executor, {}));
    LS_TRY(run.run());
    std::vector<double> times;
    double total = 0;
    while (times.size() < 9 && total < 0.05) {
        const auto before = std::chrono::steady_clock::now();
        LS_TRY(run.run());
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
        total += times.back();
    }
    std::ranges::sort(times);
    return 1e6 * times[times.size() / 2];
}

void printCell(const Result<double>& time) {
    if (time.ok())
        std::printf(" %12.1f", *time);
    else
        std::printf(" %12s", time.error().code.c_str());
}

}  // namespace

int main(int count, char** arguments) {
    const std::string filter = count == 3 && std::string(arguments[1]) == "--filter" ? arguments[2] : "";
    const auto ref = exec::ref::makeRefExecutor();
    const auto cpu = exec::cpu::makeCpuExecutor();
    std::printf("%-56s %12s %12s\n", "case", "ref us", "cpu us");
    for (const auto& opCase : caseList()) {
        if (opCase.name.find(filter) == std::string::npos) continue;
        std::printf("%-56s", opCase.name.c_str());
        printCell(microseconds(opCase, *ref));
        printCell(microseconds(opCase, *cpu));
        std::printf("\n");
    }
    return 0;
}
