// What is known before anything starts: plans from the real shape of the data, validation of what needs no other machine, the doctor.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <algorithm>

using namespace lockstep;
using test::Program;

namespace {

std::string idx(const std::vector<unsigned>& shape, unsigned top) {
    std::string bytes("\0\0\x08", 3);
    bytes += static_cast<char>(shape.size());
    std::size_t count = 1;
    for (const unsigned size : shape) {
        for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift);
        count *= size;
    }
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i % top);
    return bytes;
}

const std::string kSpec =
    "schema: 1\nname: own\nstrategy: MirroredStrategy\n"
    "cluster:\n  hosts: [{name: here, address: localhost, devices: ['cpu:0', 'cpu:1']}]\n  oversubscribe: true\n"
    "model: {preset: mlp}\n"
    "data: {dataset: idx, path: files}\n"
    "training:\n  global_batch_size: 8\n  steps: 3\n";

}  // namespace

class ChecksTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_program = std::make_unique<Program>();
        const auto folder = m_program->folder() / "p/files";
        std::filesystem::create_directories(folder);
        QVERIFY(replaceFile(folder / "train-images-idx3-ubyte", idx({20, 32, 40}, 251)).ok());
        QVERIFY(replaceFile(folder / "train-labels-idx1-ubyte", idx({20}, 7)).ok());
        QVERIFY(replaceFile(m_program->folder() / "p/own.yaml", kSpec).ok());
    }
    void cleanup() { m_program.reset(); }

    // 32 × 40 pixels and 7 classes through the preset's 128 units; from another folder than the specification's.
    void plansKnowTheShapeOfTheData() {
        const std::size_t weights = 4 * ((32 * 40) * 128 + 128 + 128 * 7 + 16);  // the last 7 take a cache line
        const auto plan = m_program->run({"plan", "p/own.yaml", "--json"});
        QVERIFY2(plan.code == 0, (plan.out + plan.err).c_str());
        QCOMPARE(plan.json()["ranks"][0]["bytes"]["weights"].get<std::size_t>(), weights);
        const auto run = m_program->run({"run", "p/own.yaml", "--json"});
        QVERIFY2(run.code == 0, (run.out + run.err).c_str());
        const auto stored = readFile(std::filesystem::path(run.json()["folder"].get<std::string>()) / "plan.json", 1u << 20);
        VERIFY_OK(stored);
        QCOMPARE(test::Json::parse(*stored)["ranks"][1]["bytes"]["weights"].get<std::size_t>(), weights);
    }
    void validationLooksAtTheData() {
        const auto good = m_program->run({"validate", "p/own.yaml"});
        QVERIFY2(good.code == 0, (good.out + good.err).c_str());
        std::filesystem::remove(m_program->folder() / "p/files/train-labels-idx1-ubyte");
        for (const char* command : {"validate", "plan", "run"}) {
            const auto missing = m_program->run({command, "p/own.yaml"});
            QCOMPARE(missing.code, 3);
            QVERIFY2(missing.err.starts_with("error F602: "), missing.err.c_str());
            QVERIFY2(missing.err.find("train-labels-idx1-ubyte") != std::string::npos, missing.err.c_str());
        }
        QVERIFY(m_program->run({"validate", "p/own.yaml"}).err.find("p/own.yaml:8:28") != std::string::npos);
        QVERIFY(m_program->run({"validate", "p/own.yaml", "data.path=/none"}).err.find("override \"data.path=/none\"") !=
                std::string::npos);
        QVERIFY(!std::filesystem::exists(m_program->folder() / "runs"));
    }
    void validationCountsTheReplicas() {
        QVERIFY(replaceFile(m_program->folder() / "p/own.yaml", kSpec + "  epochs: 1\n").ok());
        const auto small = m_program->run({"validate", "p/own.yaml", "training.global_batch_size=1"});
        QCOMPARE(small.code, 3);
        QVERIFY2(small.err.starts_with("error S310: override \"training.global_batch_size=1\": a batch of 1 rows"), small.err.c_str());
        auto text = kSpec;
        text.replace(text.find("size: 8"), 7, "size: 1");
        QVERIFY(replaceFile(m_program->folder() / "p/own.yaml", text).ok());
        for (const char* command : {"validate", "plan"}) {
            const auto placed = m_program->run({command, "p/own.yaml"});
            QCOMPARE(placed.code, 3);
            QVERIFY2(placed.err.starts_with("error S310: p/own.yaml:10:22: a batch of 1 rows can't be cut into 2 slices."),
                     placed.err.c_str());
        }
    }
    void theDoctorNamesTheLibraries() {
        const auto report = m_program->run({"doctor", "--json"}).json();
        const auto text = m_program->run({"doctor"}).out;
        for (const std::string library :
             {"oneDNN", "gRPC", "protobuf", "SQLite", "zlib", "libpng", "libjpeg-turbo", "OpenSSL", "yaml-cpp"}) {
            std::string found;
            for (const auto& check : report["checks"])
                if (check["check"] == "library_" + library) found = check["found"].get<std::string>();
            // "SQLite 3.40.1"
            QVERIFY2(found.starts_with(library + " ") && std::ranges::count(found, '.') >= 1, (library + ": " + found).c_str());
            QVERIFY2(std::isdigit(static_cast<unsigned char>(found[library.size() + 1])), found.c_str());
            QVERIFY2(text.find(found) != std::string::npos, text.c_str());
        }
    }
    void initSaysWhereToGo() {
        std::filesystem::create_directories(m_program->folder() / "here");
        QVERIFY(m_program->run({"init", "a b"}).err.find("Next: cd 'a b' && lockstep run") != std::string::npos);
        const auto here = m_program->run({"init", "."});
        QVERIFY2(here.err.find("Next: lockstep run") != std::string::npos, here.err.c_str());
    }

private:
    std::unique_ptr<Program> m_program;
};

LOCKSTEP_TEST(ChecksTest)
#include "checks_test.moc"
