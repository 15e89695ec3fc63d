#include "data_files.h"

#include <support/scratch.h>
#include <support/test.h>

#include <filesystem>

using namespace lockstep;
using namespace lockstep::data;
namespace fs = std::filesystem;

namespace {

using Labels = std::vector<std::int32_t>;
using Shape = std::vector<std::int64_t>;

Labels labelsOf(const Split& split) { return {split.labels.begin(), split.labels.end()}; }

fs::path formats() { return test::sourceDir() / "tests/fixtures/formats"; }

// Facts must say what loading gives.
void compareFacts(const LoadOptions& options, const Dataset& dataset) {
    for (const fs::path& cache : {fs::path(), options.cacheFolder}) {
        LoadOptions asked = options;
        asked.cacheFolder = cache;
        const auto facts = readDatasetFacts(asked);
        VERIFY_OK(facts);
        QVERIFY(facts->featureShape == dataset.train.featureShape);
        QCOMPARE(facts->rows, dataset.train.rows);
        QCOMPARE(facts->validationRows, dataset.validation.rows);
        QCOMPARE(facts->classes, dataset.classes);
        QVERIFY(facts->element == dataset.train.element);
        QCOMPARE(facts->targetWidth, dataset.train.targetWidth);
    }
}

std::string cifarRecord(int label, char first) {
    return std::string(1, static_cast<char>(label)) + std::string(1024, first) + std::string(2048, 'x');
}

}  // namespace

