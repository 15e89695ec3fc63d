#include "format_cases.h"

#include <base/checksum.h>
#include <data/image.h>

using namespace lockstep;
using namespace lockstep::data;

namespace {

Result<Image> decodeFile(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(const std::string bytes, readFile(file));
    return decodeImage(asBytes(bytes), file);
}

int valueOf(const Image& image, std::size_t i) {
    if (image.shape.bits == 8) return std::to_integer<int>(image.values[i]);
    std::uint16_t value;
    std::memcpy(&value, image.values.data() + 2 * i, 2);
    return value;
}

}  // namespace

class ImageTest : public QObject {
    Q_OBJECT
private slots:
    void png_data() { test::addFormatCases("png"); }
    void png() { recorded(); }
    void jpeg_data() { test::addFormatCases("jpg"); }
    void jpeg() { recorded(); }
    // The folder as Keras' image_dataset_from_directory(image_size=(4, 4)) gives it.
    void resizedFolder() {
        const auto folder = test::formatExpectations()["image_folder"];
        const auto& resized = folder["resized_4x4_bilinear"];
        for (std::size_t i = 0; i < folder["files"].size(); ++i) {
            const auto image = decodeFile(test::formatsFolder() / folder["files"][i].get<std::string>());
            VERIFY_OK(image);
            const auto values = resizeBilinear(toChannels(*image, 3), 4, 4);
            QCOMPARE(values.size(), std::size_t(48));
            double sum = 0;
            for (const float value : values) sum += value;
            // TensorFlow decodes JPEG by the fast DCT there; how far that is from the accurate one was measured.
            const double tolerance = differenceOf(folder["files"][i]);
            QVERIFY(std::abs(sum / 48 - resized["mean_of_each"][i].get<double>()) <= tolerance);
            for (std::size_t c = 0; c < 3; ++c)
                QVERIFY(std::abs(double(values[c]) - resized["first_pixel_of_each"][i][c].get<double>()) <= tolerance);
        }
    }
    void channels() {
        const Image colours{
            {1, 2, 4, 8},
            {std::byte{255}, std::byte{0}, std::byte{0}, std::byte{9}, std::byte{10}, std::byte{20}, std::byte{30}, std::byte{0}}};
        const Image grey = toChannels(colours, 1);
        QCOMPARE(valueOf(grey, 0), 76);  // 0.299 · 255
        QCOMPARE(valueOf(grey, 1), 18);  // 0.299 · 10 + 0.587 · 20 + 0.114 · 30
        const Image back = toChannels(grey, 3);
        QVERIFY((back.shape == ImageShape{1, 2, 3, 8}));
        for (std::size_t c = 0; c < 3; ++c) QCOMPARE(valueOf(back, 3 + c), 18);
        const auto wide = decodeFile(test::formatsFolder() / "images-other/gray16.png");
        VERIFY_OK(wide);
        const Image narrow = toChannels(*wide, 1);
        for (std::size_t i = 0; i < 12; ++i) QCOMPARE(valueOf(narrow, i), int(std::lround(valueOf(*wide, i) / 257.0)));
    }
    void largerAndSmaller() {
        Image image{{2, 2, 1, 8}, {std::byte{0}, std::byte{100}, std::byte{200}, std::byte{44}}};
        // Worked by hand: pixel centres at half, edges repeated.
        const std::vector<float> wide = {0, 25, 75, 100};
        const auto values = resizeBilinear(image, 2, 4);
        for (std::size_t i = 0; i < 4; ++i) QCOMPARE(values[i], wide[i]);
        const auto one = resizeBilinear(image, 1, 1);
        QCOMPARE(one[0], 86.0f);
        QVERIFY(resizeToBytes(image, 2, 2).values == image.values);
    }
    void emptyAndHugeHeaders() {
        VERIFY_ERROR(decodeImage({}, "x.png"), "F601");
        auto text = readFile(test::formatsFolder() / "images/cat/rgb.png");
        VERIFY_OK(text);
        text->replace(16, 8, std::string("\x00\x00\x7f\xff\x00\x00\x7f\xff", 8));  // 32767 × 32767
        VERIFY_ERROR(readImageShape(asBytes(*text), "x.png"), "F620");
    }

private:
    static double differenceOf(const std::string& file) {
        const nlohmann::json expected = test::formatExpectations();
        for (const auto& one : expected["files"])
            if (one["file"] == file) return std::max(1e-4, one["pillow_vs_tensorflow_max_diff"].get<double>());
        return 0;
    }
    static void recorded() {
        QFETCH(QString, text);
        const auto one = nlohmann::json::parse(text.toStdString());
        const auto image = decodeFile(test::formatsFolder() / one["file"].get<std::string>());
        // A picture under another name is read by its content.
        if (one.value("severity_also", "") == "ok") {
            VERIFY_OK(image);
            return;
        }
        QCOMPARE(image.ok(), one["ok"].get<bool>());
        if (!image.ok()) return test::compareError(image.error(), one);
        compareValues(*image, one);
    }
    static void compareValues(const Image& stored, const nlohmann::json& one) {
        const auto shape = one["shape"].get<std::vector<std::int64_t>>();
        const int listed = one.value("channels_listed", static_cast<int>(shape[2]));
        const Image image = stored.shape.bits == 16 || listed == 4 ? stored : toChannels(stored, listed);
        QCOMPARE(image.shape.height, shape[0]);
        QCOMPARE(image.shape.width, shape[1]);
        QCOMPARE(image.shape.bits, one["dtype"] == "uint16" ? 16 : 8);
        QCOMPARE(image.shape.channels, listed);
        const auto& values = one.contains("all_values") ? one["all_values"] : one["first"];
        const int tolerance = one.value("tolerance", 0);
        for (std::size_t i = 0; i < values.size(); ++i) QVERIFY(std::abs(valueOf(image, i) - values[i].get<int>()) <= tolerance);
        if (one.contains("data_crc32")) QCOMPARE(test::crcText(image.values), one["data_crc32"].get<std::string>());
        const Image three = toChannels(stored, 3);
        QCOMPARE(three.values.size(), std::size_t(3 * shape[0] * shape[1]));
    }
};

LOCKSTEP_TEST(ImageTest)
#include "image_test.moc"
