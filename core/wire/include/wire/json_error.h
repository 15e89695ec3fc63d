// Errors as JSON text, on sockets and in files: {"code","message","cause","next","trail","exit_code"}.
#pragma once

#include <base/error.h>

#include <string>
#include <string_view>

namespace lockstep::wire {

std::string errorToJson(const Error& error);
// What the text says; the error N411 when it says none.
Error errorFromJson(std::string_view json);

}  // namespace lockstep::wire
