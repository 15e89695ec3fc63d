#include "fixtures.h"

#include <support/test.h>

#include <base/checksum.h>
#include <keras/keras_file.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

using namespace lockstep;
using namespace lockstep::keras;

namespace {

using Json = nlohmann::json;

Json jsonOf(const std::string& name) {
    std::ifstream in(test::kerasFixtures() / name);
    return Json::parse(in);
}

// The values of an .npy file of version 1.0.
std::vector<std::byte> npyValues(const std::filesystem::path& path) {
    const std::string file = *readFile(path);
    const std::size_t header = 10 + static_cast<unsigned char>(file[8]) + 256u * static_cast<unsigned char>(file[9]);
    const auto values = asBytes(file).subspan(header);
    return {values.begin(), values.end()};
}

std::vector<float> floatsOf(const Tensor& tensor) {
    std::vector<float> values(tensor.bytes.size() / 4);
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
}

// expected.json's rows of one file, as the reader should give them.
std::map<std::string, WeightGroup> shapesOf(const KerasFile& model) {
    std::map<std::string, WeightGroup> all;
    for (const auto& group : model.groups) all["layers/" + group.path + "/vars"] = group;
    for (const auto& group : model.optimizer) all["optimizer/" + (group.path.empty() ? "" : group.path + "/") + "vars"] = group;
    return all;
}

}  // namespace

class ReadTest : public QObject {
    Q_OBJECT
private slots:
    void everyFixture_data() {
        QTest::addColumn<QString>("name");
        for (const auto& name : test::goodFiles()) QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    // Against what another reader of HDF5 saw.
    void everyFixture() {
        QFETCH(QString, name);
        const auto model = readKeras(test::kerasFixtures() / name.toStdString());
        VERIFY_OK(model);
        QCOMPARE(model->metadata.kerasVersion, std::string("3.15.1"));
        QCOMPARE(model->metadata.dateSaved.size(), std::string("2026-05-13@21:23:40").size());
        auto groups = shapesOf(*model);
        std::size_t tensors = 0;
        const Json expected = jsonOf("expected.json");
        for (const Json& row : expected.at(name.toStdString())) {
            const auto& group = groups.at(row.at("group"));
            QCOMPARE(group.layerName, row.at("name").get<std::string>());
            const Tensor& tensor = group.tensors.at(row.at("index"));
            QCOMPARE(std::string(nameOf(tensor.element)), row.at("dtype").get<std::string>());
            QVERIFY(tensor.shape.dims() == row.at("shape").get<std::vector<std::int64_t>>());
            const auto digest = sha256(tensor.bytes);
            QCOMPARE(toHex(digest), row.at("sha256").get<std::string>());
            ++tensors;
        }
        std::size_t read = 0;
        for (const auto& [path, group] : groups) read += group.tensors.size();
        QCOMPARE(read, tensors);
    }

    void initialWeightsAreThoseOfTheArrays_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("folder");
        for (const char* file : {"cnn", "cnn-l2", "cnn-bf16"}) QTest::newRow(file) << file << "cnn";
        QTest::newRow("mlp") << "mlp"
                             << "mlp";
    }
    void initialWeightsAreThoseOfTheArrays() {
        QFETCH(QString, file);
        QFETCH(QString, folder);
        const auto model = readKeras(test::kerasFixtures() / (file.toStdString() + ".keras"));
        VERIFY_OK(model);
        int compared = 0;
        for (const auto& entry : std::filesystem::directory_iterator(test::kerasFixtures() / "npy" / folder.toStdString())) {
            const std::string stem = entry.path().stem().string();  // "conv2d_1.0"
            const auto* group = findGroup(model->groups, stem.substr(0, stem.find('.')));
            QVERIFY2(group != nullptr, stem.c_str());
            QVERIFY2(group->tensors.at(std::stoul(stem.substr(stem.find('.') + 1))).bytes == npyValues(entry.path()), stem.c_str());
            ++compared;
        }
        QCOMPARE(compared, folder == "cnn" ? 6 : 4);
    }

