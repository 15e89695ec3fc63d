#include <support/test.h>

#include <models/log_line.h>

using namespace lockstep::models;

class LogLineTest : public QObject {
    Q_OBJECT
private slots:
    void levels_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("level");  // -1: the line does not say
        const auto row = [](const char* text, int level) { QTest::newRow(text) << QString(text) << level; };
        row("2026-03-01T12:00:00.250Z I rank 0: started", 1);
        row("2026-03-01T12:00:00.250Z W rank 0: slow", 2);
        row("2026-03-01T12:00:00.250Z E rank 0: ERROR?", 3);
        row("2026-03-01T12:00:00.250Z I rank 0: an ERROR of words", 1);
        row("2026-03-01T12:00:00.250Z D x", 0);
        row("E0301 12:00:00.000000 1 file.cc:1] broken", 3);
        row("W0301 12:00:00.000000 1 file.cc:1] odd", 2);
        row("2026-03-01 12:00:00.123456: W tensorflow/core/x.cc:12] odd", 2);
        row("2026-03-01 12:00:00.123456: I tensorflow/core/x.cc:12] fine", 1);
        row("WARNING:root:careful", 2);
        row("INFO: done", 1);
        row("[ERROR] out of memory", 3);
        row("Traceback (most recent call last):", 3);
        row("ValueError: bad", 3);
        row("some.module.CustomException: bad", 3);
        row("error R502: Rank 1 ended", 3);
        row("terminate called after throwing an instance of 'x'", 3);
        row("a.cpp:12: f(): Assertion `x' failed.", 3);
        row("Segmentation fault (core dumped)", 3);
        row("error in words", -1);
        row("TERRORS everywhere", -1);
        row("Epoch 1/3 loss: 0.5", -1);
        row("", -1);
        row("E", -1);
        row("this has an Error: in it", -1);
    }
    void levels() {
        QFETCH(QString, text);
        QFETCH(int, level);
        const auto found = levelOfLine(text.toStdString());
        QCOMPARE(found ? static_cast<int>(*found) : -1, level);
    }
    void messages() {
        QCOMPARE(messageOfLine("2026-03-01T12:00:00.250Z I rank 12: started"), std::string_view("started"));
        QCOMPARE(messageOfLine("2026-03-01T12:00:00.250Z W controller: slow"), std::string_view("slow"));
        QCOMPARE(messageOfLine("2026-03-01T12:00:00.250Z no level"), std::string_view("no level"));
        QCOMPARE(messageOfLine("2026-03-01T12:00:00.250Z I rank and file"), std::string_view("rank and file"));
        QCOMPARE(messageOfLine("plain"), std::string_view("plain"));
        QCOMPARE(messageOfLine(""), std::string_view(""));
    }
    void dated() {
        QVERIFY(isDated("2026-03-01T12:00:00.250Z I rank 12: started"));
        QVERIFY(!isDated("2026-03-01 12:00:00.1: W tensorflow/x.cc:12] odd"));
        QVERIFY(!isDated("  cause: none"));
    }
    void cleaned() {
        QCOMPARE(cleanLine("plain"), std::string("plain"));
        QCOMPARE(cleanLine("\x1b[31mred\x1b[0m text"), std::string("red text"));
        QCOMPARE(cleanLine("10 %\r20 %\r30 %\r"), std::string("30 %"));
        QCOMPARE(cleanLine("a\tb\x01"), std::string("a    b"));
        QCOMPARE(cleanLine("cut \x1b[3"), std::string("cut "));
        QCOMPARE(cleanLine("\x1b"), std::string(""));
        QCOMPARE(cleanLine("ümläut"), std::string("ümläut"));
    }
};

LOCKSTEP_TEST(LogLineTest)
#include "log_line_test.moc"