class SourcesTest : public QObject {
    Q_OBJECT
private slots:
    void cifar() {
        test::Scratch scratch;
        const fs::path folder = scratch / "cifar-10-batches-bin";
        fs::create_directories(folder);
        auto options = test::loadOptions("cifar10", scratch.path(), scratch / "cache");
        test::writeBytes(scratch / "cifar-10-binary.tar.gz", "x");
        const auto packed = loadDataset(options);
        VERIFY_ERROR(packed, "F602");
        QVERIFY(packed.error().next.find("tar xzf") != std::string::npos);
        test::writeBytes(folder / "data_batch_1.bin", cifarRecord(3, 'a') + cifarRecord(9, 'b'));
        test::writeBytes(folder / "data_batch_2.bin", cifarRecord(1, 'c'));
        test::writeBytes(folder / "test_batch.bin", cifarRecord(0, 'd'));
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QVERIFY(labelsOf(dataset->train) == (Labels{3, 9, 1}));
        QVERIFY(labelsOf(dataset->validation) == (Labels{0}));
        QCOMPARE(test::byteAt(dataset->train, 2 * 3072 + 3), int('c'));
        QCOMPARE(test::byteAt(dataset->train, 2 * 3072 + 4), int('x'));
        compareFacts(options, *dataset);
        // A changed file is decoded anew, a damaged one refused.
        test::writeBytes(folder / "data_batch_2.bin", cifarRecord(7, 'e'));
        const auto again = loadDataset(options);
        VERIFY_OK(again);
        QVERIFY(labelsOf(again->train) == (Labels{3, 9, 7}));
        test::writeBytes(folder / "data_batch_2.bin", cifarRecord(10, 'e'));
        VERIFY_ERROR(loadDataset(options), "F613");
    }
    void npyBytesAreMapped() {
        test::Scratch scratch;
        test::writeBytes(scratch / "x_train.npy", test::npyBytes("|u1", "(3, 2, 2)", "abcdefghijkl"));
        test::writeBytes(scratch / "y_train.npy", test::npyBytes("<i8", "(3,)", test::bytesOf(std::vector<std::int64_t>{2, 0, 1})));
        test::writeBytes(scratch / "x_test.npy", test::npyBytes("|u1", "(1, 2, 2)", "mnop"));
        test::writeBytes(scratch / "y_test.npy", test::npyBytes("|b1", "(1, 1)", "\x01"));
        const auto options = test::loadOptions("npy", scratch.path(), scratch / "cache");
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QVERIFY(dataset->train.featureShape == (Shape{2, 2, 1}));
        QVERIFY(dataset->train.element == Element::U8);
        QVERIFY(labelsOf(dataset->train) == (Labels{2, 0, 1}));
        QVERIFY(labelsOf(dataset->validation) == (Labels{1}));
        QCOMPARE(dataset->classes, 3);
        QCOMPARE(test::byteAt(dataset->train, 5), int('f'));
        QVERIFY(!fs::exists(scratch / "cache"));
        compareFacts(options, *dataset);
    }
    // Other types and orders, names of one's own, and numbers as targets: through the cache.
    void npyNumbers() {
        test::Scratch scratch;
        test::writeBytes(
            scratch / "a.npy",
            test::npyBytes(">f8", "(2, 3)", std::string("\x3f\xf8\0\0\0\0\0\0\xbf\xf0\0\0\0\0\0\0", 16) + std::string(32, '\0')));
        test::writeBytes(scratch / "b.npy", test::npyBytes("<f4", "(2, 2)", test::bytesOf(std::vector<float>{0.5f, 1, -2, 3})));
        auto options = test::loadOptions("npy", scratch.path(), scratch / "cache");
        const auto missing = loadDataset(options);
        VERIFY_ERROR(missing, "F624");
        QVERIFY(missing.error().cause.find("a, b") != std::string::npos);
        options.features = {"a"};
        options.label = "b";
        VERIFY_ERROR(loadDataset(options), "F601");  // two labels in a row
        options.target = Target::Values;
        options.shape = {3, 1};
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QVERIFY(dataset->train.featureShape == (Shape{3, 1}));
        QCOMPARE(test::floatAt(dataset->train, 0), 1.5f);
        QCOMPARE(test::floatAt(dataset->train, 1), -1.0f);
        QCOMPARE(dataset->train.targetWidth, 2);
        QCOMPARE(dataset->train.targets[2], -2.0f);
        QVERIFY(dataset->train.labels.empty());
        compareFacts(options, *dataset);
        options.shape = {4};
        VERIFY_ERROR(loadDataset(options), "F628");
    }
    void npyMisfits() {
        test::Scratch scratch;
        const auto options = test::loadOptions("npy", scratch.path(), scratch / "cache");
        test::writeBytes(scratch / "x.npy", test::npyBytes("|u1", "(2, 2)", "abcd"));
        test::writeBytes(scratch / "y.npy", test::npyBytes("|u1", "(3,)", std::string(3, '\0')));
        VERIFY_ERROR(loadDataset(options), "F612");
        test::writeBytes(scratch / "y.npy", test::npyBytes("<f4", "(2,)", test::bytesOf(std::vector<float>{1, 0.5f})));
        const auto half = loadDataset(options);
        VERIFY_ERROR(half, "F627");
        QVERIFY2(half.error().message.find("row 1 (byte 4)") != std::string::npos, half.error().message.c_str());
        test::writeBytes(scratch / "y.npy", test::npyBytes("|i1", "(2,)", "\xff\x01"));
        VERIFY_ERROR(loadDataset(options), "F627");
    }
    void npz() {
        test::Scratch scratch;
        const auto options = test::loadOptions("npy", formats() / "npz/mnist-like.npz", scratch / "cache");
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QVERIFY(dataset->train.featureShape == (Shape{4, 5, 1}));
        QVERIFY(labelsOf(dataset->train) == (Labels{7, 0, 9}));
        QVERIFY(labelsOf(dataset->validation) == (Labels{7}));
        QCOMPARE(dataset->classes, 10);
        QCOMPARE(test::byteAt(dataset->train, 3), 21);
        compareFacts(options, *dataset);
    }
    void csvWithWords() {
        test::Scratch scratch;
        test::writeBytes(scratch / "train.csv", "x1,label,x2\n1,dog,0.5\n-3,cat,1e-3\n2,dog,7\n");
        test::writeBytes(scratch / "test.csv", "x1,label,x2\n4,cat,5\n");
        auto options = test::loadOptions("csv", scratch.path(), scratch / "cache");
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QVERIFY(dataset->classNames == (std::vector<std::string>{"cat", "dog"}));
        QVERIFY(labelsOf(dataset->train) == (Labels{1, 0, 1}));
        QVERIFY(labelsOf(dataset->validation) == (Labels{0}));
        QVERIFY(dataset->train.featureShape == (Shape{2}));
        QCOMPARE(test::floatAt(dataset->train, 3), 1e-3f);
        compareFacts(options, *dataset);
        test::writeBytes(scratch / "test.csv", "x1,label,x2\n4,cow,5\n");
        VERIFY_ERROR(loadDataset(options), "F627");
        options.folder = scratch / "train.csv";
        options.features = {"x2"};
        const auto one = loadDataset(options);
        VERIFY_OK(one);
        QVERIFY(one->train.featureShape == (Shape{1}));
        QCOMPARE(one->validation.rows, 0);
        options.features = {"x3"};
        VERIFY_ERROR(loadDataset(options), "F624");
    }
    void csvWithoutNames() {
        test::Scratch scratch;
        test::writeBytes(scratch / "x.csv", "0,0,1,1,2\n5,6,7,8,0\n");
        auto options = test::loadOptions("csv", scratch / "x.csv", scratch / "cache");
        options.shape = {2, 2, 1};
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QVERIFY(dataset->train.featureShape == (Shape{2, 2, 1}));
        QVERIFY(labelsOf(dataset->train) == (Labels{2, 0}));
        QCOMPARE(dataset->classes, 3);
        options.label = "0";
        options.shape.clear();
        const auto other = loadDataset(options);
        VERIFY_OK(other);
        QVERIFY(labelsOf(other->train) == (Labels{0, 5}));
        options.target = Target::Values;
        const auto targets = loadDataset(options);
        VERIFY_OK(targets);
        QCOMPARE(targets->train.targets[1], 5.0f);
        test::writeBytes(scratch / "x.csv", "a,label\n1,0\n,1\n");
        const auto empty = loadDataset(test::loadOptions("csv", scratch / "x.csv", scratch / "cache"));
        VERIFY_ERROR(empty, "F621");
        QVERIFY2(empty.error().message.find("line 3") != std::string::npos, empty.error().message.c_str());
    }
    void imageFolder() {
        test::Scratch scratch;
        auto options = test::loadOptions("image_folder", formats() / "images", scratch / "cache");
        VERIFY_ERROR(loadDataset(options), "F623");  // sizes differ
        options.shape = {4, 4};
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QVERIFY(dataset->classNames == (std::vector<std::string>{"cat", "dog"}));
        QVERIFY(labelsOf(dataset->train) == (Labels{0, 0, 1, 1}));
        QVERIFY(dataset->train.featureShape == (Shape{4, 4, 3}));
        QCOMPARE(test::byteAt(dataset->train, 48 + 2), 255);  // rgb.png
        compareFacts(options, *dataset);
        options.shape = {4, 4, 1};
        const auto grey = loadDataset(options);
        VERIFY_OK(grey);
        QVERIFY(grey->train.featureShape == (Shape{4, 4, 1}));
        options.shape = {4};
        VERIFY_ERROR(loadDataset(options), "F626");
        options.folder = scratch.path();
        options.shape.clear();
        VERIFY_ERROR(loadDataset(options), "F622");
    }
    void imageFolderWithValidation() {
        test::Scratch scratch;
        for (const char* part : {"train", "val"})
            for (const char* name : {"cat", "dog"}) fs::create_directories(scratch.path() / part / name);
        fs::copy_file(formats() / "images/cat/rgb.png", scratch.path() / "train/cat/b.PNG");
        fs::copy_file(formats() / "images/dog/palette.png", scratch.path() / "train/dog/a.png");
        fs::copy_file(formats() / "images/dog/palette.png", scratch.path() / "val/dog/a.png");
        test::writeBytes(scratch.path() / "train/cat/.hidden.png", "x");
        test::writeBytes(scratch.path() / "train/cat/notes.txt", "x");
        auto options = test::loadOptions("image_folder", scratch.path(), scratch / "cache");
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QCOMPARE(dataset->train.rows, 2);
        QVERIFY(labelsOf(dataset->validation) == (Labels{1}));
        compareFacts(options, *dataset);
        // The first damaged picture is named, however many threads decode.
        for (const char* name : {"c.png", "d.png", "e.png"}) test::writeBytes(scratch.path() / "train/cat" / name, "no picture");
        const auto bad = loadDataset(options);
        VERIFY_ERROR(bad, "F601");
        QVERIFY2(bad.error().message.find("c.png byte 0") != std::string::npos, bad.error().message.c_str());
    }
    void tfRecords() {
        test::Scratch scratch;
        const auto example = [](std::vector<float> x, int label) {
            return test::recordBytes(test::exampleBytes(test::floatsFeature("x", x) + test::wholeFeature("label", label)));
        };
        test::writeBytes(scratch / "train-0.tfrecord", example({1, 2}, 1) + example({3, 4}, 0));
        test::writeBytes(scratch / "train-1.tfrecord", example({5, 6}, 2));
        test::writeBytes(scratch / "validation.tfrecord", example({7, 8}, 0));
        const auto options = test::loadOptions("tfrecord", scratch.path(), scratch / "cache");
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QVERIFY(labelsOf(dataset->train) == (Labels{1, 0, 2}));
        QCOMPARE(test::floatAt(dataset->train, 5), 6.0f);
        QCOMPARE(test::floatAt(dataset->validation, 0), 7.0f);
        QCOMPARE(dataset->classes, 3);
        compareFacts(options, *dataset);
        test::writeBytes(scratch / "train-1.tfrecord", example({5, 6, 7}, 2));
        VERIFY_ERROR(loadDataset(options), "F623");
        test::writeBytes(scratch / "train-1.tfrecord", test::recordBytes(test::exampleBytes(test::floatsFeature("x", {1, 2}))));
        VERIFY_ERROR(loadDataset(options), "F623");
        test::writeBytes(scratch / "train-1.tfrecord", example({5, 6}, -1));
        VERIFY_ERROR(loadDataset(options), "F627");
    }
    void tfRecordsOfPictures() {
        test::Scratch scratch;
        const auto picture = readFile(formats() / "images/cat/rgb.png");
        VERIFY_OK(picture);
        const auto record = [](const std::string& bytes, int label) {
            return test::recordBytes(
                test::exampleBytes(test::bytesFeature("image/encoded", bytes) + test::wholeFeature("image/class/label", label)));
        };
        test::writeBytes(scratch / "x.tfrecord", record(*picture, 4) + record(*picture, 0));
        auto options = test::loadOptions("tfrecord", scratch / "x.tfrecord", scratch / "cache");
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QVERIFY(dataset->train.featureShape == (Shape{3, 4, 3}));
        QVERIFY(dataset->train.element == Element::U8);
        QCOMPARE(test::byteAt(dataset->train, 36 + 3), 60);
        // Raw bytes take the shape that is asked for.
        test::writeBytes(scratch / "x.tfrecord", record("abcdef", 1) + record("ghijkl", 0));
        options.shape = {2, 3, 1};
        const auto raw = loadDataset(options);
        VERIFY_OK(raw);
        QVERIFY(raw->train.featureShape == (Shape{2, 3, 1}));
        QCOMPARE(test::byteAt(raw->train, 7), int('h'));
        compareFacts(options, *raw);
        options.features = {"pixels"};
        VERIFY_ERROR(loadDataset(options), "F624");
    }
    void synthetic() {
        LoadOptions options;
        options.dataset = "synthetic";
        options.shape = {4, 4, 2};
        options.syntheticRows = 80;
        options.syntheticClasses = 4;
        const auto dataset = loadDataset(options), again = loadDataset(options);
        VERIFY_OK(dataset);
        QCOMPARE(dataset->train.rows, 80);
        QCOMPARE(dataset->validation.rows, 10);
        QVERIFY(std::ranges::equal(dataset->train.features, again->train.features));
        options.syntheticSeed = 2;
        QVERIFY(!std::ranges::equal(dataset->train.features, loadDataset(options)->train.features));
        // Rows of a class are nearer to each other than to those of another class.
        const auto distance = [&](std::size_t a, std::size_t b) {
            int sum = 0;
            for (std::size_t i = 0; i < 32; ++i)
                sum += std::abs(test::byteAt(dataset->train, 32 * a + i) - test::byteAt(dataset->train, 32 * b + i));
            return sum;
        };
        QVERIFY(distance(0, 4) < distance(0, 1));
        options.syntheticRows = std::int64_t{1} << 40;
        VERIFY_ERROR(loadDataset(options), "F620");
    }
    // Keras takes the last fraction, before anything is shuffled.
    void validationSplit() {
        test::Scratch scratch;
        test::writeDataset(scratch.path(), 13, 2);
        auto options = test::loadOptions("idx", scratch.path(), scratch / "cache");
        options.validationSplit = 0.3;
        const auto dataset = loadDataset(options);
        VERIFY_OK(dataset);
        QCOMPARE(dataset->train.rows, 9);  // floor(13 · 0.7)
        QCOMPARE(dataset->validation.rows, 4);
        QCOMPARE(test::byteAt(dataset->validation, 0), 16 * 9);
        QCOMPARE(dataset->validation.labels[0], 0);
        compareFacts(options, *dataset);
        options.validationSplit = 0.999;
        VERIFY_ERROR(loadDataset(options), "F625");
        VERIFY_ERROR(readDatasetFacts(options), "F625");
    }
    void classesGiven() {
        test::Scratch scratch;
        test::writeBytes(scratch / "x.csv", "0,2\n5,1\n");
        auto options = test::loadOptions("csv", scratch / "x.csv", scratch / "cache");
        options.classes = 2;
        VERIFY_ERROR(loadDataset(options), "F613");
        options.classes = 7;
        QCOMPARE(loadDataset(options)->classes, 7);
    }
    void unknown() {
        test::Scratch scratch;
        VERIFY_ERROR(loadDataset(test::loadOptions("imagenet", scratch.path(), scratch / "cache")), "F617");
        for (const char* name : {"cifar10", "cifar100", "npy", "csv", "image_folder", "tfrecord"})
            QVERIFY(!loadDataset(test::loadOptions(name, scratch / "nothing", scratch / "cache")).ok());
    }
};

LOCKSTEP_TEST(SourcesTest)
#include "sources_test.moc"
