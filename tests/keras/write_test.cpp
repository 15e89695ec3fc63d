#include "fixtures.h"

#include <support/test.h>

#include <base/file.h>
#include <keras/architecture.h>

using namespace lockstep;
using namespace lockstep::keras;

namespace {

KerasFile smallModel() {
    KerasFile model;
    model.metadata = {"3.0.0", "2026-05-13@21:23:40"};
    model.config = R"({"class_name": "Sequential", "config": {"name": "x", "layers": []}})";
    model.groups = {{"dense", "d", {Tensor{Element::F32, {2}, std::vector<std::byte>(8)}}}};
    return model;
}

}  // namespace

class WriteTest : public QObject {
    Q_OBJECT
private slots:
    void roundTrip_data() {
        QTest::addColumn<QString>("name");
        for (const auto& name : test::goodFiles()) QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void roundTrip() {
        QFETCH(QString, name);
        const test::Scratch folder;
        const auto model = readKeras(test::kerasFixtures() / name.toStdString());
        VERIFY_OK(model);
        VERIFY_OK(writeKeras(folder / "a.keras", *model));
        const auto again = readKeras(folder / "a.keras");
        VERIFY_OK(again);
        // Groups come in the order of their names.
        QVERIFY(*again == *model);
        VERIFY_OK(writeKeras(folder / "b.keras", *again));
        QVERIFY(*readFile(folder / "a.keras") == *readFile(folder / "b.keras"));
    }

    void everyElementAndShape() {
        const test::Scratch folder;
        auto model = smallModel();
        model.groups = {{"", "whole", {}}, {"a/b", "näme", {}}};
        std::uint8_t next = 0;
        for (const auto element : {Element::F16, Element::BF16, Element::F32, Element::F64, Element::I32, Element::I64})
            for (const auto& shape : {graph::Shape{}, graph::Shape{3, 2}, graph::Shape{0, 4}, graph::Shape{1, 1, 1, 1, 1, 1, 1, 2}}) {
                Tensor tensor{element, shape, std::vector<std::byte>(*bytesOf(element, shape))};
                for (auto& byte : tensor.bytes) byte = static_cast<std::byte>(next = static_cast<std::uint8_t>(next * 5 + 1));
                model.groups[1].tensors.push_back(tensor);
                model.groups[0].tensors.push_back(std::move(tensor));
            }
        model.optimizer = {{"", "adam", {Tensor{Element::I64, {}, std::vector<std::byte>(8)}}}, {"inner_optimizer", "", {}}};
        VERIFY_OK(writeKeras(folder / "m.keras", model));
        const auto again = readKeras(folder / "m.keras");
        VERIFY_OK(again);
        QCOMPARE(findGroup(again->groups, "")->tensors.size(), std::size_t{24});
        QVERIFY(findGroup(again->groups, "")->tensors == model.groups[0].tensors);
        QVERIFY(*findGroup(again->groups, "a/b") == model.groups[1]);
        QVERIFY(again->optimizer == model.optimizer);
    }

    // What real Keras was shown to load (tests/fixtures/keras/README.md) is what is written today.
    void formThatKerasLoads_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("functional") << "transformer.keras";
        QTest::newRow("sequential") << "separable.keras";
    }
    void formThatKerasLoads() {
        QFETCH(QString, name);
        const auto shown = readKeras(test::kerasFixtures() / "written" / name.toStdString());
        VERIFY_OK(shown);
        const auto source = readKeras(test::kerasFixtures() / "more" / name.toStdString());
        VERIFY_OK(source);
        const auto architecture = parseArchitecture(source->config, "source");
        VERIFY_OK(architecture);
        QCOMPARE(shown->config, printArchitecture(*architecture));
        QVERIFY(shown->groups == source->groups && shown->optimizer == source->optimizer);
        QCOMPARE(shown->metadata.kerasVersion, std::string("3.4.0"));
    }

    void emptyMetadataIsFilled() {
        const test::Scratch folder;
        auto model = smallModel();
        model.metadata = {};
        VERIFY_OK(writeKeras(folder / "m.keras", model));
        const auto again = readKeras(folder / "m.keras");
        VERIFY_OK(again);
        QCOMPARE(again->metadata.kerasVersion, std::string("3.4.0"));
        QCOMPARE(again->metadata.dateSaved.size(), std::size_t{19});
        QCOMPARE(again->metadata.dateSaved[10], '@');
    }

    void valuesThatFormNoModel() {
        const test::Scratch folder;
        const auto path = folder / "m.keras";
        VERIFY_OK(writeKeras(path, smallModel()));
        const auto before = *readFile(path);
        const auto refuses = [&](auto change) {
            auto model = smallModel();
            change(model);
            const auto written = writeKeras(path, model);
            return !written.ok() && written.error().code == "F659";
        };
        QVERIFY(refuses([](KerasFile& m) { m.config = "{"; }));
        QVERIFY(refuses([](KerasFile& m) { m.config = "[]"; }));
        QVERIFY(refuses([](KerasFile& m) { m.groups[0].tensors[0].bytes.pop_back(); }));
        QVERIFY(refuses([](KerasFile& m) { m.groups[0].tensors[0].shape = {1, 1, 1, 1, 1, 1, 1, 1, 2}; }));
        QVERIFY(refuses([](KerasFile& m) { m.groups.push_back(m.groups[0]); }));
        for (const char* name : {"..", "a/../b", "/a", "a//b", "a/", "vars", "a b", "a/vars"})
            QVERIFY2(refuses([name](KerasFile& m) { m.groups[0].path = name; }), name);
        QVERIFY(*readFile(path) == before);
        VERIFY_ERROR(writeKeras(folder / "none" / "m.keras", smallModel()), "F604");
    }
};

LOCKSTEP_TEST(WriteTest)
#include "write_test.moc"
