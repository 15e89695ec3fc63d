#include <support/test.h>

#include <spec/run_spec.h>

using namespace lockstep;
using namespace lockstep::spec;

namespace {

Result<RunSpec> parseWith(const std::string& extra) { return parseRunSpec("name: small\n" + extra, "spec.yaml"); }

}  // namespace

// The keys below data.
class DataSpecTest : public QObject {
    Q_OBJECT
private slots:
    void everyDataSet() {
        for (const char* dataset : {"mnist", "synthetic"}) VERIFY_OK(parseWith(std::string("data: {dataset: ") + dataset + "}"));
        for (const char* dataset : {"idx", "cifar10", "cifar100", "npy", "csv", "image_folder", "tfrecord"}) {
            VERIFY_ERROR(parseWith(std::string("data: {dataset: ") + dataset + "}"), "S305");
            VERIFY_OK(parseWith(std::string("data: {path: x, dataset: ") + dataset + "}"));
        }
    }
    void values() {
        const auto spec = parseWith(
            "data: {dataset: image_folder, path: p, validation_split: 0.25, augment: [random_flip, random_crop], crop_padding: 2,\n"
            "       mean: [0.5, -1], std: [0.25, 2e-1], shape: [32, 16, 1], features: [a, \"b c\"], label: kind, rows: 7, classes: 3}");
        VERIFY_OK(spec);
        const DataSpec& data = spec->data;
        QCOMPARE(data.validationSplit, 0.25);
        QVERIFY((data.augment == std::vector<std::string>{"random_flip", "random_crop"}));
        QCOMPARE(data.cropPadding, 2);
        QVERIFY((data.mean == std::vector<double>{0.5, -1}));
        QVERIFY((data.deviation == std::vector<double>{0.25, 0.2}));
        QVERIFY((data.shape == std::vector<double>{32, 16, 1}));
        QVERIFY((data.features == std::vector<std::string>{"a", "b c"}));
        QCOMPARE(data.label, std::string("kind"));
        QCOMPARE(data.rows, 7);
        QCOMPARE(data.classes, 3);
        const auto again = parseRunSpec(printRunSpec(*spec), "printed.yaml");
        VERIFY_OK(again);
        QVERIFY(*again == *spec);
    }
    void errors_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* text, const char* code, const char* says) { QTest::newRow(text) << text << code << says; };
        row("data: {dataset: synthetic, shape: [2.5]}", "S304", "data.shape");
        row("data: {shape: [0]}", "S304", "from 1 to");
        row("data: {augment: [random_zoom]}", "S304", "random_crop");
        row("data: {augment: random_crop}", "S303", "a list");
        row("data: {crop_padding: 0}", "S304", "from 1 to 1024");
        row("data: {validation_split: 1}", "S304", "data.validation_split");
        row("data: {validation_split: -0.1}", "S304", "data.validation_split");
        row("data: {mean: [x]}", "S303", "a number");
        row("data: {mean: 0.5}", "S303", "a list of numbers");
        row("data: {std: [0]}", "S304", "data.std");
        row("data: {dataset: tfrecords}", "S304", "did you mean \"tfrecord\"?");
    }
    void errors() {
        QFETCH(QString, text);
        QFETCH(QString, code);
        QFETCH(QString, says);
        const auto spec = parseWith(text.toStdString());
        QVERIFY(!spec.ok());
        QCOMPARE(QString::fromStdString(spec.error().code), code);
        QVERIFY2(spec.error().message.find(says.toStdString()) != std::string::npos, spec.error().toText().c_str());
    }
    // What changes the numbers of a run is part of its hash.
    void hash() {
        const std::string path = "data: {dataset: npy, path: p";
        const std::string hash = specHash(*parseWith(path + "}"));
        QCOMPARE(specHash(*parseWith(path + ", crop_padding: 4}")), hash);
        for (const char* change :
             {"validation_split: 0.1", "augment: [random_flip]", "mean: [0.5]", "std: [2]", "shape: [2]", "features: [a]", "label: b"})
            QVERIFY2(specHash(*parseWith(path + ", " + change + "}")) != hash, change);
    }
};

LOCKSTEP_TEST(DataSpecTest)
#include "data_spec_test.moc"
