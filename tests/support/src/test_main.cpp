#include <support/test.h>

#ifdef LOCKSTEP_TEST_GUI
#include <QApplication>
using Application = QApplication;
#else
#include <QCoreApplication>
using Application = QCoreApplication;
#endif

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::test {
namespace {

struct Entry {
    std::string stem;
    Factory factory;
};

std::vector<Entry>& entries() {
    static std::vector<Entry> all;
    return all;
}

}  // namespace

bool registerTest(const char* file, Factory factory) {
    entries().push_back({std::filesystem::path(file).stem().string(), std::move(factory)});
    return true;
}

}  // namespace lockstep::test

int main(int argc, char** argv) {
    std::string only;
    std::vector<char*> rest{argv[0]};
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else
            rest.push_back(argv[i]);
    }
    int restCount = static_cast<int>(rest.size());
    Application app(restCount, rest.data());
    int failures = 0;
    int run = 0;
    for (const auto& entry : lockstep::test::entries()) {
        if (!only.empty() && entry.stem != only) continue;
        const auto object = entry.factory();
        failures += QTest::qExec(object.get(), static_cast<int>(rest.size()), rest.data());
        ++run;
    }
    if (run == 0) {
        std::fprintf(stderr, "no test class in %s\n", only.c_str());
        return 2;
    }
    return failures == 0 ? 0 : 1;
}
