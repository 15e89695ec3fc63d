#include "predict_output.h"

#include "run_text.h"

#include <base/file.h>

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::cli {
namespace {

using train::ResultKind;

constexpr float kYes = 0.5F;
constexpr std::size_t kBuffer = 1u << 20;
constexpr std::size_t kShownValues = 6;

bool isOneBit(const ResultFacts& facts, std::size_t values) { return facts.form.kind == ResultKind::YesOrNo && values == 1; }

// The class of a row and how probable it is; nothing for numbers and for several probabilities.
struct Chosen {
    std::size_t index = 0;
    float probability = 0;
};
std::optional<Chosen> chosenOf(const ResultFacts& facts, std::span<const float> values) {
    if (isOneBit(facts, values.size())) return Chosen{values[0] > kYes ? 1u : 0u, values[0] > kYes ? values[0] : 1 - values[0]};
    if (facts.form.kind != ResultKind::Classes || values.empty()) return std::nullopt;
    const auto most = std::ranges::max_element(values);
    return Chosen{static_cast<std::size_t>(most - values.begin()), *most};
}

std::string nameOf(const ResultFacts& facts, std::size_t index) {
    return index < facts.classNames.size() ? facts.classNames[index] : std::string();
}

// Text and bytes on their way to a file.
class BufferedFile {
public:
    static Result<BufferedFile> create(const std::filesystem::path& file) {
        BufferedFile made;
        made.m_path = file;
        made.m_fd = Fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
        if (!made.m_fd.valid()) return made.failed();
        return made;
    }
    Result<void> add(std::string_view text) {
        m_buffer += text;
        return m_buffer.size() < kBuffer ? Result<void>() : flush();
    }
    Result<void> finish() {
        LS_TRY(flush());
        if (::fsync(m_fd.get()) != 0) return failed();
        return {};
    }

private:
    Error failed() const {
        return makeError(errno == ENOSPC || errno == EDQUOT ? "F605" : "F604", {{"file", m_path.string()}, {"reason", systemText(errno)}});
    }
    Result<void> flush() {
        LS_TRY(writeAll(m_fd.get(), std::as_bytes(std::span(m_buffer)), m_path));
        m_buffer.clear();
        return {};
    }

    std::filesystem::path m_path;
    Fd m_fd;
    std::string m_buffer;
};

class NpyWriter : public PredictionWriter {
public:
    explicit NpyWriter(BufferedFile file) : m_file(std::move(file)) {}
    Result<void> begin(const ResultFacts& facts) {
        constexpr std::size_t kBlock = 64, kFixed = 10;
        std::string shape = std::to_string(facts.rows) + ",";
        for (const std::int64_t size : facts.shape) shape += " " + std::to_string(size) + ",";
        if (!facts.shape.empty()) shape.pop_back();
        std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
        header.resize((kFixed + header.size()) / kBlock * kBlock + kBlock - kFixed - 1, ' ');
        header += '\n';
        std::string start("\x93NUMPY\x01\x00", 8);
        start += static_cast<char>(header.size() & 0xff);
        start += static_cast<char>(header.size() >> 8);
        return m_file.add(start + header);
    }
    Result<void> add(std::int64_t, const std::string&, std::span<const float> values) override {
        return m_file.add({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    }
    Result<void> finish() override { return m_file.finish(); }

private:
    BufferedFile m_file;
};

std::string quoted(const std::string& field) {
    if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
    std::string text = "\"";
    for (const char letter : field) text += letter == '"' ? "\"\"" : std::string(1, letter);
    return text + "\"";
}

class CsvWriter : public PredictionWriter {
public:
    CsvWriter(BufferedFile file, ResultFacts facts) : m_file(std::move(file)), m_facts(std::move(facts)) {}
    Result<void> begin() {
        std::int64_t width = 1;
        for (const std::int64_t size : m_facts.shape) width *= size;
        const bool chosen = m_facts.form.kind == ResultKind::Classes || isOneBit(m_facts, static_cast<std::size_t>(width));
        std::string head = m_facts.hasFiles ? "row,file" : "row";
        if (chosen) head += m_facts.classNames.empty() ? ",class,probability" : ",class,name,probability";
        const char* letter = m_facts.form.kind == ResultKind::Measurement ? "y" : "p";
        for (std::int64_t i = 0; i < width; ++i) head += fmt::format(",{}{}", letter, i);
        return m_file.add(head + "\n");
    }
    Result<void> add(std::int64_t row, const std::string& file, std::span<const float> values) override {
        std::string line = std::to_string(row);
        if (m_facts.hasFiles) line += "," + quoted(file);
        if (const auto chosen = chosenOf(m_facts, values)) {
            line += fmt::format(",{}", chosen->index);
            if (!m_facts.classNames.empty()) line += "," + quoted(nameOf(m_facts, chosen->index));
            line += fmt::format(",{}", chosen->probability);
        }
        for (const float value : values) line += fmt::format(",{}", value);
        return m_file.add(line + "\n");
    }
    Result<void> finish() override { return m_file.finish(); }

private:
    BufferedFile m_file;
    ResultFacts m_facts;
};

class JsonWriter : public PredictionWriter {
public:
    JsonWriter(BufferedFile file, ResultFacts facts) : m_file(std::move(file)), m_facts(std::move(facts)) {}
    Result<void> add(std::int64_t row, const std::string& file, std::span<const float> values) override {
        return m_file.add((row == 0 ? "[\n " : ",\n ") + predictionOf(m_facts, row, file, values).dump());
    }
    Result<void> finish() override {
        LS_TRY(m_file.add("\n]\n"));
        return m_file.finish();
    }

private:
    BufferedFile m_file;
    ResultFacts m_facts;
};

std::string shortValues(const Json& values) {
    std::string text;
    for (std::size_t i = 0; i < std::min(values.size(), kShownValues); ++i)
        text += fmt::format("{}{:.5g}", i == 0 ? "" : "  ", values[i].get<double>());
    return text + (values.size() > kShownValues ? fmt::format("  … ({} numbers)", values.size()) : "");
}

}  // namespace

Json predictionOf(const ResultFacts& facts, std::int64_t row, const std::string& file, std::span<const float> values) {
    Json object{{"row", row}};
    if (facts.hasFiles) object["file"] = file;
    if (const auto chosen = chosenOf(facts, values)) {
        object["class"] = chosen->index;
        if (!facts.classNames.empty()) object["name"] = nameOf(facts, chosen->index);
        object["probability"] = chosen->probability;
    } else if (facts.form.kind == ResultKind::YesOrNo) {
        Json classes = Json::array();
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] > kYes) classes.push_back(i);
        object["classes"] = std::move(classes);
    }
    object["values"] = values;
    return object;
}

std::string outputKind(const std::filesystem::path& file) {
    const std::string end = file.extension().string();
    return end == ".npy" || end == ".csv" || end == ".json" ? end.substr(1) : std::string();
}

Result<std::unique_ptr<PredictionWriter>> makePredictionWriter(const std::string& kind, const std::filesystem::path& file,
                                                               const ResultFacts& facts) {
    LS_TRY_ASSIGN(BufferedFile made, BufferedFile::create(file));
    if (kind == "json") return std::unique_ptr<PredictionWriter>(std::make_unique<JsonWriter>(std::move(made), facts));
    if (kind == "csv") {
        auto writer = std::make_unique<CsvWriter>(std::move(made), facts);
        LS_TRY(writer->begin());
        return std::unique_ptr<PredictionWriter>(std::move(writer));
    }
    auto writer = std::make_unique<NpyWriter>(std::move(made));
    LS_TRY(writer->begin(facts));
    return std::unique_ptr<PredictionWriter>(std::move(writer));
}

std::vector<std::vector<std::string>> predictionTable(const Json& rows) {
    if (rows.empty()) return {};
    const Json& first = rows.front();
    std::vector<std::string> head{"ROW"};
    if (first.contains("file")) head.emplace_back("FILE");
    if (first.contains("class")) head.emplace_back("CLASS");
    if (first.contains("name")) head.emplace_back("NAME");
    if (first.contains("probability")) head.emplace_back("PROBABILITY");
    if (first.contains("classes")) head.emplace_back("CLASSES");
    const bool numbers = !first.contains("class");
    if (numbers) head.emplace_back(first.contains("classes") ? "PROBABILITIES" : "VALUES");
    std::vector<std::vector<std::string>> table{head};
    for (const Json& row : rows) {
        std::vector<std::string> line{std::to_string(row["row"].get<std::int64_t>())};
        if (row.contains("file")) line.push_back(row["file"].get<std::string>());
        if (row.contains("class")) line.push_back(std::to_string(row["class"].get<std::int64_t>()));
        if (row.contains("name")) line.push_back(row["name"].get<std::string>());
        if (row.contains("probability")) line.push_back(fmt::format("{:.4f}", row["probability"].get<double>()));
        if (row.contains("classes"))
            line.push_back(row["classes"].empty() ? "none" : fmt::format("{}", fmt::join(row["classes"].get<std::vector<int>>(), ", ")));
        if (numbers) line.push_back(shortValues(row["values"]));
        table.push_back(std::move(line));
    }
    return table;
}

}  // namespace lockstep::cli
