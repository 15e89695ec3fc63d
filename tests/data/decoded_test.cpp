#include "data_files.h"

#include <support/scratch.h>
#include <support/test.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <atomic>
#include <thread>

using namespace lockstep;
using namespace lockstep::data;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> copiesIn(const fs::path& folder, const std::string& end = ".rows") {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().native().ends_with(end)) found.push_back(entry.path());
    return found;
}

std::uint64_t inodeOf(const fs::path& file) {
    struct stat facts {};
    return stat(file.c_str(), &facts) == 0 ? facts.st_ino : 0;
}

}  // namespace

// The cache of decoded rows.
class DecodedTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_scratch = std::make_unique<test::Scratch>();
        std::string text = "a,b,label\n";
        for (int i = 0; i < 500; ++i) text += std::to_string(i) + "," + std::to_string(i * 0.5) + "," + std::to_string(i % 3) + "\n";
        test::writeBytes(*m_scratch / "x.csv", text);
        m_options = test::loadOptions("csv", *m_scratch / "x.csv", *m_scratch / "cache");
    }
    void madeOnceAndUsedAgain() {
        VERIFY_OK(loadDataset(m_options));
        const auto made = copiesIn(m_options.cacheFolder);
        QCOMPARE(made.size(), std::size_t(1));
        const auto inode = inodeOf(made[0]);
        const auto again = loadDataset(m_options);
        VERIFY_OK(again);
        check(*again);
        QCOMPARE(inodeOf(made[0]), inode);
        // Read another way it is another copy.
        m_options.label = "a";
        VERIFY_OK(loadDataset(m_options));
        QCOMPARE(copiesIn(m_options.cacheFolder).size(), std::size_t(2));
    }
    void damageIsSeen() {
        for (const off_t at : {0L, 40L, 5000L}) {
            VERIFY_OK(loadDataset(m_options));
            const auto made = copiesIn(m_options.cacheFolder)[0];
            const auto inode = inodeOf(made);
            {
                const Fd fd(::open(made.c_str(), O_RDWR));
                QVERIFY(pwrite(fd.get(), "\x55\x66", 2, at) == 2);
            }
            const auto again = loadDataset(m_options);
            VERIFY_OK(again);
            check(*again);
            QVERIFY(inodeOf(made) != inode);
        }
    }
    void cutAndRemoved() {
        VERIFY_OK(loadDataset(m_options));
        const auto made = copiesIn(m_options.cacheFolder)[0];
        fs::resize_file(made, 100);
        auto again = loadDataset(m_options);
        VERIFY_OK(again);
        check(*again);
        for (const auto& record : copiesIn(m_options.cacheFolder, ".record")) test::writeBytes(record, "lockstep-cache 1\nnonsense\n");
        again = loadDataset(m_options);
        VERIFY_OK(again);
        check(*again);
    }
    // Touched, but with the right bytes: checked once by its checksum and kept.
    void touchedCopyIsCheckedAndKept() {
        VERIFY_OK(loadDataset(m_options));
        const auto made = copiesIn(m_options.cacheFolder)[0];
        const auto inode = inodeOf(made);
        fs::last_write_time(made, fs::file_time_type::clock::now() + std::chrono::hours(1));
        const auto again = loadDataset(m_options);
        VERIFY_OK(again);
        check(*again);
        QCOMPARE(inodeOf(made), inode);
        m_options.check = CacheCheck::Full;
        check(*loadDataset(m_options));
    }
    void leftoversOfKilledProcessesGo() {
        VERIFY_OK(loadDataset(m_options));
        const auto made = copiesIn(m_options.cacheFolder)[0];
        const fs::path leftover = made.parent_path() / (made.stem().string() + ".tmp-12345678");
        test::writeBytes(leftover, "x");
        fs::remove(made);
        VERIFY_OK(loadDataset(m_options));
        QVERIFY(!fs::exists(leftover));
    }
    void failuresLeaveNothing() {
        test::writeBytes(*m_scratch / "x.csv", "a,label\n1,0\nx,1\n");
        VERIFY_ERROR(loadDataset(m_options), "F621");
        QVERIFY(copiesIn(m_options.cacheFolder).empty());
        for (const auto& entry : fs::directory_iterator(m_options.cacheFolder)) QVERIFY(entry.path().extension() == ".lock");
    }
    void manyAtOnce() {
        std::atomic<int> right{0};
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 6; ++i)
                threads.emplace_back([&] {
                    const auto dataset = loadDataset(m_options);
                    if (dataset.ok() && dataset->train.rows == 500 && test::floatAt(dataset->train, 999) == 249.5f) ++right;
                });
        }
        QCOMPARE(right.load(), 6);
        QCOMPARE(copiesIn(m_options.cacheFolder).size(), std::size_t(1));
    }

private:
    static void check(const Dataset& dataset) {
        QCOMPARE(dataset.train.rows, 500);
        QCOMPARE(test::floatAt(dataset.train, 2 * 499), 499.0f);
        QCOMPARE(test::floatAt(dataset.train, 2 * 499 + 1), 249.5f);
        QCOMPARE(dataset.train.labels[499], 1);
    }
    std::unique_ptr<test::Scratch> m_scratch;
    LoadOptions m_options;
};

LOCKSTEP_TEST(DecodedTest)
#include "decoded_test.moc"
