// Every kind of data set through the program: validated, planned and trained for a few steps.
#include "program.h"

#include <support/test.h>

#include <base/checksum.h>
#include <base/file.h>

using namespace lockstep;
using test::Program;
namespace fs = std::filesystem;

namespace {

constexpr int kRows = 24;

std::string specFor(const std::string& data) {
    return "schema: 1\nname: own\nstrategy: MirroredStrategy\n"
           "cluster:\n  hosts: [{name: here, address: localhost, devices: ['cpu:0', 'cpu:1']}]\n  oversubscribe: true\n"
           "model: {preset: mlp}\ndata: {" +
           data + "}\ntraining:\n  global_batch_size: 8\n  steps: 4\n";
}

std::string npyBytes(const std::string& type, const std::string& shape, const std::string& values) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
    return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header + values;
}

std::string littleEndian(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
}
std::string maskedCrc(const std::string& bytes) {
    const std::uint32_t crc = crc32c(asBytes(bytes));
    return littleEndian(((crc >> 15) | (crc << 17)) + 0xa282ead8u, 4);
}
// A record whose Example has x: 4 floats and label: a whole number below 128.
std::string record(int label) {
    const auto part = [](char tag, const std::string& bytes) { return tag + std::string(1, static_cast<char>(bytes.size())) + bytes; };
    const auto feature = [&](const std::string& name, char kind, const std::string& list) {
        return part('\x0a', part('\x0a', name) + part('\x12', part(kind, list)));
    };
    const std::string floats = part('\x0a', std::string(16, static_cast<char>(label)));
    const std::string payload =
        part('\x0a', feature("x", '\x12', floats) + feature("label", '\x1a', std::string("\x08") + static_cast<char>(label)));
    const std::string length = littleEndian(payload.size(), 8);
    return length + maskedCrc(length) + payload + maskedCrc(payload);
}

}  // namespace

class DataSetsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        m_program = std::make_unique<Program>();
        const fs::path root = m_program->folder();
        for (const char* folder : {"npy", "cifar", "pictures/cat", "pictures/dog"}) fs::create_directories(root / folder);
        std::string pixels, labels, cifar, csv = "a,b,c,kind\n", records;
        for (int row = 0; row < kRows; ++row) {
            pixels += std::string(64, static_cast<char>(row % 3 * 80));
            labels += static_cast<char>(row % 3);
            cifar += static_cast<char>(row % 10) + std::string(3072, static_cast<char>(row * 9));
            csv += std::to_string(row % 3) + ",0.5," + std::to_string(row) + (row % 2 == 0 ? ",cat\n" : ",dog\n");
            records += record(row % 5);
        }
        const std::string count = std::to_string(kRows);
        write("npy/x_train.npy", npyBytes("|u1", "(" + count + ", 8, 8)", pixels));
        write("npy/y_train.npy", npyBytes("|u1", "(" + count + ",)", labels));
        write("cifar/data_batch_1.bin", cifar);
        write("cifar/test_batch.bin", cifar);
        write("table.csv", csv);
        write("rows.tfrecord", records);
        const fs::path formats = test::sourceDir() / "tests/fixtures/formats/images";
        for (int i = 0; i < kRows / 4; ++i) {
            const std::string name = std::to_string(i);
            fs::copy_file(formats / "cat/rgb.png", root / "pictures/cat" / (name + ".png"));
            fs::copy_file(formats / "cat/gradient.jpg", root / "pictures/cat" / (name + ".jpg"));
            fs::copy_file(formats / "dog/palette.png", root / "pictures/dog" / (name + ".png"));
            fs::copy_file(formats / "dog/gray.jpg", root / "pictures/dog" / (name + ".jpg"));
        }
    }
    void trains_data() {
        QTest::addColumn<QString>("data");
        QTest::addColumn<int>("inputs");  // values of a row
        QTest::addColumn<int>("classes");
        const auto row = [](const char* name, const char* data, int inputs, int classes) {
            QTest::newRow(name) << data << inputs << classes;
        };
        row("npy", "dataset: npy, path: npy, validation_split: 0.25", 64, 3);
        row("cifar10, augmented", "dataset: cifar10, path: cifar, augment: [random_crop, random_flip], mean: [0.5], std: [0.25]", 3072, 10);
        row("csv", "dataset: csv, path: table.csv, validation_split: 0.25", 3, 2);
        row("image_folder", "dataset: image_folder, path: pictures, shape: [6, 6], augment: [random_flip]", 108, 2);
        row("tfrecord", "dataset: tfrecord, path: rows.tfrecord", 4, 5);
        row("synthetic", "dataset: synthetic, shape: [4, 4, 1], rows: 40, classes: 6", 16, 6);
    }
    void trains() {
        QFETCH(QString, data);
        QFETCH(int, inputs);
        QFETCH(int, classes);
        write("own.yaml", specFor(data.toStdString()));
        const auto valid = m_program->run({"validate", "own.yaml"});
        QVERIFY2(valid.code == 0, (valid.out + valid.err).c_str());
        const auto plan = m_program->run({"plan", "own.yaml", "--json"});
        QVERIFY2(plan.code == 0, (plan.out + plan.err).c_str());
        const int wholeLines = (classes + 15) / 16 * 16;  // each of the four weights begins a cache line
        QCOMPARE(plan.json()["ranks"][0]["bytes"]["weights"].get<int>(), 4 * (inputs * 128 + 128 + 128 * classes + wholeLines));
        const auto run = m_program->run({"run", "own.yaml", "--json"}, 90);
        QVERIFY2(run.code == 0, (run.out + run.err).c_str());
        QCOMPARE(run.json()["state"].get<std::string>(), std::string("completed"));
    }
    // Said before anything starts, with the place in the specification.
    void refused_data() {
        QTest::addColumn<QString>("data");
        QTest::addColumn<QString>("code");
        const auto row = [](const char* data, const char* code) { QTest::newRow(code) << data << code; };
        row("dataset: npy, path: npy, label: z", "F624");
        row("dataset: npy, path: npy, shape: [7, 7]", "F628");
        row("dataset: csv, path: table.csv, augment: [random_flip]", "F626");
        row("dataset: image_folder, path: npy", "F622");
        row("dataset: synthetic, rows: 1, validation_split: 0.5", "F625");
        row("dataset: cifar10, path: npy", "F602");
    }
    void refused() {
        QFETCH(QString, data);
        QFETCH(QString, code);
        write("own.yaml", specFor(data.toStdString()));
        const auto checked = m_program->run({"validate", "own.yaml"});
        QCOMPARE(checked.code, 3);
        QVERIFY2(checked.err.starts_with("error " + code.toStdString() + ": "), checked.err.c_str());
        QVERIFY2(checked.err.find("own.yaml:8:") != std::string::npos, checked.err.c_str());
    }

private:
    void write(const std::string& name, const std::string& bytes) { QVERIFY(replaceFile(m_program->folder() / name, bytes).ok()); }
    std::unique_ptr<Program> m_program;
};

LOCKSTEP_TEST(DataSetsTest)
#include "data_sets_test.moc"
