// Whether mixed_bfloat16 pays on a processor, in words. Values, thread safe.
#pragma once

#include <cluster/doctor.h>

#include <string>

namespace lockstep::cluster {

struct Bfloat16Speed {
    bool products = false;  // the processor multiplies bfloat16
    double ratio = 0;       // measured speed of such products over that of float32
    bool operator==(const Bfloat16Speed&) const = default;
};

// From here on a training step gains from it; below, the casts and roundings around the products eat it up.
inline constexpr double kBfloat16Pays = 1.8;
bool bfloat16Pays(const Bfloat16Speed& speed);

// "bf16 products run 2.1 × as fast as float32", or "bf16 is slower on this CPU: …".
std::string bfloat16Sentence(const Bfloat16Speed& speed);

// The doctor's line "bf16". Nothing is wrong with a processor that has none.
DoctorCheck checkBfloat16(const Bfloat16Speed& speed);

}  // namespace lockstep::cluster
