#include "reading.h"
#include "source.h"

#include <data/csv.h>

#include <algorithm>
#include <map>
#include <set>

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostClassNames = 65536;

// Which columns are what, from the first row.
struct Columns {
    bool header = true;  // the first row holds names
    std::size_t count = 0;
    std::size_t label = 0;
    std::vector<std::size_t> features;
};

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 20); ++i) text += (i > 0 ? ", " : "") + names[i];
    return names.size() > 20 ? text + ", …" : text;
}

Result<std::size_t> columnNamed(const std::string& name, const std::vector<std::string>& names, const fs::path& file) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    return makeError("F624", {{"file", file.string()}, {"kind", "column"}, {"name", name}, {"names", joined(names)}});
}

Result<Columns> columnsOf(const CsvRow& first, const LoadOptions& options, const fs::path& file) {
    Columns columns;
    columns.count = first.fields.size();
    columns.header = !std::all_of(first.fields.begin(), first.fields.end(), [](const auto& field) { return isCsvNumber(field); });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < columns.count; ++i) names.push_back(columns.header ? first.fields[i] : std::to_string(i));
    columns.label = columns.count - 1;
    if (!options.label.empty()) {
        LS_TRY_ASSIGN(columns.label, columnNamed(options.label, names, file));
    } else if (const auto found = std::find(names.begin(), names.end(), "label"); found != names.end()) {
        columns.label = static_cast<std::size_t>(found - names.begin());
    }
    for (const std::string& name : options.features) {
        LS_TRY_ASSIGN(const std::size_t column, columnNamed(name, names, file));
        columns.features.push_back(column);
    }
    for (std::size_t i = 0; options.features.empty() && i < columns.count; ++i)
        if (i != columns.label) columns.features.push_back(i);
    if (columns.features.empty())
        return makeError("F624", {{"file", file.string()}, {"kind", "column"}, {"name", "of features"}, {"names", joined(names)}});
    return columns;
}

// What a first pass over a file finds.
struct Scan {
    Columns columns;
    std::int64_t rows = 0;
    bool words = false;           // a label that is no number
    std::set<std::string> names;  // all labels while there are words, or may be
    double most = -1;             // largest label
};

class CsvSource final : public Source {
public:
    CsvSource(LoadOptions options, fs::path train, fs::path validation)
        : m_options(std::move(options)), m_train(std::move(train)), m_validation(std::move(validation)) {}

    std::vector<fs::path> files() const override {
        return m_validation.empty() ? std::vector<fs::path>{m_train} : std::vector<fs::path>{m_train, m_validation};
    }

    Result<SourceFacts> facts() override {
        SourceFacts found;
        LS_TRY_ASSIGN(m_scan, scan(m_train));
        if (m_scan.rows == 0) return formatError(m_train, 0, "a row of values below the names", "none");
        const auto elements = static_cast<std::int64_t>(m_scan.columns.features.size());
        LS_TRY_ASSIGN(found.facts.featureShape, shapeFor(m_options, elements, {elements}, m_train, 0));
        found.facts.rows = m_scan.rows;
        found.facts.element = Element::F32;
        if (m_options.target == Target::Values)
            found.facts.targetWidth = 1;
        else
            LS_TRY(nameClasses(found));
        if (m_validation.empty()) return found;
        LS_TRY_ASSIGN(const Scan other, scan(m_validation));
        if (other.columns.features != m_scan.columns.features || other.columns.label != m_scan.columns.label)
            return makeError("F623", {{"file", m_validation.string()},
                                      {"place", ""},
                                      {"found", std::to_string(other.columns.features.size()) + " features"},
                                      {"expected", std::to_string(elements) + " in the same columns"}});
        m_validationRows = found.facts.validationRows = other.rows;
        return found;
    }

    Result<void> fill(const SplitRoom& train, const SplitRoom& validation) override {
        LS_TRY(fillSplit(m_train, m_scan.rows, train));
        if (!m_validation.empty()) LS_TRY(fillSplit(m_validation, m_validationRows, validation));
        return {};
    }

private:
    Result<Scan> scan(const fs::path& file) const {
        Scan seen;
        bool first = true;
        LS_TRY(readCsv(file, [&](const CsvRow& row) -> Result<void> {
            if (first) {
                first = false;
                LS_TRY_ASSIGN(seen.columns, columnsOf(row, m_options, file));
                if (seen.columns.header) return {};
            }
            ++seen.rows;
            if (m_options.target == Target::Values) return {};
            const std::string& label = row.fields[seen.columns.label];
            if (!isCsvNumber(label)) seen.words = true;
            seen.names.insert(label);
            if (seen.names.size() > kMostClassNames)
                return tooLargeError(file, row.offset, "more different labels in column " + std::to_string(seen.columns.label + 1),
                                     std::to_string(kMostClassNames) + " classes");
            return {};
        }));
        return seen;
    }

