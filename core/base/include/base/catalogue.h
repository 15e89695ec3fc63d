// Every error the program can report: code, sentence, cause, next step, exit code. Codes are stable: never renumber, never reuse.
//
// Families: H hosts, D devices, T TF_CONFIG, S specification, N network and ports, R run, F files and data, C checkpoint,
// M memory, P programs that must exist, X internal.
#pragma once

#include <span>
#include <string_view>

namespace lockstep {

struct CatalogueRow {
    std::string_view code;
    std::string_view sentence;  // with {placeholders}
    std::string_view cause;
    std::string_view next;
    int exitCode;
};

// The row of `code`, or nullptr.
const CatalogueRow* findCatalogueRow(std::string_view code);

// All rows, family by family, ascending inside a family.
std::span<const CatalogueRow> catalogueRows();

}  // namespace lockstep
