#include <workbench/controller_report.h>

#include <base/checksum.h>
#include <wire/json_error.h>

#include <nlohmann/json.hpp>

namespace lockstep::workbench {
namespace {

using Json = nlohmann::ordered_json;

std::string lineOf(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

void ControllerReport::started(const RunId& run, const std::filesystem::path& folder) {
    write(lineOf({{"started", {{"run", run.value}, {"folder", folder.string()}}}}));
}

void ControllerReport::state(std::string_view state, const std::string& cause) {
    write(lineOf({{"state", {{"state", state}, {"cause", cause}}}}));
}

void ControllerReport::error(const Error& error) { write("{\"error\":" + wire::errorToJson(error) + "}\n"); }

void ControllerReport::write(const std::string& line) {
    if (!m_fd.valid()) return;
    // The client may have gone; the run does not depend on it.
    if (!writeAll(m_fd.get(), asBytes(line), "report").ok()) m_fd.reset();
}

}  // namespace lockstep::workbench