    void layerNamesAndEmptyGroups() {
        const auto model = readKeras(test::kerasFixtures() / "cnn.keras");
        VERIFY_OK(model);
        QCOMPARE(findGroup(model->groups, "conv2d_1")->layerName, std::string("conv2"));
        QCOMPARE(findGroup(model->groups, "dense")->layerName, std::string("logits"));
        QVERIFY(findGroup(model->groups, "max_pooling2d_1") != nullptr);
        QVERIFY(findGroup(model->groups, "max_pooling2d_1")->tensors.empty());
        QVERIFY(findGroup(model->groups, "nothing") == nullptr);
        QVERIFY(model->optimizer.empty());
    }

    void groupsInsideOfLayers() {
        const auto model = readKeras(test::kerasFixtures() / "more/transformer.keras");
        VERIFY_OK(model);
        const auto* query = findGroup(model->groups, "multi_head_attention/query_dense");
        QVERIFY(query != nullptr);
        QCOMPARE(query->layerName, std::string("query"));
        QCOMPARE(query->tensors.at(0).shape, (graph::Shape{8, 2, 4}));
        const auto scaled = readKeras(test::kerasFixtures() / "more/mixed_float16.keras");
        VERIFY_OK(scaled);
        QCOMPARE(findGroup(scaled->optimizer, "inner_optimizer")->layerName, std::string("adam"));
    }

    // The model after the 20 steps of cnn-adam.json.
    void trainedWeights() {
        const auto model = readKeras(test::kerasFixtures() / "cnn-adam-after20.keras");
        VERIFY_OK(model);
        const std::map<std::string, std::pair<std::string, std::size_t>> places{
            {"cnn/conv1/kernel", {"conv2d", 0}}, {"cnn/conv1/bias", {"conv2d", 1}},   {"cnn/conv2/kernel", {"conv2d_1", 0}},
            {"cnn/conv2/bias", {"conv2d_1", 1}}, {"cnn/logits/kernel", {"dense", 0}}, {"cnn/logits/bias", {"dense", 1}}};
        const Json curve = jsonOf("cnn-adam.json");
        QCOMPARE(curve.at("final_weights").size(), places.size());
        for (const Json& row : curve.at("final_weights")) {
            const auto& [group, index] = places.at(row.at("path"));
            const auto values = floatsOf(findGroup(model->groups, group)->tensors.at(index));
            for (std::size_t i = 0; i < row.at("at").size(); ++i) {
                // The curve keeps nine digits.
                const double wanted = row.at("values")[i].get<double>();
                QVERIFY(std::abs(values.at(row.at("at")[i].get<std::size_t>()) - wanted) <= 1e-8 * std::abs(wanted));
            }
        }
    }

    // Adam: iteration, learning rate, then the two moments of each weight in turn.
    void optimizerState() {
        const auto model = readKeras(test::kerasFixtures() / "cnn-adam-after20.keras");
        VERIFY_OK(model);
        QCOMPARE(model->optimizer.size(), std::size_t{1});
        const auto& state = model->optimizer.front();
        QCOMPARE(state.path, std::string());
        QCOMPARE(state.layerName, std::string("adam_1"));
        QCOMPARE(state.tensors.size(), std::size_t{14});
        const auto step = convertTo(graph::DType::I32, state.tensors[0]);
        VERIFY_OK(step);
        std::int32_t steps = 0;
        std::memcpy(&steps, step->data(), sizeof steps);
        QCOMPARE(steps, 20);
        QVERIFY(state.tensors[0].element == Element::I64);
        QCOMPARE(floatsOf(state.tensors[1]).at(0), 0.001f);
        const std::vector<graph::Shape> shapes{{3, 3, 1, 32}, {32}, {3, 3, 32, 64}, {64}, {1600, 10}, {10}};
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            QCOMPARE(state.tensors[2 + 2 * i].shape, shapes[i]);
            QCOMPARE(state.tensors[3 + 2 * i].shape, shapes[i]);
            for (const float second : floatsOf(state.tensors[3 + 2 * i])) QVERIFY(second >= 0);
        }
    }
};

LOCKSTEP_TEST(ReadTest)
#include "read_test.moc"
