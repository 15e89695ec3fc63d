#include <api/checks.h>

namespace lockstep::api {

std::string_view nameOfStatus(CheckStatus status) {
    switch (status) {
        case CheckStatus::Pass: return "pass";
        case CheckStatus::Warn: return "warn";
        case CheckStatus::Fail: return "fail";
        case CheckStatus::Skipped: return "skipped";
    }
    return "fail";
}

std::string_view nameOfVerdict(Verdict verdict) {
    switch (verdict) {
        case Verdict::Ok: return "ok";
        case Verdict::Warning: return "warn";
        case Verdict::Error: return "error";
    }
    return "error";
}

}  // namespace lockstep::api
