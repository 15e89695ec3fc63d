#include <support/test.h>

#include <base/checksum.h>
#include <base/random.h>
#include <telemetry/codec.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {

bool sameBits(const std::vector<Point>& a, const std::vector<Point>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Point& x, const Point& y) {
               return x.step == y.step && std::bit_cast<std::uint64_t>(x.time) == std::bit_cast<std::uint64_t>(y.time) &&
                      std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
           });
}

std::uint64_t bits(Philox& random) { return std::uint64_t{random.nextU32()} << 32 | random.nextU32(); }

void verifyRoundTrip(const std::vector<Point>& points) {
    const auto coded = encodePoints(points);
    const auto back = decodePoints(asBytes(coded), "test");
    VERIFY_OK(back);
    QVERIFY(sameBits(*back, points));
}

std::vector<Point> curve(std::size_t count) {
    Philox random(3, 1);
    std::vector<Point> points;
    for (std::size_t i = 0; i < count; ++i)
        points.push_back({i + 1, 1.77e9 + 0.01 * double(i) + 1e-4 * random.nextDouble(),
                          float(2.3 * std::exp(-double(i) / 900) + 0.05 * random.nextDouble())});
    return points;
}

}  // namespace

class CodecTest : public QObject {
    Q_OBJECT
private slots:
    void edges() {
        verifyRoundTrip({});
        const double nan = std::bit_cast<double>(0x7FF8DEADBEEF0001ull);
        const auto most = std::numeric_limits<std::uint64_t>::max();
        verifyRoundTrip({{0, 0, -0.0}, {most, nan, -nan}, {0, std::numeric_limits<double>::infinity(), 5e-324}, {most / 2, -1, nan}});
    }
    void anyBits() {
        Philox random(1, 1);
        for (int round = 0; round < 300; ++round) {
            std::vector<Point> points(random.nextBelow(60));
            for (auto& point : points) {
                const unsigned narrow = random.nextBelow(64);
                point = {bits(random) >> narrow, std::bit_cast<double>(bits(random)), std::bit_cast<double>(bits(random) << narrow)};
            }
            verifyRoundTrip(points);
            if (QTest::currentTestFailed()) return;
        }
    }
    void realCurvesShrink() {
        const auto points = curve(4096);
        verifyRoundTrip(points);
        const auto size = encodePoints(points).size();
        QVERIFY2(size < points.size() * 12, std::to_string(size).c_str());  // half of the plain 24 bytes
    }
    void everyDamagedBitIsNoticed() {
        const auto coded = encodePoints(curve(40));
        for (std::size_t bit = 0; bit < coded.size() * 8; ++bit) {
            auto damaged = coded;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
            VERIFY_ERROR(decodePoints(asBytes(damaged), "test"), "F614");
        }
        for (std::size_t size = 0; size < coded.size(); ++size) VERIFY_ERROR(decodePoints(asBytes(coded).first(size), "test"), "F614");
        VERIFY_ERROR(decodePoints(asBytes(coded), "test", 39), "F614");
    }
    // Bytes with a right checksum and wrong content: bounded, never read past the end (run with the sanitizers).
    void hostileBytes() {
        Philox random(7, 1);
        int accepted = 0;
        for (int round = 0; round < 20000; ++round) {
            std::string bytes(1, '\1');
            const auto size = 1 + random.nextBelow(40);
            for (unsigned i = 0; i < size; ++i) bytes += static_cast<char>(i == 0 ? random.nextBelow(20) : random.nextU32());
            const auto checksum = crc32c(asBytes(bytes));
            for (unsigned byte = 0; byte < 4; ++byte) bytes += static_cast<char>(checksum >> 8 * byte);
            const auto points = decodePoints(asBytes(bytes), "test", 1000);
            if (points.ok()) {
                ++accepted;
                QVERIFY(points->size() <= 13);
            } else {
                VERIFY_ERROR(points, "F614");
            }
        }
        QVERIFY(accepted > 0);
        std::string huge("\1\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1", 11);
        const auto checksum = crc32c(asBytes(huge));
        for (unsigned byte = 0; byte < 4; ++byte) huge += static_cast<char>(checksum >> 8 * byte);
        VERIFY_ERROR(decodePoints(asBytes(huge), "test"), "F614");
    }
};

LOCKSTEP_TEST(CodecTest)
#include "codec_test.moc"
