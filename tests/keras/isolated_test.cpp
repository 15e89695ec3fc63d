#include "fixtures.h"

#include <support/test.h>

#include "exchange.h"

#include <base/paths.h>
#include <keras/isolated.h>
#include <keras/safetensors.h>

#include <QProcess>

#include <sys/resource.h>
#include <chrono>
#include <fstream>

using namespace lockstep;
using namespace lockstep::keras;

namespace {

// A program that does what `body` says; $5 is the file for the answer.
std::filesystem::path script(const test::Scratch& folder, const std::string& body) {
    const auto path = folder / "reader";
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

}  // namespace

class IsolatedTest : public QObject {
    Q_OBJECT
private slots:
    void givesTheSame_data() {
        QTest::addColumn<QString>("name");
        for (const auto& name : test::goodFiles()) QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void givesTheSame() {
        QFETCH(QString, name);
        const auto file = test::kerasFixtures() / name.toStdString();
        const auto here = readKeras(file);
        VERIFY_OK(here);
        const auto apart = readKerasIsolated(file, {test::readerProgram(), Seconds(20)});
        VERIFY_OK(apart);
        QVERIFY(*apart == *here);
    }
    // The program itself, found beside this one.
    void throughTheProgram() {
        const auto file = test::kerasFixtures() / "more/transformer.keras";
        const auto apart = readKerasIsolated(file);
        VERIFY_OK(apart);
        QVERIFY(*apart == *readKeras(file));
        const auto refused = readKerasIsolated(test::kerasFixtures() / "bad/virtual.keras");
        VERIFY_ERROR(refused, "F651");
        VERIFY_ERROR(readKerasIsolated("-strange name"), "F602");
    }
    void limits() {
        const test::Scratch folder;
        QProcess reader;
        reader.start(QString::fromStdString(test::readerProgram().string()),
                     {"limits", QString::fromStdString((test::kerasFixtures() / "mlp.keras").string()),
                      QString::fromStdString((folder / "out").string())});
        QVERIFY(reader.waitForFinished(20'000));
        QCOMPARE(reader.exitCode(), 0);
        const auto fields = QString::fromUtf8(reader.readAllStandardOutput()).split(' ');
        QCOMPARE(fields.size(), 3);
        QCOMPARE(fields[0].toULongLong(), 0ull);
        QCOMPARE(fields[1].toULongLong(), 60ull);
        QVERIFY(fields[2].toULongLong() > 0 && fields[2].toULongLong() < RLIM_INFINITY >> 20);
        QVERIFY(readSafetensors(folder / "out").ok());
    }

    void processThatHangs() {
        const test::Scratch folder;
        const auto start = std::chrono::steady_clock::now();
        const auto read =
            readKerasIsolated("x.keras", {script(folder, "echo $$ > " + (folder / "pid").string() + "; exec sleep 600"), Seconds(0.5)});
        VERIFY_ERROR(read, "F657");
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
        // It was ended and reaped.
        const auto pid = readFile(folder / "pid");
        VERIFY_OK(pid);
        QVERIFY(!std::filesystem::exists("/proc/" + pid->substr(0, pid->size() - 1)));
    }
    void processThatBreaksDown_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* body, const char* words) { QTest::newRow(name) << body << words; };
        row("signal", "kill -SEGV $$", "broke down (signal 11)");
        row("time", "kill -XCPU $$", "too much time or memory");
        row("exit code", "exit 3", "exit code 3");
        row("no answer", "exit 0", "gave no answer");
        row("nonsense", "echo nonsense > $5", "an answer that is none");
        row("no model", R"(printf '\002\000\000\000\000\000\000\000{}' > $5)", "an answer that is none");
        row("unknown error",
            R"(printf '\070\000\000\000\000\000\000\000{"__metadata__":{"error":"Z999","message":"","cause":""}}   ' > $5)",
            "an answer that is none");
    }
    void processThatBreaksDown() {
        QFETCH(QString, body);
        QFETCH(QString, words);
        const test::Scratch folder;
        const auto read = readKerasIsolated("x.keras", {script(folder, body.toStdString()), Seconds(20)});
        VERIFY_ERROR(read, "F656");
        QVERIFY2(QString::fromStdString(read.error().message).contains(words), read.error().message.c_str());
    }
    void noProgram() { VERIFY_ERROR(readKerasIsolated("x.keras", {"/nowhere/lockstep", Seconds(5)}), "P801"); }

    // What a process that a file took over could answer.
    void answersThatLie() {
        const auto unpack = [](const Safetensors& values) {
            const auto bytes = printSafetensors(values);
            return unpackAnswer(*bytes, "x");
        };
        const std::vector<std::pair<std::string, std::string>> head{{"keras_version", "3"}, {"date_saved", "d"}, {"config", "{}"}};
        const auto with = [&](const std::string& groups, const std::string& optimizer, std::size_t tensors) {
            Safetensors values{head, {}};
            values.metadata.emplace_back("groups", groups);
            values.metadata.emplace_back("optimizer", optimizer);
            for (std::size_t i = 0; i < tensors; ++i)
                values.tensors.push_back({std::to_string(i), {Element::F32, {}, std::vector<std::byte>(4)}});
            return values;
        };
        VERIFY_OK(unpack(with(R"([["dense","d",2]])", R"([["","adam",1]])", 3)));
        for (const char* groups : {"", "{}", "[1]", R"([["dense","d"]])", R"([["dense","d",-1]])", R"([["dense","d",9223372036854775807]])",
                                   R"([["dense","d",3]])", R"([["dense",1,2]])", R"([["dense","d",1.5]])"})
            VERIFY_ERROR(unpack(with(groups, "[]", 2)), "F656");
        VERIFY_ERROR(unpack(with(R"([["dense","d",1]])", "[]", 2)), "F656");
        VERIFY_ERROR(unpack({head, {}}), "F656");
    }
};

LOCKSTEP_TEST(IsolatedTest)
#include "isolated_test.moc"
