// What keys a specification has: for editors, help texts and documentation.
#pragma once

#include <string>
#include <vector>

namespace lockstep::spec {

struct KeyInfo {
    std::string path;                  // "cluster.hosts[].devices"
    std::string fallback;              // default as YAML; empty: required
    bool supported = false;            // by this build
    std::string part;                  // which part of the program builds it
    std::vector<std::string> choices;  // supported values, where they are words
    std::string help;
};

std::vector<KeyInfo> runSpecKeys();

// JSON schema (draft 2020-12) of the keys this build supports; shipped as resources/schema/run-spec.schema.json.
std::string runSpecSchema();

}  // namespace lockstep::spec
