// Named threads and processor placement.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace lockstep {

// A joining thread whose name (≤ 15 characters) shows in ps and debuggers. Every thread of the program is made here and listed in
// the architecture page.
std::jthread startThread(std::string name, std::function<void(std::stop_token)> body);

// Binds the calling thread to these processors; empty = leave as it is. False when the system refuses.
bool pinThisThread(std::span<const int> processors);

// The processors this process may use, ascending.
std::vector<int> usableProcessors();

}  // namespace lockstep
