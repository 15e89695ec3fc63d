// Checksums and digests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

// CRC-32C (Castagnoli), as used by TensorBoard records and our checkpoints; hardware instruction where there is one.
// Chain by passing the previous value.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous = 0);

using Digest = std::array<std::byte, 32>;
Digest sha256(std::span<const std::byte> bytes);
// The same of bytes that come one after the other. One thread at a time.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;
    void add(std::span<const std::byte> bytes);
    Digest finish();  // once

private:
    void* m_context;
};
// HMAC-SHA-256.
Digest hmacSha256(std::span<const std::byte> key, std::span<const std::byte> message);
// Comparison in constant time.
bool equalDigests(const Digest& a, const Digest& b);
std::string toHex(std::span<const std::byte> bytes);

inline std::span<const std::byte> asBytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

}  // namespace lockstep
