#include "idx_files.h"

#include <support/scratch.h>
#include <support/test.h>

#include <base/ids.h>
#include <data/dataset.h>

using namespace lockstep;
using namespace lockstep::data;

namespace {

LoadOptions options(const test::Scratch& scratch, const std::string& dataset = "idx") {
    LoadOptions options;
    options.dataset = dataset;
    options.folder = scratch.path();
    options.cacheFolder = scratch / "cache";
    return options;
}

}  // namespace

class DatasetTest : public QObject {
    Q_OBJECT
private slots:
    // Of a compressed file only the beginning is needed: here the rest of the pictures is missing.
    void factsFromHeaders() {
        for (const bool compressed : {false, true}) {
            test::Scratch scratch;
            test::writeDataset(scratch.path(), 40, 5);
            const auto pictures = scratch / "train-images-idx3-ubyte";
            if (compressed) {
                test::writeGzip(pictures.string() + ".gz", test::idxBytes({5000, 28, 30, 3}, randomHex(2000 * 28 * 45)));
                std::filesystem::remove(pictures);
                test::writeGzip(scratch / "train-labels-idx1-ubyte.gz", test::labels(5000));
                std::filesystem::remove(scratch / "train-labels-idx1-ubyte");
                std::filesystem::resize_file(pictures.string() + ".gz", 100000);
            }
            const auto facts = readDatasetFacts(options(scratch));
            VERIFY_OK(facts);
            QVERIFY((facts->featureShape == (compressed ? std::vector<std::int64_t>{28, 30, 3} : std::vector<std::int64_t>{2, 2, 1})));
            QCOMPARE(facts->rows, compressed ? 5000 : 40);
            QCOMPARE(facts->validationRows, 5);
            QCOMPARE(facts->classes, 3);
            QVERIFY(!std::filesystem::exists(scratch / "cache"));
            QCOMPARE(loadDataset(options(scratch)).ok(), !compressed);
        }
    }
    void factsOfBadFiles() {
        test::Scratch scratch;
        VERIFY_ERROR(readDatasetFacts(options(scratch)), "F602");
        VERIFY_ERROR(readDatasetFacts(options(scratch, "cifar")), "F617");
        test::writeDataset(scratch.path(), 40, 5);
        test::writeBytes(scratch / "train-labels-idx1-ubyte", test::labels(39));
        VERIFY_ERROR(readDatasetFacts(options(scratch)), "F612");
        test::writeBytes(scratch / "train-labels-idx1-ubyte", test::pictures(40));
        VERIFY_ERROR(readDatasetFacts(options(scratch)), "F601");
    }
    void mnist() {
        test::Scratch scratch;
        LoadOptions options;
        options.folder = test::sourceDir() / "resources/data/mnist";
        options.cacheFolder = scratch / "cache";
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QCOMPARE(dataset->train.rows, 60000);
        QCOMPARE(dataset->validation.rows, 10000);
        QVERIFY((dataset->train.featureShape == std::vector<std::int64_t>{28, 28, 1}));
        QCOMPARE(dataset->train.features.size(), std::size_t(60000) * 784);
        QCOMPARE(dataset->classes, 10);
        QCOMPARE(int(dataset->train.labels[0]), 5);
        QCOMPARE(int(dataset->validation.labels[0]), 7);
        // The sum of all pixels of the training pictures: their published mean is 0.1307 of 255.
        double sum = 0;
        for (const std::byte pixel : dataset->train.features) sum += std::to_integer<int>(pixel);
        QVERIFY(std::abs(sum / (60000.0 * 784) / 255.0 - 0.1307) < 5e-5);
    }
    void ownFiles() {
        test::Scratch scratch;
        test::writeDataset(scratch.path(), 7, 2);
        const auto dataset = loadDataset(options(scratch));
        VERIFY_OK(dataset);
        QCOMPARE(dataset->train.rows, 7);
        QCOMPARE(dataset->validation.rows, 2);
        QCOMPARE(dataset->classes, 3);
        QCOMPARE(std::to_integer<int>(dataset->train.features[4 * 5 + 2]), 16 * 5 + 2);
        QVERIFY(!std::filesystem::exists(scratch / "cache"));  // nothing to inflate
    }
    void withoutTestFiles() {
        test::Scratch scratch;
        test::writeDataset(scratch.path(), 4, 2);
        std::filesystem::remove(scratch / "t10k-images-idx3-ubyte");
        VERIFY_ERROR(loadDataset(options(scratch)), "F602");
        std::filesystem::remove(scratch / "t10k-labels-idx1-ubyte");
        const auto dataset = loadDataset(options(scratch));
        VERIFY_OK(dataset);
        QCOMPARE(dataset->validation.rows, 0);
    }
    void labelsAndPicturesDiffer() {
        test::Scratch scratch;
        test::writeDataset(scratch.path(), 4, 2);
        test::writeBytes(scratch / "train-labels-idx1-ubyte", test::labels(5));
        const auto dataset = loadDataset(options(scratch));
        VERIFY_ERROR(dataset, "F612");
        QVERIFY(dataset.error().message.find("4 pictures") != std::string::npos);
        QVERIFY(dataset.error().message.find("5 labels") != std::string::npos);
    }
    void oneArrayIsNoDataSet() {
        test::Scratch scratch;
        LoadOptions load = options(scratch, "npy");
        load.folder = test::sourceDir() / "tests/fixtures/formats/npy/v3-u1.npy";
        const auto dataset = loadDataset(load);
        VERIFY_ERROR(dataset, "F626");
        QVERIFY(dataset.error().cause.find("y_train.npy") != std::string::npos);
    }
    void labelOutOfRange() {
        test::Scratch scratch;
        test::writeDataset(scratch.path(), 4, 2);
        test::writeBytes(scratch / "train-labels-idx1-ubyte", test::idxBytes({4}, std::string("\x01\x02\x0a\x03", 4)));
        const auto dataset = loadDataset(options(scratch, "mnist"));
        VERIFY_ERROR(dataset, "F613");
        QVERIFY2(dataset.error().message.find("row 2 (byte 10): label 10") != std::string::npos, dataset.error().message.c_str());
    }
    void swappedFiles() {
        test::Scratch scratch;
        test::writeDataset(scratch.path(), 4, 2);
        test::writeBytes(scratch / "train-labels-idx1-ubyte", test::pictures(4));
        VERIFY_ERROR(loadDataset(options(scratch)), "F601");
        test::writeBytes(scratch / "train-images-idx3-ubyte", test::labels(4));
        VERIFY_ERROR(loadDataset(options(scratch)), "F601");
    }
    void wrongTypeEmptyAndUnknown() {
        test::Scratch scratch;
        test::writeDataset(scratch.path(), 4, 2);
        VERIFY_ERROR(loadDataset(options(scratch, "imagenet")), "F617");
        test::writeBytes(scratch / "train-images-idx3-ubyte", test::idxBytes({0, 28, 28}, ""));
        test::writeBytes(scratch / "train-labels-idx1-ubyte", test::idxBytes({0}, ""));
        VERIFY_ERROR(loadDataset(options(scratch)), "F601");
        std::filesystem::copy_file(test::sourceDir() / "tests/fixtures/formats/idx/float.idx2", scratch / "train-images.idx3-ubyte");
        std::filesystem::remove(scratch / "train-images-idx3-ubyte");
        const auto dataset = loadDataset(options(scratch));
        VERIFY_ERROR(dataset, "F601");
        QVERIFY2(dataset.error().message.find("byte 2: expected 0x08 (bytes), found 0x0d") != std::string::npos,
                 dataset.error().message.c_str());
    }
    void testPicturesOfAnotherSize() {
        test::Scratch scratch;
        test::writeDataset(scratch.path(), 4, 2);
        test::writeBytes(scratch / "t10k-images-idx3-ubyte", test::idxBytes({2, 3, 1}, "abcdef"));
        VERIFY_ERROR(loadDataset(options(scratch)), "F601");
    }
};

LOCKSTEP_TEST(DatasetTest)
#include "dataset_test.moc"
