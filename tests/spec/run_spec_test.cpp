#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <spec/run_spec.h>

#include <random>

using namespace lockstep;
using namespace lockstep::spec;

namespace {

const std::string kSmall = "name: small\n";

Result<RunSpec> parseWith(const std::string& extra) { return parseRunSpec(kSmall + extra, "spec.yaml"); }

template <class T>
T pick(std::mt19937& random, std::initializer_list<T> list) {
    return *(list.begin() + random() % list.size());
}

std::string randomText(std::mt19937& random) {
    static const std::vector<std::string> kPieces = {"a",  "null", "true", "1", " ",  "\"", "\\", ":",  "#",  "é",
                                                     "\n", "\t",   "- ",   "{", "漢", "~",  "'",  "&x", "*y", "!t"};
    std::string text = "x";
    if (random() % 3 == 0) text.clear();
    for (std::size_t n = random() % 4 + 1; n > 0; --n) text += kPieces[random() % kPieces.size()];
    return text;
}

RunSpec randomSpec(std::mt19937& random) {
    RunSpec spec;
    spec.name = randomText(random);
    spec.note = randomText(random);
    for (std::size_t n = random() % 3; n > 0; --n) spec.tags.push_back(randomText(random));
    spec.seed = random();
    spec.strategy = pick(random, {Strategy::OneDevice, Strategy::Mirrored, Strategy::MultiWorkerMirrored});
    const std::size_t hosts = spec.strategy == Strategy::MultiWorkerMirrored ? random() % 4 : random() % 2;
    for (std::size_t i = 0; i < hosts; ++i) {
        HostSpec host;
        host.name = "h" + std::to_string(i) + randomText(random);
        host.address = pick<std::string>(random, {"localhost", "10.0.0.1", "::1"});
        if (spec.strategy != Strategy::OneDevice && random() % 2 == 0) host.devices.push_back("cpu:1");
        if (i == 0) host.roles = {pick<std::string>(random, {"worker", "chief"})};
        spec.cluster.hosts.push_back(host);
    }
    if (hosts == 0 && spec.strategy == Strategy::MultiWorkerMirrored) spec.cluster.tfConfig = R"({"worker":["a:1","b:2"]})";
    spec.cluster.oversubscribe = random() % 2 == 0;
    spec.cluster.portBase = static_cast<int>(random() % 65535) + 1;
    spec.model.preset = pick<std::string>(random, {"mlp", "cnn", "resnet20", "transformer_classifier"});
    if (random() % 3 == 0) spec.model.kernelL2 = std::uniform_real_distribution<>(0, 1)(random);
    spec.data.dataset = pick<std::string>(random, {"mnist", "idx"});
    if (spec.data.dataset == "idx") spec.data.path = "/data/" + randomText(random);
    if (random() % 2 == 0) spec.data.shuffleSeed = random();
    spec.data.shuffle = random() % 2 == 0;
    spec.training.globalBatchSize = random() % 1000 + 1;
    spec.training.epochs = static_cast<int>(random() % 100) + 1;
    if (random() % 2 == 0) spec.training.steps = random() % 1000 + 1;
    OptimizerSpec& optimizer = spec.training.optimizer;
    optimizer.learningRate = std::uniform_real_distribution<>(0, 1)(random);
    if (random() % 2 == 0) {
        optimizer.name = "sgd";
        optimizer.momentum = std::uniform_real_distribution<>(0, 1)(random);
        optimizer.nesterov = random() % 2 == 0;
    } else {
        optimizer.beta1 = std::uniform_real_distribution<>(0, 0.99)(random);
        optimizer.epsilon = 1e-8;
    }
    spec.distribution.transport = pick<std::string>(random, {"auto", "shm", "tcp"});
    spec.distribution.bytesPerPack = random() % 1000000 + 1024;
    spec.checkpoint.every.reset();
    if (random() % 2 == 0) spec.checkpoint.every = Seconds(std::uniform_real_distribution<>(0.2, 99)(random));
    spec.checkpoint.keep = static_cast<int>(random() % 9) + 2;
    spec.stopOnNan = random() % 2 == 0;
    if (random() % 3 == 0) spec.stopTarget = "val_accuracy >= 0.5";
    if (random() % 3 == 0) spec.stopTime = Seconds(90);
    if (random() % 3 == 0) spec.training.accumulation = 4;
    if (random() % 3 == 0)
        spec.training.callbacks = {{"csv_logger", {{"filename", std::string("a b.csv")}, {"separator", std::string(";")}}},
                                   {"early_stopping", {{"patience", std::int64_t{3}}, {"min_delta", 0.5}, {"baseline", std::monostate{}}}}};
    return spec;
}

}  // namespace