    Result<void> nameClasses(SourceFacts& found) {
        if (m_scan.words) {
            for (const std::string& name : m_scan.names) {
                m_classOf.emplace(name, static_cast<std::int32_t>(found.classNames.size()));
                found.classNames.push_back(name);
            }
            found.facts.classes = static_cast<int>(found.classNames.size());
            return {};
        }
        return readCsv(m_train, [&, first = m_scan.columns.header](const CsvRow& row) mutable -> Result<void> {
            if (first) {
                first = false;
                return {};
            }
            LS_TRY_ASSIGN(const std::int32_t label, labelOf(m_train, row));
            found.facts.classes = std::max(found.facts.classes, label + 1);
            return {};
        });
    }

    Result<std::int32_t> labelOf(const fs::path& file, const CsvRow& row) const {
        const std::string& field = row.fields[m_scan.columns.label];
        if (!m_scan.words) {
            LS_TRY_ASSIGN(const double value, csvNumber(file, row, m_scan.columns.label));
            return toClass(value, file, row.line, row.offset);
        }
        const auto known = m_classOf.find(field);
        if (known != m_classOf.end()) return known->second;
        return makeError("F627", {{"file", file.string()},
                                  {"row", std::to_string(row.line)},
                                  {"offset", std::to_string(row.offset)},
                                  {"found", "\"" + field.substr(0, 60) + "\", which no training row has,"}});
    }

    Result<void> fillSplit(const fs::path& file, std::int64_t rows, const SplitRoom& room) const {
        auto* into = reinterpret_cast<float*>(room.features.data());
        std::int64_t done = 0;
        bool first = m_scan.columns.header;
        LS_TRY(readCsv(file, [&](const CsvRow& row) -> Result<void> {
            if (first) {
                first = false;
                return {};
            }
            if (done == rows || row.fields.size() != m_scan.columns.count) return changedWhileRead(file);
            for (const std::size_t column : m_scan.columns.features) {
                LS_TRY_ASSIGN(const double value, csvNumber(file, row, column));
                *into++ = static_cast<float>(value);
            }
            return fillTarget(file, row, static_cast<std::size_t>(done++), room);
        }));
        return done == rows ? Result<void>() : changedWhileRead(file);
    }

    Result<void> fillTarget(const fs::path& file, const CsvRow& row, std::size_t place, const SplitRoom& room) const {
        if (m_options.target == Target::Values) {
            LS_TRY_ASSIGN(const double value, csvNumber(file, row, m_scan.columns.label));
            room.targets[place] = static_cast<float>(value);
            return {};
        }
        LS_TRY_ASSIGN(room.labels[place], labelOf(file, row));
        return {};
    }

    LoadOptions m_options;
    fs::path m_train, m_validation;
    Scan m_scan;
    std::int64_t m_validationRows = 0;
    std::map<std::string, std::int32_t, std::less<>> m_classOf;
};

fs::path findCsv(const fs::path& folder, const char* name) {
    std::error_code status;
    for (const char* suffix : {".csv", ".csv.gz"})
        if (const fs::path file = folder / (std::string(name) + suffix); fs::exists(file, status)) return file;
    return {};
}

}  // namespace

Result<std::unique_ptr<Source>> openCsvFiles(const LoadOptions& options) {
    std::error_code status;
    if (!fs::is_directory(options.folder, status))
        return std::unique_ptr<Source>(std::make_unique<CsvSource>(options, options.folder, fs::path()));
    const fs::path train = findCsv(options.folder, "train");
    if (train.empty())
        return makeError("F602", {{"file", (options.folder / "train.csv").string()}, {"reason", "there is no such file, plain or .gz"}});
    return std::unique_ptr<Source>(std::make_unique<CsvSource>(options, train, findCsv(options.folder, "test")));
}

}  // namespace lockstep::data
