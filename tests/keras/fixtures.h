// What the tests of this folder share: where the files are, and archives made of parts.
#pragma once

#include <base/file.h>
#include <keras/keras_file.h>
#include <support/scratch.h>

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::test {

inline std::filesystem::path kerasFixtures() { return sourceDir() / "tests/fixtures/keras"; }

// Every good file, relative to kerasFixtures().
std::vector<std::string> goodFiles();

// The three members of an archive.
struct Parts {
    std::string metadata = R"({"keras_version": "3.15.1", "date_saved": "2026-05-13@21:23:40"})";
    std::string config = R"({"class_name": "Sequential", "config": {"name": "x", "layers": []}})";
    std::string weights;
};
// An archive of them in `folder`.
std::filesystem::path makeModel(const Scratch& folder, const Parts& parts);

// The members of a fixture.
Parts partsOf(const std::string& name);

// The program that tests start as the reading process.
std::filesystem::path readerProgram();

}  // namespace lockstep::test
