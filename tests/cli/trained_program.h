// Runs that are trained in a moment, and inputs for their weights.
#pragma once

#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <cmath>
#include <string>

namespace lockstep::test {

inline const std::string kPictures = "{dataset: synthetic, rows: 96, shape: [8, 8, 1], classes: 4, validation_split: 0.25}";
inline const std::string kTraining = "global_batch_size: 16, epochs: 3, optimizer: {name: adam, learning_rate: 0.01}";
inline const std::string kMlp =
    "{layers: [{class_name: Flatten}, {class_name: Dense, units: 8, activation: relu}, {class_name: Dense, units: 4}]}";

inline std::string specOf(const std::string& model, const std::string& training, const std::string& data, int devices = 1) {
    const std::string names = devices == 1 ? "\"cpu:0\"" : "\"cpu:0\", \"cpu:1\"";
    return "schema: 1\nname: use\ncluster:\n  hosts: [{name: here, devices: [" + names + "]}]\n  oversubscribe: true\nmodel: " + model +
           "\ndata: " + data + "\ntraining: {" + training + "}\n";
}

// As numpy.save writes it.
inline std::string npyOf(const std::string& type, const std::string& shape, const void* values, std::size_t bytes) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize((10 + header.size()) / 64 * 64 + 63 - 10, ' ');
    header += '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() & 255);
    text += static_cast<char>(header.size() >> 8);
    return text + header + std::string(static_cast<const char*>(values), bytes);
}

inline std::string codeOf(const Ended& ended) {
    const Json object = ended.json();
    return object.is_object() && object.contains("error") ? object["error"]["code"].get<std::string>() : "none: " + ended.out + ended.err;
}

// A program with what its tests do again and again.
class TrainedProgram : public Program {
public:
    std::filesystem::path file(const std::string& name) const { return folder() / name; }
    void write(const std::string& name, const std::string& text) const { QVERIFY(replaceFile(file(name), text).ok()); }
    // The result of a run of that specification.
    Json trained(const std::string& spec) {
        write("own.yaml", spec);
        return told({"run", "own.yaml"});
    }
    Json told(const QStringList& words) {
        const auto ended = run(words + QStringList{"--json"}, 120);
        [&] { QVERIFY2(ended.code == 0, (ended.out + ended.err).c_str()); }();
        return ended.json();
    }
    void writeBytes(const std::string& name, const std::string& shape, std::size_t count) const {
        std::vector<std::uint8_t> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(37 * i + i / 64 * 11);
        write(name, npyOf("|u1", shape, values.data(), count));
    }
};

}  // namespace lockstep::test
