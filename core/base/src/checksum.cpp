#include <base/checksum.h>

#include <cstring>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace lockstep {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // Castagnoli, reflected

constexpr auto makeTable() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? value >> 1 ^ kPolynomial : value >> 1;
        table[i] = value;
    }
    return table;
}

std::uint32_t crcByTable(std::uint32_t crc, const std::byte* data, std::size_t size) {
    static constexpr auto kTable = makeTable();
    for (std::size_t i = 0; i < size; ++i) crc = crc >> 8 ^ kTable[(crc ^ static_cast<std::uint32_t>(data[i])) & 0xFF];
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crcByInstruction(std::uint32_t crc, const std::byte* data, std::size_t size) {
    std::uint64_t wide = crc;
    for (; size >= 8; data += 8, size -= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, data, 8);
        wide = _mm_crc32_u64(wide, word);
    }
    return crcByTable(static_cast<std::uint32_t>(wide), data, size);
}
#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous) {
    const std::uint32_t start = ~previous;
#if defined(__x86_64__)
    static const bool hasInstruction = __builtin_cpu_supports("sse4.2") != 0;
    if (hasInstruction) return ~crcByInstruction(start, bytes.data(), bytes.size());
#endif
    return ~crcByTable(start, bytes.data(), bytes.size());
}

Digest sha256(std::span<const std::byte> bytes) {
    Digest digest{};
    unsigned size = 0;
    EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), &size, EVP_sha256(), nullptr);
    return digest;
}

Sha256::Sha256() : m_context(EVP_MD_CTX_new()) { EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(m_context), EVP_sha256(), nullptr); }

Sha256::~Sha256() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(m_context)); }

void Sha256::add(std::span<const std::byte> bytes) { EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(m_context), bytes.data(), bytes.size()); }

Digest Sha256::finish() {
    Digest digest{};
    unsigned size = 0;
    EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(m_context), reinterpret_cast<unsigned char*>(digest.data()), &size);
    return digest;
}

Digest hmacSha256(std::span<const std::byte> key, std::span<const std::byte> message) {
    Digest digest{};
    unsigned size = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(message.data()), message.size(),
         reinterpret_cast<unsigned char*>(digest.data()), &size);
    return digest;
}

bool equalDigests(const Digest& a, const Digest& b) { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

std::string toHex(std::span<const std::byte> bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const auto byte : bytes) {
        text += kDigits[std::to_integer<unsigned>(byte) >> 4];
        text += kDigits[std::to_integer<unsigned>(byte) & 15];
    }
    return text;
}

}  // namespace lockstep
