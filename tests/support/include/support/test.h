// Registration of Qt Test classes: one test program per folder, one class per file, one CTest entry per class.
//
//   class ShapeTest : public QObject { Q_OBJECT private slots: void elementsOfAScalar(); … };
//   LOCKSTEP_TEST(ShapeTest)
//   #include "shape_test.moc"
//
// `test_graph` runs every class of the program, `test_graph --only shape_test` those of one file.
#pragma once

#include <QObject>
#include <QtTest>

#include <functional>
#include <memory>

namespace lockstep::test {

using Factory = std::function<std::unique_ptr<QObject>()>;

// Called before main() by LOCKSTEP_TEST. `file` is __FILE__ of the test.
bool registerTest(const char* file, Factory factory);

}  // namespace lockstep::test

#define LOCKSTEP_TEST(Class) \
    static const bool registered_##Class = ::lockstep::test::registerTest(__FILE__, [] { return std::make_unique<Class>(); });

// Fails the test with the whole error text when a Result is not ok.
#define VERIFY_OK(result)                                             \
    do {                                                              \
        if (!(result).ok()) QFAIL((result).error().toText().c_str()); \
    } while (false)

// Fails unless the Result is an error with this code.
#define VERIFY_ERROR(result, expectedCode)                                              \
    do {                                                                                \
        if ((result).ok()) QFAIL("expected error " expectedCode ", got a value");       \
        QCOMPARE(QString::fromStdString((result).error().code), QString(expectedCode)); \
    } while (false)
