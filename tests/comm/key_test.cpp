#include <support/scratch.h>
#include <support/test.h>

#include "ranks.h"

#include <base/file.h>
#include <comm/key.h>

#include <sys/stat.h>
#include <unistd.h>
#include <mutex>
#include <set>

using namespace lockstep;

class KeyTest : public QObject {
    Q_OBJECT
private slots:
    void madeOnceAndKept() {
        test::Scratch scratch;
        const auto file = scratch / "config" / "key";
        std::mutex mutex;
        std::set<std::string> keys;
        test::onEachRank(8, [&](int) {
            const auto key = comm::loadOrMakeKey(file);
            const std::scoped_lock lock(mutex);
            keys.insert(key.ok() ? *key : key.error().toText());
        });
        QCOMPARE(keys.size(), std::size_t{1});
        QCOMPARE(keys.begin()->size(), std::size_t{32});
        struct stat facts {};
        QCOMPARE(::stat(file.c_str(), &facts), 0);
        QCOMPARE(facts.st_mode & 0777, 0600u);
        QCOMPARE(readFile(file)->size(), std::size_t{65});
        int files = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(file.parent_path())) ++files;
        QCOMPARE(files, 1);
    }
    void refusals() {
        test::Scratch scratch;
        const auto file = scratch / "key";
        VERIFY_OK(replaceFile(file, std::string(64, 'a') + "\n", 0600));
        VERIFY_OK(comm::loadOrMakeKey(file));
        for (const unsigned mode : {0640u, 0604u, 0620u}) {
            ::chmod(file.c_str(), mode);
            VERIFY_ERROR(comm::loadOrMakeKey(file), "N405");
            QVERIFY(comm::loadOrMakeKey(file).error().next.find("chmod 600") != std::string::npos);
        }
        ::symlink(file.c_str(), (scratch / "link").c_str());
        VERIFY_ERROR(comm::loadOrMakeKey(scratch / "link"), "N405");
        for (const auto& text : {std::string(), std::string("abc"), std::string(64, 'g'), std::string(66, 'a')}) {
            VERIFY_OK(replaceFile(file, text, 0600));
            VERIFY_ERROR(comm::loadOrMakeKey(file), "N405");
            QVERIFY(comm::loadOrMakeKey(file).error().next.find("chmod") == std::string::npos);
        }
        VERIFY_ERROR(comm::loadOrMakeKey(scratch.path()), "N405");
    }
};

LOCKSTEP_TEST(KeyTest)
#include "key_test.moc"
