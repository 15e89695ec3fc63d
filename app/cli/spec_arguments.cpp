#include "spec_arguments.h"

namespace lockstep::cli {

void SpecArguments::declare(CLI::App& parser) {
    parser.add_option("SPEC", m_file, "Run specification (YAML)")->required()->type_name("");
    parser.add_option("key=value", m_overrides, "Changes of single keys, e.g. training.epochs=1 cluster.hosts.0.devices='[\"cpu:0\"]'")
        ->type_name("");
}

Result<api::SpecSource> SpecArguments::source() const {
    for (const auto& word : m_overrides)
        if (word.find('=') == std::string::npos || word.front() == '=')
            return makeError("X002", {{"what", "\"" + word + "\" is no key=value"}, {"help", "lockstep run --help"}});
    return api::SpecSource{m_file, std::nullopt, m_overrides};
}

}  // namespace lockstep::cli
