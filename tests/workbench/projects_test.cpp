#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <workbench/workbench.h>

using namespace lockstep;
using namespace lockstep::workbench;

class ProjectsTest : public QObject {
    Q_OBJECT
private slots:
    void createsOnce() {
        test::Scratch scratch;
        const auto folder = scratch / "digits";
        const auto made = createProject(folder, "digits");
        VERIFY_OK(made);
        QVERIFY(made->origin == api::ProjectOrigin::Created);
        QCOMPARE(made->files.size(), std::size_t{2});
        QVERIFY(std::filesystem::is_directory(folder / "runs"));

        VERIFY_OK(replaceFile(folder / "experiments/mnist.yaml", "mine"));
        const auto again = createProject(folder, "other");
        VERIFY_OK(again);
        QVERIFY(again->origin == api::ProjectOrigin::AlreadyThere);
        QCOMPARE(again->project.name, std::string("digits"));
        QCOMPARE(*readFile(folder / "experiments/mnist.yaml"), std::string("mine"));
    }
    void keepsAPersonsFile() {
        test::Scratch scratch;
        std::filesystem::create_directories(scratch / "p" / "experiments");
        VERIFY_OK(replaceFile(scratch / "p" / "experiments/mnist.yaml", "mine"));
        VERIFY_OK(createProject(scratch / "p", "p"));
        QCOMPARE(*readFile(scratch / "p" / "experiments/mnist.yaml"), std::string("mine"));
    }
    void refusesForeignProjectFiles_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("no json") << "hello";
        QTest::newRow("a list") << "[]";
        QTest::newRow("schema of another type") << "{\"schema\": \"1\", \"name\": \"x\"}";
        QTest::newRow("schema nobody made") << "{\"schema\": 0, \"name\": \"x\"}";
        QTest::newRow("no name") << "{\"schema\": 1}";
        QTest::newRow("name of another type") << "{\"schema\": 1, \"name\": 7}";
    }
    void refusesForeignProjectFiles() {
        QFETCH(QString, text);
        test::Scratch scratch;
        VERIFY_OK(replaceFile(scratch / "lockstep.project", text.toStdString()));
        VERIFY_ERROR(createProject(scratch.path(), "x"), "F631");
    }
    void refusesANewerProject() {
        test::Scratch scratch;
        VERIFY_OK(replaceFile(scratch / "lockstep.project", "{\"schema\": 2, \"name\": \"x\"}"));
        VERIFY_ERROR(createProject(scratch.path(), "x"), "F633");
    }
    void cannotWrite() {
        test::Scratch scratch;
        VERIFY_OK(replaceFile(scratch / "file", "x"));
        VERIFY_ERROR(createProject(scratch / "file" / "p", "p"), "F604");
    }
    void findsTheNearest() {
        test::Scratch scratch;
        VERIFY_OK(createProject(scratch / "a", "a"));
        std::filesystem::create_directories(scratch / "a" / "x/y");
        QCOMPARE(findProject(scratch / "a" / "x/y"), scratch / "a");
        QCOMPARE(findProject(scratch / "a"), scratch / "a");
        std::filesystem::create_directories(scratch / "b");
        QCOMPARE(findProject(scratch / "b"), scratch / "b");
    }
};

LOCKSTEP_TEST(ProjectsTest)
#include "projects_test.moc"
