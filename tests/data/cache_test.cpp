#include "idx_files.h"

#include <support/scratch.h>
#include <support/test.h>

#include <base/checksum.h>
#include <data/cache.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <atomic>
#include <thread>

using namespace lockstep;
using namespace lockstep::data;

namespace {

constexpr std::uint32_t kRows = 50000;

std::vector<std::filesystem::path> filesWith(const std::filesystem::path& folder, const std::string& part) {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().filename().native().find(part) != std::string::npos) found.push_back(entry.path());
    return found;
}

bool holds(const Result<MappedFile>& file, const std::string& bytes) {
    return file.ok() && file->bytes().size() == bytes.size() && std::memcmp(file->bytes().data(), bytes.data(), bytes.size()) == 0;
}

// Overwrites one byte in place.
void damage(const std::filesystem::path& file, off_t at) {
    const Fd fd(::open(file.c_str(), O_RDWR));
    char byte = 0;
    if (pread(fd.get(), &byte, 1, at) != 1) return;
    byte = static_cast<char>(byte ^ 0x10);
    if (pwrite(fd.get(), &byte, 1, at) != 1) return;
}

ino_t inodeOf(const std::filesystem::path& file) {
    struct stat facts {};
    stat(file.c_str(), &facts);
    return facts.st_ino;
}

}  // namespace

class CacheTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_scratch.emplace();
        m_bytes = test::pictures(kRows);
        test::writeGzip(source(), m_bytes);
    }
    void madeOnceThenUsed() {
        QVERIFY(holds(openInflated(source(), cache()), m_bytes));
        const auto copy = filesWith(cache(), ".idx");
        QCOMPARE(copy.size(), std::size_t(1));
        const ino_t first = inodeOf(copy[0]);
        QVERIFY(holds(openInflated(source(), cache()), m_bytes));
        QVERIFY(holds(openInflated(source(), cache(), CacheCheck::Full), m_bytes));
        QCOMPARE(inodeOf(copy[0]), first);
        QCOMPARE(filesWith(cache(), ".tmp").size(), std::size_t(0));
    }
    void aCopyOfTheSourceSharesIt() {
        QVERIFY(holds(openInflated(source(), cache()), m_bytes));
        std::filesystem::copy_file(source(), *m_scratch / "clone.gz");
        QVERIFY(holds(openInflated(*m_scratch / "clone.gz", cache()), m_bytes));
        QCOMPARE(filesWith(cache(), ".idx").size(), std::size_t(1));
    }
    void anotherSourceUnderTheSameName() {
        QVERIFY(holds(openInflated(source(), cache()), m_bytes));
        const std::string other = test::pictures(kRows - 1);
        test::writeGzip(source(), other);
        QVERIFY(holds(openInflated(source(), cache()), other));
    }
    void damagedCopyIsMadeAgain_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("bit") << 0;
        QTest::newRow("cut") << 1;
        QTest::newRow("longer") << 2;
        QTest::newRow("gone") << 3;
        QTest::newRow("record") << 4;
        QTest::newRow("all records") << 5;
    }
    void damagedCopyIsMadeAgain() {
        QFETCH(int, kind);
        QVERIFY(holds(openInflated(source(), cache()), m_bytes));
        const auto copy = filesWith(cache(), ".idx")[0];
        if (kind == 0) damage(copy, 12345);
        if (kind == 1) std::filesystem::resize_file(copy, 1000);
        if (kind == 2) std::filesystem::resize_file(copy, m_bytes.size() + 4096);
        if (kind == 3) std::filesystem::remove(copy);
        if (kind == 4) damage(filesWith(cache(), ".source")[0], 40);
        if (kind == 5)
            for (const char* name : {".source", ".facts"}) std::filesystem::resize_file(filesWith(cache(), name)[0], 10);
        QVERIFY(holds(openInflated(source(), cache()), m_bytes));
        QVERIFY(holds(openInflated(source(), cache(), CacheCheck::Full), m_bytes));
    }
    void ranksStartTogether() {
        std::atomic<int> right = 0;
        {
            std::vector<std::jthread> ranks;
            for (int i = 0; i < 4; ++i) ranks.emplace_back([&] { right += holds(openInflated(source(), cache()), m_bytes) ? 1 : 0; });
        }
        QCOMPARE(right.load(), 4);
        QCOMPARE(filesWith(cache(), ".idx").size(), std::size_t(1));
        QCOMPARE(filesWith(cache(), ".tmp").size(), std::size_t(0));
    }
    void leftoversOfKilledRanksGo() {
        QVERIFY(holds(openInflated(source(), cache()), m_bytes));
        const auto copy = filesWith(cache(), ".idx")[0];
        test::writeBytes(copy.parent_path() / (copy.stem().native() + ".tmp-00ff00ff"), "half");
        std::filesystem::remove(copy);
        QVERIFY(holds(openInflated(source(), cache()), m_bytes));
        QCOMPARE(filesWith(cache(), ".tmp").size(), std::size_t(0));
    }
    void aHungHolderIsNamed() {
        std::filesystem::create_directories(cache());
        const Fd held(::open((cache() / "lock").c_str(), O_RDWR | O_CREAT, 0600));
        QCOMPARE(flock(held.get(), LOCK_EX), 0);
        VERIFY_ERROR(openInflated(source(), cache(), CacheCheck::Identity, Deadline::in(Seconds(0.02))), "F615");
    }
    void aBadSourceLeavesNothing() {
        const auto whole = readFile(source());
        test::writeBytes(source(), whole->substr(0, whole->size() / 2));
        VERIFY_ERROR(openInflated(source(), cache()), "F601");
        QCOMPARE(filesWith(cache(), ".idx").size(), std::size_t(0));
        QCOMPARE(filesWith(cache(), ".tmp").size(), std::size_t(0));
        VERIFY_ERROR(openInflated(*m_scratch / "none.gz", cache()), "F602");
    }

private:
    std::filesystem::path source() const { return *m_scratch / "train.gz"; }
    std::filesystem::path cache() const { return *m_scratch / "cache"; }

    std::optional<test::Scratch> m_scratch;
    std::string m_bytes;
};

LOCKSTEP_TEST(CacheTest)
#include "cache_test.moc"
