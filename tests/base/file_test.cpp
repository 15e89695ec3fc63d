#include <fcntl.h>

#include <support/scratch.h>
#include <support/test.h>

#include <base/checksum.h>
#include <base/file.h>
#include <base/units.h>

using namespace lockstep;

class FileTest : public QObject {
    Q_OBJECT
private slots:
    void aFolderThatCannotBeMadeSaysWhy() {
        // Nobody may make folders in /sys, so the parent is missing too: that is not the reason.
        if (!std::filesystem::is_directory("/sys/kernel")) QSKIP("no /sys here");
        const auto made = makeFolders("/sys/lockstep-test/inner");
        VERIFY_ERROR(made, "F604");
        QVERIFY2(made.error().message.find("No such file") == std::string::npos, made.error().message.c_str());
    }
    void replaceThenRead() {
        test::Scratch scratch;
        VERIFY_OK(replaceFile(scratch / "a", "one"));
        VERIFY_OK(replaceFile(scratch / "a", "two"));
        const auto text = readFile(scratch / "a");
        VERIFY_OK(text);
        QCOMPARE(*text, std::string("two"));
        int files = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(scratch.path())) ++files;
        QCOMPARE(files, 1);
    }
    void refusals() {
        test::Scratch scratch;
        VERIFY_ERROR(readFile(scratch / "none"), "F602");
        VERIFY_OK(replaceFile(scratch / "big", std::string(100, 'x')));
        VERIFY_ERROR(readFile(scratch / "big", 99), "F606");
        VERIFY_ERROR(replaceFile(scratch / "no" / "folder", "x"), "F604");
        VERIFY_ERROR(readFile("/dev/full/x"), "F602");
    }
    void fullDisk() {
        const Fd full(::open("/dev/full", 1));
        VERIFY_ERROR(writeAll(full.get(), asBytes("x"), "/dev/full"), "F605");
    }
    void checksums() {
        // RFC 3720 B.4 and RFC 4231 test case 2.
        QCOMPARE(crc32c(asBytes(std::string(32, '\0'))), 0x8a9136aau);
        QCOMPARE(crc32c(asBytes("6789"), crc32c(asBytes("12345"))), 0xe3069283u);
        QCOMPARE(toHex(hmacSha256(asBytes("Jefe"), asBytes("what do ya want for nothing?"))),
                 std::string("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
    }
    void quantities() {
        QCOMPARE(*parseBytes("25MiB"), std::uint64_t{26214400});
        QCOMPARE(*parseBytes("1.5 kB"), std::uint64_t{1500});
        VERIFY_ERROR(parseBytes("5 lightyears"), "S308");
        VERIFY_ERROR(parseBytes("-1"), "S308");
        QCOMPARE(parseDuration("500ms")->count(), 0.5);
        VERIFY_ERROR(parseDuration("0s"), "S308");
        QCOMPARE(formatBytes(26214400), std::string("25 MiB"));
        QCOMPARE(formatDuration(Seconds(90)), std::string("1 min 30 s"));
    }
};

LOCKSTEP_TEST(FileTest)
#include "file_test.moc"
