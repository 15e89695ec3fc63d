#include <cluster/bfloat16.h>

#include <cmath>
#include <cstdio>

namespace lockstep::cluster {
namespace {

std::string times(double ratio) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f ×", std::floor(10 * ratio) / 10);
    return text;
}

}  // namespace

bool bfloat16Pays(const Bfloat16Speed& speed) { return speed.products && speed.ratio >= kBfloat16Pays; }

std::string bfloat16Sentence(const Bfloat16Speed& speed) {
    if (!speed.products) return "bf16 is slower on this CPU: it has no bf16 products, so they are computed in float32 and rounded";
    const std::string measured = "products run " + times(speed.ratio) + " as fast as float32";
    if (bfloat16Pays(speed)) return "bf16 " + measured;
    if (speed.ratio <= 1) return "bf16 is slower on this CPU: " + measured;
    return "bf16 is slower on this CPU for training: " + measured + ", and a step gains from " + times(kBfloat16Pays) + " on";
}

DoctorCheck checkBfloat16(const Bfloat16Speed& speed) { return {"bf16", CheckStatus::Pass, bfloat16Sentence(speed), "", ""}; }

}  // namespace lockstep::cluster
