// How the end of a process reads to a person.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::control {

std::string howItEnded(int exitCode, int signal);   // "signal 9 (Killed)", "exit code 3"
std::string whatItMeans(int exitCode, int signal);  // one or two sentences

// Whether a rank's error only says that another rank has ended or that the group was given up.
bool isConsequence(std::string_view code);

}  // namespace lockstep::control
