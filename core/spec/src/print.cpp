#include "key_table.h"
#include "values.h"

#include <base/checksum.h>
#include <spec/run_spec.h>

namespace lockstep::spec {
namespace {

constexpr std::string_view kHostPrefix = "cluster.hosts[].";

// Opens and closes sections as the dotted paths of the table go by.
class YamlPrinter {
public:
    void print(std::string_view path, const std::string& value) {
        std::vector<std::string_view> parts = split(path);
        std::size_t same = 0;
        while (same < m_open.size() && same + 1 < parts.size() && m_open[same] == parts[same]) ++same;
        m_open.resize(same);
        for (; same + 1 < parts.size(); ++same) {
            m_text += std::string(2 * same, ' ') + std::string(parts[same]) + ":\n";
            m_open.push_back(parts[same]);
        }
        m_text += std::string(2 * m_open.size(), ' ') + std::string(parts.back()) + ": " + value + "\n";
    }
    const std::string& text() const { return m_text; }

private:
    static std::vector<std::string_view> split(std::string_view path) {
        std::vector<std::string_view> parts;
        for (std::size_t dot; (dot = path.find('.')) != std::string_view::npos; path.remove_prefix(dot + 1))
            parts.push_back(path.substr(0, dot));
        parts.push_back(path);
        return parts;
    }

    std::vector<std::string_view> m_open;
    std::string m_text;
};

std::string printHosts(RunSpec& spec) {
    std::string out = "[";
    for (HostSpec& host : spec.cluster.hosts) {
        out += out.size() > 1 ? ", {" : "{";
        bool first = true;
        for (const KeyRow& row : keyTable()) {
            if (!row.path.starts_with(kHostPrefix) || row.capability != Capability::MainJob) continue;
            out += (first ? "" : ", ") + std::string(row.path.substr(kHostPrefix.size())) + ": " + writeValue(row, row.field(spec, &host));
            first = false;
        }
        out += "}";
    }
    return out + "]";
}

}  // namespace

std::string printRunSpec(const RunSpec& spec) {
    RunSpec copy = spec;  // the table's fields are not const
    YamlPrinter printer;
    bool hostsDone = false;
    for (const KeyRow& row : keyTable()) {
        if (row.path.starts_with(kHostPrefix)) {
            if (!hostsDone) printer.print("cluster.hosts", printHosts(copy));
            hostsDone = true;
        } else if (row.capability == Capability::MainJob) {
            printer.print(row.path, writeValue(row, row.field(copy, nullptr)));
        }
    }
    return printer.text();
}

std::string specHash(const RunSpec& spec) {
    RunSpec copy = spec;
    copy.data.shuffleSeed = spec.data.shuffleSeed.value_or(spec.seed);
    RunSpec defaults;
    std::string text;
    for (const KeyRow& row : keyTable()) {
        if (row.hashed == Hashed::No) continue;
        const std::string value = writeValue(row, row.field(copy, nullptr));
        if (row.hashed == Hashed::Always || value != writeValue(row, row.field(defaults, nullptr)))
            text += std::string(row.path) + "=" + value + "\n";
    }
    text += "data.shuffle_seed=" + std::to_string(*copy.data.shuffleSeed) + "\n";
    // The shipped set is the same wherever it lies; files of one's own are known by their folder only.
    if (spec.data.dataset != "mnist" && spec.data.dataset != "synthetic" && spec.data.path)
        text += "data.path=" + spec.data.path->string() + "\n";
    return toHex(sha256(asBytes(text)));
}

}  // namespace lockstep::spec
