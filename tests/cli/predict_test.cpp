// `lockstep predict` on arrays and pictures.
#include "trained_program.h"

#include <data/npy.h>

#include <algorithm>

using namespace lockstep;
using test::codeOf;
using test::Json;
using test::kMlp;
using test::kPictures;
using test::kTraining;
using test::npyOf;
using test::specOf;
namespace fs = std::filesystem;

class PredictTest : public QObject {
    Q_OBJECT

    // Sums of another number of rows at once may be added in another order.
    static bool near(const Json& a, const Json& b) {
        bool same = a["values"].size() == b["values"].size();
        for (std::size_t i = 0; same && i < a["values"].size(); ++i)
            same = std::abs(a["values"][i].get<double>() - b["values"][i].get<double>()) < 1e-6;
        return same;
    }

    std::unique_ptr<test::TrainedProgram> m_program;

private slots:
    void init() { m_program = std::make_unique<test::TrainedProgram>(); }
    void cleanup() { m_program.reset(); }

    void predictsClasses() {
        m_program->trained(specOf(kMlp, kTraining, kPictures));
        m_program->writeBytes("x.npy", "(3, 8, 8, 1)", 3 * 64);
        const Json found = m_program->told({"predict", "last", "x.npy"});
        QCOMPARE(found["rows"].get<int>(), 3);
        QCOMPARE(found["kind"].get<std::string>(), std::string("classes"));
        QCOMPARE(found["activation"].get<std::string>(), std::string("softmax"));
        QCOMPARE(found["predictions"].size(), std::size_t{3});
        for (const Json& row : found["predictions"]) {
            double sum = 0;
            for (const Json& value : row["values"]) sum += value.get<double>();
            QVERIFY(std::abs(sum - 1) < 1e-5);
            QCOMPARE(row["values"][row["class"].get<std::size_t>()], row["probability"]);
        }
        // One row alone, without its channel, and as float32 that was divided by 255.
        m_program->writeBytes("one.npy", "(8, 8)", 64);
        const Json one = m_program->told({"predict", "last", "one.npy"});
        QVERIFY(near(one["predictions"][0], found["predictions"][0]));
        std::vector<float> divided(64);
        for (std::size_t i = 0; i < 64; ++i) divided[i] = static_cast<float>(static_cast<std::uint8_t>(37 * i)) / 255.0F;
        m_program->write("float.npy", npyOf("<f4", "(1, 8, 8)", divided.data(), 256));
        QVERIFY(near(m_program->told({"predict", "last", "float.npy"})["predictions"][0], found["predictions"][0]));
        const Json raw = m_program->told({"predict", "last", "x.npy", "--raw"});
        QVERIFY(raw["activation"].is_null() && !raw["predictions"][0].contains("class"));
        double most = -1e9, second = 0;
        for (std::size_t c = 0; c < 4; ++c) most = std::max(most, raw["predictions"][0]["values"][c].get<double>());
        for (std::size_t c = 0; c < 4; ++c) second += std::exp(raw["predictions"][0]["values"][c].get<double>() - most);
        QVERIFY(std::abs(1 / second - found["predictions"][0]["probability"].get<double>()) < 1e-6);
        const auto text = m_program->run({"predict", "last", "x.npy"});
        QVERIFY2(
            text.out.starts_with("ROW  CLASS  PROBABILITY\n0 ") && text.err.find("softmax of what the model gives") != std::string::npos,
            (text.out + text.err).c_str());
    }
    // Floats beyond 1 for a model that has seen pictures: said.
    void numbersForAModelOfPictures() {
        m_program->trained(specOf(kMlp, kTraining, kPictures));
        const std::vector<float> values(64, 200);
        m_program->write("float.npy", npyOf("<f4", "(1, 8, 8, 1)", values.data(), 256));
        const auto ended = m_program->run({"predict", "last", "float.npy"});
        QCOMPARE(ended.code, 0);
        QVERIFY2(ended.err.find("value / 255; the input is float32 up to 200") != std::string::npos, ended.err.c_str());
    }
    void manyRowsAndFiles() {
        m_program->trained(specOf(kMlp, kTraining, kPictures));
        m_program->writeBytes("many.npy", "(600, 8, 8)", 600 * 64);
        const auto text = m_program->run({"predict", "last", "many.npy"});
        QCOMPARE(std::count(text.out.begin(), text.out.end(), '\n'), 21);
        QVERIFY2(text.err.find("580 more") != std::string::npos, text.err.c_str());
        QCOMPARE(m_program->run({"predict", "last", "many.npy", "--json=lines"}).out.find("{\"row\":0,"), std::size_t{0});
        const Json all = m_program->told({"predict", "last", "many.npy"});
        QCOMPARE(all["predictions"].size(), std::size_t{600});
        for (const char* out : {"p.npy", "p.csv", "p.json"}) {
            const Json written = m_program->told({"predict", "last", "many.npy", "--out", out});
            QVERIFY(written["predictions"].empty());
            QCOMPARE(written["out"].get<std::string>(), m_program->file(out).string());
        }
        const auto array = data::openNpy(m_program->file("p.npy"));
        VERIFY_OK(array);
        QVERIFY(array->type == data::NumberType::F32);
        QCOMPARE(array->shape, (std::vector<std::int64_t>{600, 4}));
        for (const std::size_t row : {0, 255, 256, 599})
            for (std::size_t c = 0; c < 4; ++c)
                QVERIFY(std::abs(data::valueAt(array->values, array->type, 4 * row + c) -
                                 all["predictions"][row]["values"][c].get<double>()) < 1e-6);
        const auto csv = readFile(m_program->file("p.csv"));
        VERIFY_OK(csv);
        QVERIFY2(csv->starts_with("row,class,probability,p0,p1,p2,p3\n0,"), csv->c_str());
        QCOMPARE(std::count(csv->begin(), csv->end(), '\n'), 601);
        const auto json = readFile(m_program->file("p.json"));
        VERIFY_OK(json);
        QCOMPARE(Json::parse(*json)[599]["class"], all["predictions"][599]["class"]);
        for (const auto& entry : fs::directory_iterator(m_program->folder()))
            QVERIFY2(entry.path().filename().string().find(".tmp-") == std::string::npos, entry.path().c_str());
    }
    void inputsThatDoNotFit_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QStringList>("says");
        QTest::newRow("axis") << "axis.npy"
                              << "F645" << QStringList{"axis 2 is 9 instead of 8", "[3, 8, 9, 1]", "[rows, 8, 8, 1]"};
        QTest::newRow("axes") << "axes.npy"
                              << "F645" << QStringList{"2 axes, where 4 are needed", "[3, 64]"};
        QTest::newRow("no rows") << "empty.npy"
                                 << "F645" << QStringList{"no rows"};
        QTest::newRow("type") << "objects.npy"
                              << "F619" << QStringList{};
        QTest::newRow("cut off") << "cut.npy"
                                 << "F601" << QStringList{};
        QTest::newRow("missing") << "missing.npy"
                                 << "F602" << QStringList{"missing.npy"};
        QTest::newRow("kind") << "own.yaml"
                              << "F646" << QStringList{".npz"};
        QTest::newRow("no pictures") << "nothing"
                                     << "F646" << QStringList{"no pictures"};
        QTest::newRow("nan") << "nan.npy"
                             << "R571" << QStringList{"1 of 2 rows, the first is row 1", "input holds"};
    }
    void inputsThatDoNotFit() {
        QFETCH(QString, name);
        QFETCH(QString, code);
        QFETCH(QStringList, says);
        m_program->trained(specOf(kMlp, "global_batch_size: 16, steps: 2", kPictures));
        m_program->writeBytes("axis.npy", "(3, 8, 9, 1)", 3 * 72);
        m_program->writeBytes("axes.npy", "(3, 64)", 3 * 64);
        m_program->writeBytes("empty.npy", "(0, 8, 8, 1)", 0);
        m_program->write("objects.npy", npyOf("|O", "(1, 8, 8, 1)", "", 0));
        m_program->writeBytes("cut.npy", "(9, 8, 8, 1)", 3 * 64);
        fs::create_directories(m_program->file("nothing"));
        std::vector<float> values(128, 0.5F);
        values[100] = std::nanf("");
        m_program->write("nan.npy", npyOf("<f4", "(2, 8, 8, 1)", values.data(), 512));
        const auto ended = m_program->run({"predict", "last", name, "--out", "out.csv", "--json"});
        QCOMPARE(QString::fromStdString(codeOf(ended)), code);
        QVERIFY(ended.code != 0);
        for (const QString& word : says) QVERIFY2(ended.out.find(word.toStdString()) != std::string::npos, ended.out.c_str());
        QVERIFY(!fs::exists(m_program->file("out.csv")));
        for (const auto& entry : fs::directory_iterator(m_program->folder()))
            QVERIFY2(entry.path().filename().string().find(".tmp-") == std::string::npos, entry.path().c_str());
    }
    void aMaximumHidesNoNan() {
        m_program->trained(
            specOf("{layers: [{class_name: Conv2D, filters: 4, kernel_size: 3, activation: relu}, {class_name: MaxPooling2D}, "
                   "{class_name: Flatten}, {class_name: Dense, units: 4}]}",
                   "global_batch_size: 16, steps: 2", kPictures));
        std::vector<float> values(128, 0.5F);
        std::fill(values.begin() + 64, values.end(), std::nanf(""));
        m_program->write("nan.npy", npyOf("<f4", "(2, 8, 8, 1)", values.data(), 512));
        const auto ended = m_program->run({"predict", "last", "nan.npy"});
        QVERIFY(ended.code != 0);
        QVERIFY2(ended.err.find("R571") != std::string::npos && ended.err.find("the first is row 1") != std::string::npos,
                 ended.err.c_str());
    }
    void numbers() {
        std::string table = "a,b,y\n";
        for (int row = 0; row < 64; ++row)
            table += std::to_string(row % 8) + "," + std::to_string(row / 8) + "," + std::to_string(row % 8 + row / 8) + "\n";
        m_program->write("sum.csv", table);
        m_program->trained(
            specOf("{layers: [{class_name: Dense, units: 1}]}",
                   "global_batch_size: 8, epochs: 30, optimizer: {name: adam, learning_rate: 0.05}, loss: mean_squared_error",
                   "{dataset: csv, path: sum.csv, label: y, validation_split: 0.25}"));
        const std::vector<double> rows = {1, 2, 3, 4};
        m_program->write("x.npy", npyOf("<f8", "(2, 2)", rows.data(), 32));
        const Json found = m_program->told({"predict", "last", "x.npy"});
        QCOMPARE(found["kind"].get<std::string>(), std::string("numbers"));
        QVERIFY2(std::abs(found["predictions"][1]["values"][0].get<double>() - 7) < 1, found.dump().c_str());
        QVERIFY(!found["predictions"][0].contains("class"));
        const Json evaluated = m_program->told({"evaluate", "last"});
        QVERIFY(evaluated["metrics"].contains("mean_absolute_error"));
    }

    // The processes may have 2 GiB of addresses, and values in another order must be copied.
    void moreThanTheMemory() {
        m_program->trained(specOf(kMlp, "global_batch_size: 16, steps: 2", kPictures));
        std::string text = npyOf("|u1", "(50331648, 8, 8)", "", 0);
        text.replace(text.find("False"), 5, "True ");
        m_program->write("large.npy", text);
        fs::resize_file(m_program->file("large.npy"), text.size() + std::uintmax_t{50331648} * 64);  // 3 GiB of holes
        QProcess shell;
        shell.setProcessEnvironment(m_program->environment());
        shell.setWorkingDirectory(QString::fromStdString(m_program->folder().string()));
        shell.start("/bin/sh", {"-c", "ulimit -v 2097152; exec \"$0\" predict last large.npy --json", test::programPath()});
        const auto ended = m_program->finish(shell);
        QCOMPARE(codeOf(ended), std::string("M901"));
        QVERIFY2(ended.out.find("3 GiB") != std::string::npos && ended.out.find("C order") != std::string::npos, ended.out.c_str());
    }
    // Pictures by their folders' names, in any size; the data itself is not needed but for the names.
    void pictures() {
        const auto formats = test::sourceDir() / "tests/fixtures/formats/images";
        for (const char* kind : {"cat", "dog"}) {
            fs::create_directories(m_program->file("pets") / kind);
            for (const auto& entry : fs::directory_iterator(formats / kind))
                for (int copy = 0; copy < 6; ++copy)
                    fs::copy_file(entry.path(), m_program->file("pets") / kind / (std::to_string(copy) + entry.path().filename().string()));
        }
        fs::create_directories(m_program->file("new/deeper"));
        fs::copy_file(formats / "cat/rgb.png", m_program->file("new/a.png"));
        fs::copy_file(formats / "dog/gray.jpg", m_program->file("new/deeper/b.jpg"));
        m_program->write("new/notes.txt", "no picture");
        m_program->trained(specOf("{layers: [{class_name: Flatten}, {class_name: Dense, units: 2}]}",
                                  "global_batch_size: 8, epochs: 20, optimizer: {name: adam, learning_rate: 0.01}",
                                  "{dataset: image_folder, path: pets, shape: [6, 6]}"));
        const Json found = m_program->told({"predict", "last", "new"});
        QCOMPARE(found["predictions"].size(), std::size_t{2});
        QCOMPARE(found["predictions"][0]["file"].get<std::string>(), std::string("a.png"));
        QCOMPARE(found["predictions"][0]["name"].get<std::string>(), std::string("cat"));
        QCOMPARE(found["predictions"][1]["file"].get<std::string>(), std::string("deeper/b.jpg"));
        QCOMPARE(found["predictions"][1]["name"].get<std::string>(), std::string("dog"));
        const auto text = m_program->run({"predict", "last", "new/a.png"});
        QVERIFY2(text.out.starts_with("ROW  FILE   CLASS  NAME  PROBABILITY\n0    a.png  0      cat   0."), text.out.c_str());
        QVERIFY2(text.err.find("resized to 6 × 6") != std::string::npos, text.err.c_str());
        m_program->told({"predict", "last", "new", "--out", "pets.csv"});
        const auto csv = readFile(m_program->file("pets.csv"));
        VERIFY_OK(csv);
        QVERIFY2(csv->starts_with("row,file,class,name,probability,p0,p1\n0,a.png,0,cat,0."), csv->c_str());
        fs::copy_file(test::sourceDir() / "tests/fixtures/formats/images-bad/cut.png", m_program->file("new/c.png"));
        QCOMPARE(codeOf(m_program->run({"predict", "last", "new", "--json"})), std::string("F601"));
        fs::remove(m_program->file("new/c.png"));
        fs::remove_all(m_program->file("pets"));
        const auto without = m_program->run({"predict", "last", "new", "--json"});
        QCOMPARE(without.code, 0);
        QVERIFY(!without.json()["predictions"][0].contains("name") && !without.json()["notes"].empty());
        QCOMPARE(without.json()["predictions"][0]["values"], found["predictions"][0]["values"]);
        m_program->writeBytes("x.npy", "(1, 6, 6, 3)", 108);
        QCOMPARE(m_program->told({"predict", "last", "x.npy"})["rows"].get<int>(), 1);
    }
    // y as one-hot rows, with metrics that want them; what they give is what the run recorded.
    void oneHotAndCountedMetrics() {
        fs::create_directories(m_program->file("hot"));
        std::vector<float> x(60 * 3), y(60 * 3, 0);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 101) / 100;
        for (std::size_t row = 0; row < 60; ++row)
            y[3 * row + static_cast<std::size_t>(std::max_element(x.begin() + static_cast<std::ptrdiff_t>(3 * row),
                                                                  x.begin() + static_cast<std::ptrdiff_t>(3 * row + 3)) -
                                                 x.begin()) %
                            3] = 1;
        m_program->write("hot/x_train.npy", npyOf("<f4", "(60, 3)", x.data(), 4 * x.size()));
        m_program->write("hot/y_train.npy", npyOf("<f4", "(60, 3)", y.data(), 4 * y.size()));
        const std::string layers = "{layers: [{class_name: Dense, units: 3}]}", data = "{dataset: npy, path: hot, validation_split: 0.3}";
        const std::string training =
            "global_batch_size: 16, epochs: 40, optimizer: {name: adam, learning_rate: 0.05}, loss: categorical_crossentropy, "
            "metrics: [auc, accuracy, precision, recall], metric_options: {top_k: 1}";
        for (const int devices : {1, 2}) {
            const Json result = m_program->trained(specOf(layers, training, data, devices));
            const Json found = m_program->told({"evaluate", "last"});
            QVERIFY(std::abs(found["loss"].get<double>() / result["val_loss"].get<double>() - 1) < 1e-6);
            for (const char* name : {"accuracy", "auc", "precision", "recall"}) {
                const Json series = m_program->told({"metrics", "last", "--series", ("val_" + std::string(name)).c_str()});
                const double last = series["series"][0]["points"].back()[2].get<double>();
                QVERIFY2(std::abs(found["metrics"][name].get<double>() - last) < 1e-6, found.dump().c_str());
            }
            // The largest of three that sum up to one: its class.
            QCOMPARE(found["metrics"]["precision"], found["metrics"]["accuracy"]);
            QVERIFY2(found["metrics"]["auc"].get<double>() > 0.9, found.dump().c_str());
        }
        m_program->write("own.yaml", specOf(layers, "loss: sparse_categorical_crossentropy", data));
        const auto refused = m_program->run({"validate", "own.yaml"});
        QVERIFY2(refused.code == 3 && refused.err.find("one label for each row") != std::string::npos, refused.err.c_str());
    }
};

LOCKSTEP_TEST(PredictTest)
#include "predict_test.moc"
