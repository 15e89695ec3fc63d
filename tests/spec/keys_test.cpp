#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <spec/keys.h>
#include <spec/nearest.h>
#include <spec/run_spec.h>

#include <nlohmann/json.hpp>

#include <set>

using namespace lockstep;
using namespace lockstep::spec;

namespace {

void collect(const nlohmann::json& schema, const std::string& prefix, std::set<std::string>& paths) {
    for (const auto& [name, member] : schema.at("properties").items()) {
        const std::string path = prefix.empty() ? name : prefix + "." + name;
        if (member.contains("properties")) {
            collect(member, path, paths);
        } else if (member.contains("items") && member.at("items").contains("properties")) {
            collect(member.at("items"), path + "[]", paths);
        } else {
            paths.insert(path);
        }
    }
}

}  // namespace

class KeysTest : public QObject {
    Q_OBJECT
private slots:
    void shippedSchemaIsCurrent() {
        const auto path = test::sourceDir() / "resources/schema/run-spec.schema.json";
        if (qEnvironmentVariableIsSet("LOCKSTEP_UPDATE")) VERIFY_OK(replaceFile(path, runSpecSchema()));
        auto file = readFile(path);
        VERIFY_OK(file);
        QVERIFY2(*file == runSpecSchema(), "run test_spec with LOCKSTEP_UPDATE=1 and look at the difference");
    }

    void schemaHasTheKeysOfTheParser() {
        std::set<std::string> inSchema;
        collect(nlohmann::json::parse(runSpecSchema()), "", inSchema);
        std::set<std::string> inParser;
        for (const KeyInfo& key : runSpecKeys()) {
            if (key.supported) inParser.insert(key.path);
        }
        QCOMPARE(inSchema, inParser);
        QVERIFY(inParser.size() > 30);
    }

    void fallbacksOfTheTableAreTheDefaults() {
        const RunSpec defaults = *parseRunSpec("name: a\n", "a.yaml");
        for (const KeyInfo& key : runSpecKeys()) {
            if (key.fallback.empty() || key.path.find("[]") != std::string::npos) continue;
            auto spec = parseRunSpec("name: a\n", "a.yaml", {key.path + "=" + key.fallback});
            if (!spec.ok()) QFAIL((key.path + ": " + spec.error().toText()).c_str());
            QVERIFY2(*spec == defaults, key.path.c_str());
        }
    }

    void everyKeyNotBuiltSaysSo() {
        int count = 0;
        for (const KeyInfo& key : runSpecKeys()) {
            if (key.supported || key.path.find("[]") != std::string::npos) continue;
            auto spec = parseRunSpec("name: a\n", "a.yaml", {key.path + "=\"another value\""});
            QVERIFY(!spec.ok());
            // A value of the wrong kind is told first.
            const std::string& code = spec.error().code;
            QVERIFY2(code == "X009" || code == "S303" || code == "S304", spec.error().toText().c_str());
            QVERIFY2(spec.error().message.find(key.path) != std::string::npos, spec.error().message.c_str());
            ++count;
        }
        QVERIFY(count > 25);
    }

    void nearestWords() {
        QCOMPARE(nearestWord("epoch", {"steps", "epochs"}), std::optional<std::string>("epochs"));
        QCOMPARE(nearestWord("Worker", {"chief", "worker"}), std::optional<std::string>("worker"));
        QCOMPARE(nearestWord("clutser", {"task", "cluster"}), std::optional<std::string>("cluster"));
        QCOMPARE(nearestWord("resmue", {"status", "stop", "resume"}), std::optional<std::string>("resume"));
        QVERIFY(!nearestWord("bench", {"status", "stop", "resume"}));
        QVERIFY(!nearestWord("banana", {"cluster", "task"}));
        QVERIFY(!nearestWord("", {"a"}));
        QVERIFY(!nearestWord(std::string(100000, 'a'), {std::string(64, 'a')}));
        QCOMPARE(editDistance("abcd", "abdc"), std::size_t(1));
        QCOMPARE(editDistance("", "abc"), std::size_t(3));
        QCOMPARE(editDistance("kitten", "sitting"), std::size_t(3));
    }
};

LOCKSTEP_TEST(KeysTest)
#include "keys_test.moc"
