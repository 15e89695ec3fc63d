// What a rank will hold, and what happens when there is not enough of it.
#pragma once

#include <base/error.h>
#include <plan/plan.h>
#include <spec/run_spec.h>
#include <train/rank.h>

#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace lockstep::cli {

// Plans by the planning of the executor that ranks use.
plan::Sizer makeSizer(bool reference);

// Looks, once the executor knows what it needs and before it takes it, whether this process can have it: the error of options.compile is
// then M903 with the next remedy. `spec` and `plan` outlive the training.
void guardMemory(train::RankOptions& options, const spec::RunSpec& spec, const plan::Plan& plan);

// Whether a std::bad_alloc was thrown, or the lack of memory for a thread.
bool isLackOfMemory(const std::exception_ptr& thrown);

// While it lives, lack of memory on any thread of this process, where nothing catches it, ends the process with M904 told and its exit
// code, never with a bare abort. One at a time.
class LastWord {
public:
    // `tell` is called on the thread that found none, once. `plan` outlives this object.
    LastWord(const plan::Plan& plan, int rank, std::function<void(const Error&)> tell);
    ~LastWord();
    LastWord(const LastWord&) = delete;
    LastWord& operator=(const LastWord&) = delete;

    // From now on it would be "in the phase training". Called by one thread.
    void during(std::string when);
    // M904, after giving back a reserve to build and tell it with.
    Error error();
    [[noreturn]] void say();

private:
    const plan::Plan& m_plan;
    int m_rank;
    std::function<void(const Error&)> m_tell;
    std::unique_ptr<char[]> m_ballast;
    std::deque<std::string> m_phases;  // keeps what m_when points to
    std::atomic<const std::string*> m_when{nullptr};
};

}  // namespace lockstep::cli
