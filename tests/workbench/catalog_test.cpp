#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <workbench/workbench.h>

#include <unistd.h>

using namespace lockstep;
using namespace lockstep::workbench;

class CatalogTest : public QObject {
    Q_OBJECT
private slots:
    void remembersTheNewestFirst() {
        test::Scratch scratch;
        const auto state = scratch / "state";
        auto catalog = makeProjectCatalog({{}, state});
        QVERIFY(catalog->recent().empty());
        VERIFY_OK(catalog->create(scratch / "a", "first"));
        const auto second = catalog->create(scratch / "b", "second");
        VERIFY_OK(second);
        QCOMPARE((*second)->project().name, std::string("second"));
        QVERIFY(!catalog->problem());
        QCOMPARE(namesOf(*catalog), (QStringList{"second", "first"}));
        // Another path to the same folder is the same project.
        VERIFY_OK(catalog->open(scratch / "b" / ".." / "a" / ""));
        QCOMPARE(namesOf(*catalog), (QStringList{"first", "second"}));
        QVERIFY(catalog->recent().front().opened > 0);
        // A later program reads the same list.
        QCOMPARE(namesOf(*makeProjectCatalog({{}, state})), (QStringList{"first", "second"}));
        VERIFY_OK(catalog->forget(scratch / "a"));
        QCOMPARE(namesOf(*catalog), (QStringList{"second"}));
        QVERIFY(std::filesystem::exists(scratch / "a" / "lockstep.project"));
    }
    void keepsTwenty() {
        test::Scratch scratch;
        auto catalog = makeProjectCatalog({{}, scratch / "state"});
        for (int i = 0; i < 22; ++i) VERIFY_OK(catalog->create(scratch / std::to_string(i), "p" + std::to_string(i)));
        const auto recent = catalog->recent();
        QCOMPARE(recent.size(), std::size_t{20});
        QCOMPARE(recent.front().project.name, std::string("p21"));
        QCOMPARE(recent.back().project.name, std::string("p2"));
    }
    void refusesWhatIsNoProject() {
        test::Scratch scratch;
        auto catalog = makeProjectCatalog({{}, scratch / "state"});
        VERIFY_ERROR(catalog->open(scratch / "nowhere"), "F630");
        VERIFY_OK(makeFolders(scratch / "p"));
        VERIFY_ERROR(catalog->open(scratch / "p"), "F632");
        VERIFY_OK(replaceFile(scratch / "p" / "lockstep.project", "hello"));
        VERIFY_ERROR(catalog->open(scratch / "p"), "F631");
        VERIFY_OK(replaceFile(scratch / "p" / "lockstep.project", "{\"schema\": 7, \"name\": \"x\"}"));
        VERIFY_ERROR(catalog->open(scratch / "p"), "F633");
        VERIFY_OK(replaceFile(scratch / "file", "x"));
        VERIFY_ERROR(catalog->create(scratch / "file" / "p", "p"), "F604");
        QVERIFY(catalog->recent().empty());
    }
    void tellsWhatHasGone() {
        test::Scratch scratch;
        auto catalog = makeProjectCatalog({{}, scratch / "state"});
        VERIFY_OK(catalog->create(scratch / "a", "first"));
        std::filesystem::rename(scratch / "a", scratch / "moved");
        const auto recent = catalog->recent();
        QCOMPARE(recent.size(), std::size_t{1});
        QCOMPARE(recent.front().project.name, std::string("first"));
        QVERIFY(recent.front().problem && recent.front().problem->code == "F630");
    }
    void aDamagedListIsAnEmptyOne_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("no json") << "{";
        QTest::newRow("a list") << "[1]";
        QTest::newRow("of other things") << R"({"schema": 1, "projects": [1, {"folder": 3}, {"name": "x"}, null]})";
        QTest::newRow("wrong type") << R"({"schema": 1, "projects": 9})";
    }
    void aDamagedListIsAnEmptyOne() {
        QFETCH(QString, text);
        test::Scratch scratch;
        VERIFY_OK(makeFolders(scratch / "state"));
        VERIFY_OK(replaceFile(scratch / "state" / "recent-projects.json", text.toStdString()));
        auto catalog = makeProjectCatalog({{}, scratch / "state"});
        QVERIFY(catalog->recent().empty());
        VERIFY_OK(catalog->create(scratch / "a", "first"));
        QCOMPARE(namesOf(*catalog), (QStringList{"first"}));
    }
    void opensAlsoWhereTheListCannotBeKept() {
        test::Scratch scratch;
        VERIFY_OK(createProject(scratch / "a", "first"));
        VERIFY_OK(replaceFile(scratch / "state", "a file where a folder should be"));
        auto catalog = makeProjectCatalog({{}, scratch / "state"});
        VERIFY_OK(catalog->open(scratch / "a"));
        QVERIFY(catalog->problem() && catalog->problem()->code == "F604");
    }
    void aFolderWhereNobodyMayWrite() {
        if (::geteuid() == 0) QSKIP("root may write everywhere");
        test::Scratch scratch;
        VERIFY_OK(createProject(scratch / "a", "first"));
        std::filesystem::permissions(scratch.path() / "a", std::filesystem::perms(0555));
        auto catalog = makeProjectCatalog({{}, scratch / "state"});
        VERIFY_OK(catalog->open(scratch / "a"));
        std::filesystem::permissions(scratch.path(), std::filesystem::perms(0555));
        VERIFY_ERROR(catalog->create(scratch / "b", "x"), "F604");
        std::filesystem::permissions(scratch.path(), std::filesystem::perms(0755));
        std::filesystem::permissions(scratch.path() / "a", std::filesystem::perms(0755));
    }

private:
    static QStringList namesOf(const api::ProjectCatalog& catalog) {
        QStringList names;
        for (const auto& entry : catalog.recent()) names << QString::fromStdString(entry.project.name);
        return names;
    }
};

LOCKSTEP_TEST(CatalogTest)
#include "catalog_test.moc"