class RunSpecTest : public QObject {
    Q_OBJECT
private slots:
    void defaults() {
        auto spec = parseRunSpec(kSmall, "spec.yaml");
        VERIFY_OK(spec);
        RunSpec expected;
        expected.name = "small";
        QVERIFY(*spec == expected);
    }

    void sgdHasItsOwnLearningRate() {
        QCOMPARE(parseWith("training: {optimizer: {name: sgd}}")->training.optimizer.learningRate, 0.01);
        QCOMPARE(parseWith("training: {optimizer: {name: sgd, learning_rate: 0.5}}")->training.optimizer.learningRate, 0.5);
        QCOMPARE(parseWith("training: {optimizer: {name: adam}}")->training.optimizer.learningRate, 0.001);
    }

    void presetsLoad_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("strategy");
        QTest::addColumn<int>("hosts");
        QTest::newRow("mirrored") << "mnist-mirrored.yaml"
                                  << "MirroredStrategy" << 1;
        QTest::newRow("multi worker") << "mnist-multi-worker.yaml"
                                      << "MultiWorkerMirroredStrategy" << 2;
        QTest::newRow("mlp") << "mnist-mlp.yaml"
                             << "OneDeviceStrategy" << 1;
    }

    void presetsLoad() {
        QFETCH(QString, file);
        QFETCH(QString, strategy);
        QFETCH(int, hosts);
        auto spec = loadRunSpec(test::sourceDir() / "resources/presets" / file.toStdString());
        VERIFY_OK(spec);
        QCOMPARE(QString::fromStdString(spec->name) + ".yaml", file);
        QCOMPARE(QString::fromUtf8(nameOf(spec->strategy).data()), strategy);
        QCOMPARE(static_cast<int>(spec->cluster.hosts.size()), hosts);
    }

    void printParseRoundTrip() {
        std::mt19937 random(1);
        for (int i = 0; i < 300; ++i) {
            const RunSpec spec = randomSpec(random);
            const std::string text = printRunSpec(spec);
            auto again = parseRunSpec(text, "printed.yaml");
            if (!again.ok()) QFAIL((again.error().toText() + "\n" + text).c_str());
            QVERIFY2(*again == spec, text.c_str());
            QCOMPARE(printRunSpec(*again), text);
        }
    }

    void errors_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* text, const char* code, const char* says) {
            QTest::newRow(name) << QString(text) << QString(code) << QString(says);
        };
        row("not YAML", "a: [1, 2", "S301", "spec.yaml:");
        row("a tab", "training:\n\tepochs: 3", "S301", "spec.yaml:3:");
        row("two documents", "---\nb: 1\n", "S301", "spec.yaml:");
        row("unknown key at the top", "sed: 1", "S302", "spec.yaml:2:1: unknown key \"sed\"; did you mean \"seed\"?");
        row("unknown key below", "training:\n  epochs: 3\n  optimiser: {name: sgd}", "S302",
            "spec.yaml:4:3: unknown key \"training.optimiser\"; did you mean \"optimizer\"?");
        row("unknown key of a host", "cluster:\n  hosts:\n    - {name: a, adress: localhost}", "S302",
            "spec.yaml:4:17: unknown key \"cluster.hosts[].adress\"; did you mean \"address\"?");
        row("unknown key like none", "zzzzzz: 1", "S302", "spec.yaml:2:1: unknown key \"zzzzzz\".");
        row("text for a number", "training:\n  epochs: many", "S303",
            "spec.yaml:3:11: training.epochs must be a whole number, found \"many\"");
        row("fraction for a whole number", "training: {epochs: 1.5}", "S303", "spec.yaml:2:20");
        row("quoted number", "training: {epochs: \"3\"}", "S303", "the text \"3\"");
        row("yes for true", "data: {shuffle: yes}", "S303", "data.shuffle must be true or false");
        row("list for a number", "seed: [1]", "S303", "found a list");
        row("number for a section", "training: 5", "S303", "training must be a map");
        row("null for a number", "training: {epochs: null}", "S303", "found nothing");
        row("map for hosts", "cluster: {hosts: {name: a}}", "S303", "must be a list of hosts");
        row("text for a list", "tags: one", "S303", "must be a list");
        row("no size", "distribution: {bytes_per_pack: big}", "S303", "a size such as");
        row("no duration", "checkpoint: {every: 5 parsecs}", "S303", "a time such as");
        row("zero epochs", "training: {epochs: 0}", "S304", "from 1 to 1000000");
        row("negative seed", "seed: -1", "S304", "seed");
        row("number too long", "training: {epochs: 99999999999999999999}", "S304", "training.epochs");
        row("infinite rate", "training: {optimizer: {learning_rate: .inf}}", "S303", "a number");
        row("port", "cluster: {port_base: 70000}", "S304", "from 1 to 65535");
        row("one checkpoint", "checkpoint: {keep: 1}", "S304", "checkpoint.keep");
        row("unknown choice", "model: {preset: ccn}", "S304", "did you mean \"cnn\"?");
        row("no devices", "cluster: {hosts: [{devices: []}]}", "S304", "at least one item");
        row("another schema", "schema: 2", "S304", "schema must be 1");
        row("no path", "data: {dataset: idx}", "S305", "data.path");
        row("alias", "tags: &t [a]\nnote: *t", "S309", "spec.yaml:2:7: anchors");
        row("lone alias", "note: *t", "S3", "spec.yaml:2:7");
        row("tag", "note: !!python/object x", "S309", "tags");
        row("twice", "seed: 1\nseed: 2", "S309", "spec.yaml:3:1: key \"seed\" is given twice");
        row("list as key", "[a]: 1", "S309", "a key must be a word");
        row("two hosts, one name", "strategy: MultiWorkerMirroredStrategy\ncluster: {hosts: [{name: a}, {name: a}]}", "S307",
            "are named \"a\"");
        row("mirrored on two hosts", "cluster: {hosts: [{name: a}, {name: b}]}", "S307", "MirroredStrategy runs on one host");
        row("one device strategy, two devices", "strategy: OneDeviceStrategy\ncluster: {hosts: [{devices: [cpu:0, cpu:1]}]}", "S307",
            "takes one device");
        row("momentum of adam", "training: {optimizer: {momentum: 0.9}}", "S307", "momentum belongs to sgd, rmsprop");
        row("epsilon of sgd", "training: {optimizer: {name: sgd, epsilon: 0.1}}", "S307", "epsilon belongs to adam");
        row("two chiefs", "strategy: MultiWorkerMirroredStrategy\ncluster: {hosts: [{name: a, roles: [chief]}, {name: b, roles: [chief]}]}",
            "S307", "2 chiefs");
        row("bad cluster", "strategy: MultiWorkerMirroredStrategy\ncluster: {tf_config: '{\"worker\": [\"a\"]}'}", "T315", "needs a port");
        row("cluster without strategy", "cluster: {tf_config: '{\"worker\": [\"a:1\"]}'}", "S307", "MultiWorkerMirroredStrategy");
    }

    void errors() {
        QFETCH(QString, text);
        QFETCH(QString, code);
        QFETCH(QString, says);
        auto spec = parseWith(text.toStdString());
        QVERIFY(!spec.ok());
        QVERIFY2(spec.error().code.starts_with(code.toStdString()), spec.error().toText().c_str());
        QVERIFY2(spec.error().message.find(says.toStdString()) != std::string::npos, spec.error().toText().c_str());
        QCOMPARE(spec.error().exitCode, 3);
        QVERIFY(!spec.error().next.empty());
    }

    void nameIsRequired() {
        VERIFY_ERROR(parseRunSpec("seed: 1\n", "spec.yaml"), "S305");
        VERIFY_ERROR(parseRunSpec("", "spec.yaml"), "S305");
        VERIFY_ERROR(parseRunSpec("name: ''\n", "spec.yaml"), "S304");
    }

    void notBuiltYet_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("key");
        for (const char* text :
             {"engine: tensorflow", "strategy: TPUStrategy", "strategy: ParameterServerStrategy", "data: {auto_shard_policy: FILE}",
              "training: {optimizer: {name: nadam}}", "training: {loss: hinge}", "distribution: {deterministic: true}",
              "distribution: {all_reduce: ring}", "distribution: {transport: nccl}", "tensorboard: {log_dir: x}", "on_worker_loss: shrink",
              "script: {path: train.py}", "tpu: {topology: 2x2}", "sweep: {seed: [1, 2]}", "time_limit: 1h", "cluster: {interface: eth0}",
              "cluster: {hosts: [{ssh: gpu-a}]}", "cluster: {hosts: [{roles: [ps]}]}"}) {
            QTest::newRow(text) << QString(text) << QString(text).section(':', 0, 0);
        }
    }

    void notBuiltYet() {
        QFETCH(QString, text);
        QFETCH(QString, key);
        auto spec = parseWith(text.toStdString());
        VERIFY_ERROR(spec, "X009");
        QCOMPARE(spec.error().exitCode, 9);
        QVERIFY2(spec.error().message.find("spec.yaml:2:") != std::string::npos, spec.error().message.c_str());
        QVERIFY2(spec.error().message.find(key.toStdString()) != std::string::npos, spec.error().message.c_str());
        QVERIFY(spec.error().message.find("not supported here") != std::string::npos);
    }

    void defaultsOfKeysNotBuiltAreAccepted() {
        VERIFY_OK(parseWith(
            "engine: native\ntraining: {mixed_precision: none, gradient_accumulation_steps: 1, memory_limit: null, callbacks: []}\n"
            "distribution: {wire_dtype: float32, sync_every: 1, balance: equal, slices: auto, deterministic: false}\n"
            "data: {validation_split: 0, augment: []}\nsweep: {}\non_worker_loss: stop\n"));
    }

    void overrides() {
        auto spec = parseRunSpec(kSmall + "cluster: {hosts: [{name: here, devices: [\"cpu:0\"]}]}\n", "spec.yaml",
                                 {"training.steps=60", "cluster.hosts.0.devices=[\"cpu:0\",\"cpu:1\"]", "name=other",
                                  "checkpoint.every=null", "training.optimizer={name: sgd, momentum: 0.9}", "note=a: b"});
        VERIFY_ERROR(spec, "S303");  // "note=a: b" is a map
        spec = parseRunSpec(kSmall + "cluster: {hosts: [{name: here, devices: [\"cpu:0\"]}]}\n", "spec.yaml",
                            {"training.steps=60", "cluster.hosts.0.devices=[\"cpu:0\",\"cpu:1\"]", "name=other", "checkpoint.every=null",
                             "training.optimizer={name: sgd, momentum: 0.9}", "note='a: b'"});
        VERIFY_OK(spec);
        QCOMPARE(*spec->training.steps, std::uint64_t(60));
        QCOMPARE(spec->cluster.hosts[0].devices.size(), std::size_t(2));
        QCOMPARE(spec->name, std::string("other"));
        QVERIFY(!spec->checkpoint.every);
        QCOMPARE(spec->training.optimizer.momentum, 0.9);
        QCOMPARE(spec->training.optimizer.learningRate, 0.01);
        QCOMPARE(spec->note, std::string("a: b"));
    }

    void badOverrides_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::newRow("no equals") << "training.steps"
                                   << "S306";
        QTest::newRow("empty part") << "training..steps=1"
                                    << "S306";
        QTest::newRow("empty key") << "=1"
                                   << "S306";
        QTest::newRow("below a value") << "name.x=1"
                                       << "S306";
        QTest::newRow("no such host") << "cluster.hosts.5.name=a"
                                      << "S306";
        QTest::newRow("index is a word") << "cluster.hosts.first.name=a"
                                         << "S306";
        QTest::newRow("not YAML") << "seed=[1"
                                  << "S306";
        QTest::newRow("an alias") << "seed=*a"
                                  << "S306";
        QTest::newRow("unknown") << "training.stepz=1"
                                 << "S302";
        QTest::newRow("type") << "training.steps=x"
                              << "S303";
        QTest::newRow("not built") << "distribution.deterministic=true"
                                   << "X009";
    }

    void badOverrides() {
        QFETCH(QString, text);
        QFETCH(QString, code);
        auto spec = parseRunSpec(kSmall + "cluster: {hosts: [{name: a}]}\n", "spec.yaml", {text.toStdString()});
        QVERIFY(!spec.ok());
        QCOMPARE(QString::fromStdString(spec.error().code), code);
        QVERIFY2(spec.error().message.find(text.toStdString()) != std::string::npos, spec.error().message.c_str());
    }

    void bombs() {
        VERIFY_ERROR(parseRunSpec(std::string(2u << 20, ' '), "big.yaml"), "S309");
        VERIFY_ERROR(parseRunSpec("a: " + std::string(5000, '[') + "\n", "deep.yaml"), "S309");
        std::string nested;
        for (int i = 0; i < 200; ++i) nested += std::string(i, ' ') + "a:\n";
        VERIFY_ERROR(parseRunSpec(nested, "deep.yaml"), "S309");
        std::string many = "name: a\ntags: [";
        for (int i = 0; i < 50000; ++i) many += "a,";
        VERIFY_ERROR(parseRunSpec(many + "a]\n", "many.yaml"), "S309");
        std::string laughs = "a: &a [x,x,x]\n";
        for (char c = 'b'; c < 'k'; ++c) laughs += std::string(1, c) + ": &" + c + " [*" + std::string(1, static_cast<char>(c - 1)) + "]\n";
        VERIFY_ERROR(parseRunSpec(laughs, "laughs.yaml"), "S309");
        VERIFY_ERROR(parseRunSpec(std::string("name: a\0b\n", 10), "nul.yaml"), "S301");
    }

    void missingFile() {
        test::Scratch scratch;
        auto spec = loadRunSpec(scratch / "absent.yaml");
        VERIFY_ERROR(spec, "F602");
        QCOMPARE(spec.error().exitCode, 3);
    }

    void hashIsOfTheNumbers() {
        const RunSpec base = *parseWith("");
        const std::string hash = specHash(base);
        QCOMPARE(hash.size(), std::size_t(64));
        RunSpec other = base;
        other.name = "x";
        other.note = "y";
        other.cluster.portBase = 5;
        other.training.epochs = 50;
        other.checkpoint.keep = 7;
        other.distribution.transport = "tcp";
        other.strategy = Strategy::OneDevice;
        other.data.shuffleSeed = 1;  // the run's own
        QCOMPARE(specHash(other), hash);
        for (const char* change : {"seed: 2", "model: {preset: mlp}", "training: {global_batch_size: 64}",
                                   "training: {optimizer: {learning_rate: 0.01}}", "data: {shuffle: false}", "data: {shuffle_seed: 5}"}) {
            QVERIFY2(specHash(*parseWith(change)) != hash, change);
        }
    }

    void mutatedTextsNeverCrash() {
        auto seed = readFile(test::sourceDir() / "resources/presets/mnist-multi-worker.yaml");
        VERIFY_OK(seed);
        std::mt19937 random(3);
        int refused = 0;
        for (int i = 0; i < 1500; ++i) {
            std::string text = *seed;
            for (std::size_t edits = random() % 4 + 1; edits > 0; --edits) {
                const std::size_t at = random() % text.size();
                switch (random() % 4) {
                    case 0: text[at] = static_cast<char>(random()); break;
                    case 1: text.erase(at, random() % 9 + 1); break;
                    case 2: text.insert(at, 1, "{}[]:,-&*!|>'\"%@#? \t\n"[random() % 22]); break;
                    default: text.insert(at, text.substr(random() % text.size(), random() % 40)); break;
                }
            }
            auto spec = parseRunSpec(text, "mutated.yaml");
            if (spec.ok()) {
                auto again = parseRunSpec(printRunSpec(*spec), "printed.yaml");
                if (!again.ok()) QFAIL((again.error().toText() + "\n" + text).c_str());
                QVERIFY2(*again == *spec, text.c_str());
            } else {
                ++refused;
                QVERIFY(spec.error().code != "X000");
            }
        }
        QVERIFY(refused > 100);
    }
};

LOCKSTEP_TEST(RunSpecTest)
#include "run_spec_test.moc"
