#include <base/ids.h>

#include <base/checksum.h>

#include <fcntl.h>
#include <sys/random.h>
#include <array>
#include <cctype>
#include <cstdio>
#include <ctime>
#include <vector>

namespace lockstep {

std::string randomHex(std::size_t bytes) {
    std::vector<std::byte> raw(bytes);
    std::size_t got = 0;
    while (got < bytes) {
        const auto n = getrandom(raw.data() + got, bytes - got, 0);
        if (n > 0) got += static_cast<std::size_t>(n);
    }
    return toHex(raw);
}

RunId newRunId() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S-", &parts);
    return {std::string(text.data()) + randomHex(2)};
}

bool isRunId(std::string_view text) {
    constexpr std::string_view kForm = "dddddddd-dddddd-xxxx";
    if (text.size() != kForm.size()) return false;
    for (std::size_t i = 0; i < kForm.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool fits = kForm[i] == '-' ? c == '-' : kForm[i] == 'd' ? std::isdigit(c) != 0 : std::isxdigit(c) != 0;
        if (!fits) return false;
    }
    return true;
}

std::string RunId::shortHex() const {
    const Digest digest = sha256(asBytes(value));
    return toHex(std::span(digest).first<4>());
}

}  // namespace lockstep
