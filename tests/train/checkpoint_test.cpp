#include "programs/checkpoints.h"

#include <support/scratch.h>
#include <support/test.h>

#include <base/checksum.h>
#include <base/file.h>
#include <train/checkpoint.h>
#include <train/checkpoint_writer.h>

#include <fstream>
#include <string_view>

using namespace lockstep;
using namespace lockstep::train;

namespace {

void overwrite(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string wholeFile(std::size_t elements) {
    test::Scratch scratch;
    const auto written = writeCheckpoint(scratch / "c", test::checkpointOf(12, elements));
    return written.ok() ? *readFile(scratch / "c") : std::string();
}

std::size_t filesIn(const std::filesystem::path& folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
    return count;
}

}  // namespace

class CheckpointTest : public QObject {
    Q_OBJECT
private slots:
    void comesBackWhole() {
        test::Scratch scratch;
        CheckpointStore store(scratch / "checkpoints");
        VERIFY_OK(store.prepare());
        auto first = store.loadNewest("abc");
        VERIFY_OK(first);
        QVERIFY(!first->has_value());
        for (const std::uint64_t step : {3u, 25u}) {
            const auto id = store.save(test::checkpointOf(step));
            VERIFY_OK(id);
            const auto loaded = store.loadNewest("abc");
            VERIFY_OK(loaded);
            QCOMPARE((*loaded)->id, *id);
            QVERIFY((*loaded)->checkpoint == test::checkpointOf(step));
            QVERIFY((*loaded)->skipped.empty());
        }
    }
    void notANumberComesBack() {
        test::Scratch scratch;
        auto checkpoint = test::checkpointOf(5);
        checkpoint.sums.loss = NAN;
        VERIFY_OK(writeCheckpoint(scratch / "c", checkpoint));
        const auto back = readCheckpoint(scratch / "c");
        VERIFY_OK(back);
        QVERIFY(std::isnan(back->sums.loss));
    }
    void keepsTheNewest() {
        test::Scratch scratch;
        CheckpointStore store(scratch.path(), 3);
        for (std::uint64_t step = 1; step <= 6; ++step) VERIFY_OK(store.save(test::checkpointOf(step)));
        QCOMPARE(filesIn(scratch.path()), std::size_t(4));
        const auto list = store.list();
        QCOMPARE(list.size(), std::size_t(3));
        QCOMPARE(list.front().step, std::uint64_t(4));
        QCOMPARE(list.back().id, std::string("step-0000000006"));
        QCOMPARE(list.back().bytes, std::filesystem::file_size(scratch / "step-0000000006.lsc"));
        QCOMPARE(list.back().specHash, std::string("abc"));
    }
    void keepsTwoAtLeast() {
        test::Scratch scratch;
        CheckpointStore store(scratch.path(), 0);
        for (std::uint64_t step = 1; step <= 4; ++step) VERIFY_OK(store.save(test::checkpointOf(step)));
        QCOMPARE(store.list().size(), std::size_t(2));
    }
    void damageFallsBackAndSaysSo() {
        test::Scratch scratch;
        CheckpointStore store(scratch.path());
        VERIFY_OK(store.save(test::checkpointOf(1)));
        VERIFY_OK(store.save(test::checkpointOf(2)));
        std::filesystem::resize_file(scratch / "step-0000000002.lsc", 500);
        auto loaded = store.loadNewest("abc");
        VERIFY_OK(loaded);
        QVERIFY((*loaded)->checkpoint == test::checkpointOf(1));
        QCOMPARE((*loaded)->skipped.size(), std::size_t(1));
        QCOMPARE((*loaded)->skipped[0].code, std::string("C701"));
        QVERIFY((*loaded)->skipped[0].message.find("step-0000000002") != std::string::npos);
        std::filesystem::remove(scratch / "step-0000000001.lsc");
        VERIFY_ERROR(store.loadNewest("abc"), "C701");
        // Training goes on from the earlier one: the damaged later one leaves the list.
        VERIFY_OK(store.save(test::checkpointOf(2)));
        loaded = store.loadNewest("abc");
        VERIFY_OK(loaded);
        QVERIFY((*loaded)->checkpoint == test::checkpointOf(2));
    }
    void anotherSpecificationIsRefused() {
        test::Scratch scratch;
        CheckpointStore store(scratch.path());
        VERIFY_OK(store.save(test::checkpointOf(1)));
        const auto loaded = store.loadNewest("other");
        VERIFY_ERROR(loaded, "C702");
        QCOMPARE(loaded.error().exitCode, 3);
    }
    void everyBitCounts() {
        std::string whole = wholeFile(256);
        for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
            whole[bit / 8] = static_cast<char>(whole[bit / 8] ^ 1 << bit % 8);
            VERIFY_ERROR(parseCheckpoint(asBytes(whole), "c"), "C701");
            whole[bit / 8] = static_cast<char>(whole[bit / 8] ^ 1 << bit % 8);
        }
        VERIFY_OK(parseCheckpoint(asBytes(whole), "c"));
    }
    void everyLengthCounts() {
        const std::string whole = wholeFile(256);
        for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
            VERIFY_ERROR(parseCheckpoint(asBytes(std::string_view(whole).substr(0, bytes)), "c"), "C701");
        VERIFY_ERROR(parseCheckpoint(asBytes(whole + '\0'), "c"), "C701");
    }
    void zeroPagesAreNoticed() {
        const std::string whole = wholeFile(20000);
        for (std::size_t at = 0; at < whole.size(); at += 4096) {
            std::string holed = whole;
            holed.replace(at, 4096, std::min<std::size_t>(4096, whole.size() - at), '\0');
            VERIFY_ERROR(parseCheckpoint(asBytes(holed), "c"), "C701");
        }
    }
    void damagedManifestIsReplacedByTheFiles() {
        test::Scratch scratch;
        CheckpointStore store(scratch.path());
        VERIFY_OK(store.save(test::checkpointOf(1)));
        VERIFY_OK(store.save(test::checkpointOf(2)));
        const auto whole = readFile(scratch / "manifest.json");
        VERIFY_OK(whole);
        // Whatever is done to the manifest, an earlier state or nothing is never loaded as the newest.
        for (std::size_t at = 0; at < whole->size(); at += 23) {
            std::string flipped = *whole;
            flipped[at] = static_cast<char>(flipped[at] ^ 0x02);
            overwrite(scratch / "manifest.json", at % 2 == 1 ? flipped : whole->substr(0, at));
            const auto loaded = store.loadNewest("abc");
            VERIFY_OK(loaded);
            QCOMPARE((*loaded)->checkpoint.step, std::uint64_t(2));
        }
        std::filesystem::remove(scratch / "manifest.json");
        VERIFY_OK(store.save(test::checkpointOf(3)));
        QCOMPARE(store.list().size(), std::size_t(2));
    }
    void uncommittedFileIsNotTheNewest() {
        test::Scratch scratch;
        CheckpointStore store(scratch.path());
        VERIFY_OK(store.save(test::checkpointOf(1)));
        VERIFY_OK(writeCheckpoint(scratch / "step-0000000009.lsc", test::checkpointOf(9)));  // killed before the manifest
        overwrite(scratch / "step-0000000011.lsc.tmp-12345678", "half");
        auto loaded = store.loadNewest("abc");
        VERIFY_OK(loaded);
        QCOMPARE((*loaded)->checkpoint.step, std::uint64_t(1));
        // … but it helps when the committed one is damaged.
        std::filesystem::resize_file(scratch / "step-0000000001.lsc", 100);
        loaded = store.loadNewest("abc");
        VERIFY_OK(loaded);
        QCOMPARE((*loaded)->checkpoint.step, std::uint64_t(9));
        VERIFY_OK(store.prepare());
        VERIFY_OK(store.save(test::checkpointOf(12)));
        QCOMPARE(filesIn(scratch.path()), std::size_t(3));
    }
    void hostileHeadersAreRefused() {
        // Right checksums around nonsense: the parser itself must hold.
        test::Scratch scratch;
        const auto path = scratch / "c";
        auto tooMany = test::checkpointOf(1);
        tooMany.tensors[0].type.shape = graph::Shape({1 << 20, 1 << 20, 1 << 20});
        VERIFY_OK(writeCheckpoint(path, tooMany));
        VERIFY_ERROR(readCheckpoint(path), "C701");
        std::filesystem::remove(path);
        auto negative = test::checkpointOf(1);
        negative.rows = -5;
        VERIFY_OK(writeCheckpoint(path, negative));
        VERIFY_ERROR(readCheckpoint(path), "C701");
        std::filesystem::remove(path);
        auto promised = test::checkpointOf(1);
        promised.tensors[2].type.shape = graph::Shape({1 << 28});  // a gigabyte that is not there
        VERIFY_OK(writeCheckpoint(path, promised));
        VERIFY_ERROR(readCheckpoint(path), "C701");
    }
    void writerWorksBesides() {
        test::Scratch scratch;
        {
            CheckpointWriter writer{CheckpointStore(scratch.path())};
            QVERIFY(writer.idle());
            QVERIFY(!writer.take());
            for (std::uint64_t step = 1; step <= 5; ++step) {
                QVERIFY(writer.idle());
                writer.snapshot() = test::checkpointOf(step);
                writer.submit();
                const auto outcome = writer.wait(Deadline::in(Seconds(30)));
                QVERIFY(outcome.has_value());
                QVERIFY(!outcome->error);
                QCOMPARE(outcome->step, step);
            }
            writer.snapshot() = test::checkpointOf(6);
            writer.submit();
        }
        const auto loaded = CheckpointStore(scratch.path()).loadNewest("abc");
        VERIFY_OK(loaded);
        QCOMPARE((*loaded)->checkpoint.step, std::uint64_t(6));
    }
    void writerReportsAndGoesOn() {
        test::Scratch scratch;
        CheckpointWriter writer{CheckpointStore(scratch / "later")};
        writer.snapshot() = test::checkpointOf(1);
        writer.submit();
        const auto failed = writer.wait(Deadline::in(Seconds(30)));
        QVERIFY(failed && failed->error && failed->error->code == "F604");
        std::filesystem::create_directory(scratch / "later");
        writer.snapshot() = test::checkpointOf(2);
        writer.submit();
        const auto saved = writer.wait(Deadline::in(Seconds(30)));
        QVERIFY(saved && !saved->error);
    }
};

LOCKSTEP_TEST(CheckpointTest)
#include "checkpoint_test.moc"
