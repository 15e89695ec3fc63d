// Memory before and while something runs: the ladder, a limit that is kept, and too little of it.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <QProcess>

#include <algorithm>
#include <cmath>

using namespace lockstep;
using test::Program;

namespace {

// Without batch normalisation, so that slices leave the update as it is.
const std::string kSpec =
    "schema: 1\nname: tight\nstrategy: OneDeviceStrategy\n"
    "cluster: {hosts: [{name: here, address: localhost, devices: ['cpu:0']}]}\n"
    "model: {preset: cnn}\n"
    "data: {dataset: synthetic, shape: [28, 28, 1], rows: 600}\n"
    "training: {global_batch_size: 256, epochs: 1}\n";
constexpr std::uint64_t kMiB = 1u << 20;

}  // namespace

class MemoryTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_program = std::make_unique<Program>();
        QVERIFY(replaceFile(m_program->folder() / "tight.yaml", kSpec).ok());
    }
    void cleanup() { m_program.reset(); }

    void theLadderSaysWhatFits() {
        const auto whole = m_program->run({"plan", "tight.yaml", "--json"});
        QVERIFY2(whole.code == 0, (whole.out + whole.err).c_str());
        const auto bytes = whole.json()["ranks"][0]["bytes"];
        // cnn on 256 rows: 26 · 26 · 32 values behind the first convolution alone, and once more its gradient.
        QVERIFY(bytes["activations"].get<std::uint64_t>() > std::uint64_t(2) * 256 * 26 * 26 * 32 * 4);
        QVERIFY(bytes["library"].get<std::uint64_t>() > 10 * kMiB);
        const auto ladder = m_program->run({"plan", "tight.yaml", "--fit-memory", "45MiB", "--json"});
        QVERIFY2(ladder.code == 0, (ladder.out + ladder.err).c_str());
        const auto json = ladder.json();
        const auto& first = json["rungs"][0];
        std::uint64_t all = 0;
        for (const auto& part : bytes) all += part.get<std::uint64_t>();
        QCOMPARE(first["bytes"]["total"].get<std::uint64_t>(), all);
        QVERIFY(!first["fits"].get<bool>());
        const auto& chosen = json["rungs"][json["chosen"].get<std::size_t>()];
        QVERIFY(chosen["fits"].get<bool>() && chosen["same_update"].get<bool>());
        QVERIFY(chosen["bytes"]["total"].get<std::uint64_t>() <= 45 * kMiB);
        const auto text = m_program->run({"plan", "tight.yaml", "--fit-memory", "45MiB"});
        QVERIFY2(text.out.find("slices") != std::string::npos && text.out.find("45 MiB") != std::string::npos, text.out.c_str());
        QCOMPARE(m_program->run({"plan", "tight.yaml", "--fit-memory", "much"}).code, 3);
    }
    void aLimitIsKept() {
        const auto whole = m_program->run({"run", "tight.yaml", "--json"});
        QVERIFY2(whole.code == 0, (whole.out + whole.err).c_str());
        const auto tight = m_program->run({"run", "tight.yaml", "training.memory_limit=45MiB", "--json"});
        QVERIFY2(tight.code == 0, (tight.out + tight.err).c_str());
        const double loss = whole.json()["loss"].get<double>();
        QVERIFY(std::abs(tight.json()["loss"].get<double>() - loss) < 1e-4 * loss);
        const auto kept = readFile(std::filesystem::path(tight.json()["folder"].get<std::string>()) / "plan.json", kMiB);
        VERIFY_OK(kept);
        const auto memory = test::Json::parse(*kept)["memory"];
        QVERIFY2(memory["slices_apart"].get<bool>(), memory.dump().c_str());
        QVERIFY(memory["why"].get<std::string>().find("45 MiB") != std::string::npos);
        const auto none = m_program->run({"run", "tight.yaml", "training.memory_limit=8MiB"});
        QCOMPARE(none.code, 4);
        QVERIFY2(none.err.starts_with("error M902: "), none.err.c_str());
    }
    // The processes may have 2 GiB of addresses, and the batch wants more: said before it is taken, with the next remedy.
    void tooLittleIsAnErrorWithARemedy() {
        QProcess shell;
        shell.setProcessEnvironment(m_program->environment());
        shell.setWorkingDirectory(QString::fromStdString(m_program->folder().string()));
        shell.start("/bin/sh",
                    {"-c", "ulimit -v 2097152; exec \"$0\" run tight.yaml data.rows=12000 training.global_batch_size=12000 --json",
                     test::programPath()});
        QVERIFY(shell.waitForFinished(60'000));
        const std::string out = shell.readAllStandardOutput().toStdString(), err = shell.readAllStandardError().toStdString();
        QVERIFY2(shell.exitCode() == 6, (out + err).c_str());
        const auto json = test::Json::parse(out, nullptr, false);
        QVERIFY2(!json.is_discarded(), out.c_str());
        const auto& error = json["error"];
        QCOMPARE(error["code"].get<std::string>(), std::string("M903"));
        QVERIFY2(error["cause"].get<std::string>().find("activations") != std::string::npos, out.c_str());
        QVERIFY2(error["next"].get<std::string>().find("distribution.slices") != std::string::npos, out.c_str());
    }

private:
    std::unique_ptr<Program> m_program;
};

LOCKSTEP_TEST(MemoryTest)
#include "memory_test.moc"
