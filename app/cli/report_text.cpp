#include "report_text.h"

namespace lockstep::cli {

std::string findingText(const Output& output, const api::Finding& finding) {
    const auto style = finding.severity == api::Verdict::Ok        ? Style::Good
                       : finding.severity == api::Verdict::Warning ? Style::Warn
                                                                   : Style::Bad;
    const std::string word(api::nameOfVerdict(finding.severity));
    std::string text = output.onStdout(style, word) + std::string(7 - word.size(), ' ') + finding.code + "  " +
                       (finding.machine.empty() ? "" : finding.machine + ": ");
    if (finding.line > 0) text += "line " + std::to_string(finding.line) + ", column " + std::to_string(finding.column) + ": ";
    text += finding.message;
    if (!finding.next.empty()) text += "\n       next: " + finding.next;
    return text;
}

}  // namespace lockstep::cli
