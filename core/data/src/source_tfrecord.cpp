#include "reading.h"
#include "source.h"

#include <data/image.h>
#include <data/tfrecord.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kFeatureNames = {"image", "image/encoded", "image_raw", "x", "features"};
constexpr std::array<std::string_view, 3> kLabelNames = {"label", "image/class/label", "y"};

using Record = TfRecordReader::Record;
using Kind = ExampleFeature::Kind;

// What rows of these files are, from the first record.
struct Form {
    std::string feature, label;
    enum class Content : std::uint8_t { Numbers, Bytes, Picture } content = Content::Numbers;
    std::vector<std::int64_t> shape;
    int channels = 3;      // of pictures
    bool resized = false;  // pictures take the shape
    std::size_t elements() const {
        std::size_t count = 1;
        for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
        return count;
    }
};

std::string namesOf(const ExampleFeatures& features) {
    std::string text;
    for (const auto& [name, value] : features) text += (text.empty() ? "" : ", ") + name.substr(0, 60);
    return text.empty() ? "nothing" : text.substr(0, 400);
}

template <std::size_t N>
Result<std::string> nameIn(const ExampleFeatures& features, const std::string& asked, const std::array<std::string_view, N>& usual,
                           const fs::path& file) {
    if (!asked.empty() && features.find(asked) != features.end()) return asked;
    if (asked.empty())
        for (const std::string_view name : usual)
            if (const auto found = features.find(name); found != features.end() && found->second.size() > 0) return std::string(name);
    return makeError("F624", {{"file", file.string()},
                              {"kind", "feature"},
                              {"name", asked.empty() ? std::string(usual.front()) : asked},
                              {"names", namesOf(features)}});
}

Error badRow(const fs::path& file, const Record& record, std::string expected, std::string found) {
    return makeError("F623", {{"file", file.string()},
                              {"place", " byte " + std::to_string(record.offset)},
                              {"found", std::move(found)},
                              {"expected", std::move(expected)}});
}

bool isPicture(std::span<const std::byte> bytes) {
    const auto starts = [&](std::initializer_list<unsigned> wanted) {
        return bytes.size() > wanted.size() && std::equal(wanted.begin(), wanted.end(), bytes.begin(),
                                                          [](unsigned a, std::byte b) { return static_cast<std::byte>(a) == b; });
    };
    return starts({0x89, 'P', 'N', 'G'}) || starts({0xff, 0xd8, 0xff});
}

Result<void> formPicture(Form& form, const LoadOptions& options, std::span<const std::byte> bytes, const fs::path& file) {
    form.content = Form::Content::Picture;
    // Decoded whole: room is made for all pictures by what this one says.
    LS_TRY_ASSIGN(const Image first, decodeImage(bytes, file));
    const auto& asked = options.shape;
    if (asked.empty()) {
        form.shape = {first.shape.height, first.shape.width, 3};
        return {};
    }
    LS_TRY(checkPictureShape(asked));
    form.channels = asked.size() == 3 ? static_cast<int>(asked[2]) : 3;
    form.shape = {asked[0], asked[1], form.channels};
    form.resized = true;
    return {};
}

Result<Form> formOf(const ExampleFeatures& features, const LoadOptions& options, const Record& record, const fs::path& file) {
    Form form;
    if (options.features.size() > 1)
        return makeError("F626", {{"key", "data.features"},
                                  {"what", std::to_string(options.features.size()) + " names"},
                                  {"cause", "All features of a row stand in one feature of the Example."}});
    LS_TRY_ASSIGN(form.feature, nameIn(features, options.features.empty() ? "" : options.features.front(), kFeatureNames, file));
    LS_TRY_ASSIGN(form.label, nameIn(features, options.label, kLabelNames, file));
    const ExampleFeature& value = features.find(form.feature)->second;
    auto count = static_cast<std::int64_t>(value.size());
    if (value.kind == Kind::Bytes) {
        if (count != 1) return badRow(file, record, "one byte string", std::to_string(count));
        if (isPicture(value.bytes[0])) {
            LS_TRY(formPicture(form, options, value.bytes[0], file));
            return form;
        }
        form.content = Form::Content::Bytes;
        count = static_cast<std::int64_t>(value.bytes[0].size());
    }
    if (count == 0) return badRow(file, record, "at least one value in " + form.feature, "none");
    LS_TRY_ASSIGN(form.shape, shapeFor(options, count, {count}, file, record.offset));
    return form;
}

Result<void> decodePicture(const Form& form, std::span<const std::byte> bytes, const Record& record, const fs::path& file,
                           std::byte* into) {
    auto decoded = decodeImage(bytes, file);
    if (!decoded.ok()) return withContext(std::move(decoded).error(), "reading the record at byte " + std::to_string(record.offset));
    Image image = std::move(*decoded);
    if (!form.resized && (image.shape.height != form.shape[0] || image.shape.width != form.shape[1]))
        return badRow(file, record, shapeText({form.shape[0], form.shape[1]}), shapeText({image.shape.height, image.shape.width}));
    const Image made = resizeToBytes(toChannels(std::move(image), form.channels), form.shape[0], form.shape[1]);
    std::memcpy(into, made.values.data(), made.values.size());
    return {};
}

Result<void> decodeRow(const Form& form, const ExampleFeatures& features, const Record& record, const fs::path& file, std::byte* into) {
    const auto found = features.find(form.feature);
    if (found == features.end()) return badRow(file, record, "a feature " + form.feature, namesOf(features));
    const ExampleFeature& value = found->second;
    const bool bytes = value.kind == Kind::Bytes && value.bytes.size() == 1;
    if ((form.content == Form::Content::Numbers) == bytes) return badRow(file, record, form.feature + " of one kind", "another kind");
    if (form.content == Form::Content::Picture) return decodePicture(form, value.bytes[0], record, file, into);
    const std::size_t count = bytes ? value.bytes[0].size() : value.size();
    if (count != form.elements())
        return badRow(file, record, std::to_string(form.elements()) + " values", std::to_string(count) + " values");
    auto* const floats = reinterpret_cast<float*>(into);
    if (bytes)
        std::memcpy(into, value.bytes[0].data(), count);
    else if (value.kind == Kind::Float)
        std::copy(value.floats.begin(), value.floats.end(), floats);
    else
        std::transform(value.integers.begin(), value.integers.end(), floats, [](std::int64_t whole) { return static_cast<float>(whole); });
    return {};
}

// The value of a label or target; only the first one counts.
Result<double> labelOf(const Form& form, const ExampleFeatures& features, const Record& record, const fs::path& file) {
    const auto found = features.find(form.label);
    if (found != features.end() && !found->second.integers.empty()) return static_cast<double>(found->second.integers[0]);
    if (found != features.end() && !found->second.floats.empty()) return static_cast<double>(found->second.floats[0]);
    return badRow(file, record, "a number in " + form.label, "none");
}

class TfRecordSource final : public Source {
public:
    TfRecordSource(LoadOptions options, std::vector<fs::path> train, std::vector<fs::path> validation)
        : m_options(std::move(options)), m_train(std::move(train)), m_validation(std::move(validation)) {}

    std::vector<fs::path> files() const override {
        auto all = m_train;
        all.insert(all.end(), m_validation.begin(), m_validation.end());
        return all;
    }

    Result<SourceFacts> facts() override {
        SourceFacts found;
        found.facts.targetWidth = m_options.target == Target::Values ? 1 : 0;
        const auto count = [&](std::int64_t& rows, const ExampleFeatures& features, const Record& record,
                               const fs::path& file) -> Result<void> {
            ++rows;
            if (m_form.shape.empty()) {
                LS_TRY_ASSIGN(m_form, formOf(features, m_options, record, file));
            }
            LS_TRY_ASSIGN(const double value, labelOf(m_form, features, record, file));
            if (m_options.target == Target::Values || &rows != &found.facts.rows) return {};
            LS_TRY_ASSIGN(const std::int32_t label, toClass(value, file, rows - 1, record.offset));
            found.facts.classes = std::max(found.facts.classes, label + 1);
            return {};
        };
        LS_TRY(eachRow(m_train, [&](const auto& f, const auto& r, const auto& p) { return count(found.facts.rows, f, r, p); }));
        LS_TRY(
            eachRow(m_validation, [&](const auto& f, const auto& r, const auto& p) { return count(found.facts.validationRows, f, r, p); }));
        if (found.facts.rows == 0) return formatError(m_train.front(), 0, "at least one record", "none");
        found.facts.featureShape = m_form.shape;
        found.facts.element = m_form.content == Form::Content::Numbers ? Element::F32 : Element::U8;
        return found;
    }

    Result<void> fill(const SplitRoom& train, const SplitRoom& validation) override {
        LS_TRY(fillSplit(m_train, train));
        return fillSplit(m_validation, validation);
    }

private:
    using Use = std::function<Result<void>(const ExampleFeatures&, const Record&, const fs::path&)>;
    Result<void> eachRow(const std::vector<fs::path>& files, const Use& use) const {
        for (const fs::path& file : files) {
            LS_TRY_ASSIGN(TfRecordReader reader, TfRecordReader::open(file));
            for (Record record;;) {
                LS_TRY_ASSIGN(const bool more, reader.next(record));
                if (!more) break;
                LS_TRY_ASSIGN(const auto features, parseExample(record, reader.name()));
                LS_TRY(use(features, record, reader.name()));
            }
        }
        return {};
    }

    Result<void> fillSplit(const std::vector<fs::path>& files, const SplitRoom& room) const {
        const std::size_t rows = std::max(room.labels.size(), room.targets.size());
        const std::size_t rowBytes = m_form.elements() * (m_form.content == Form::Content::Numbers ? 4 : 1);
        std::size_t row = 0;
        const auto take = [&](const ExampleFeatures& features, const Record& record, const fs::path& file) -> Result<void> {
            if (row == rows) return changedWhileRead(file);
            LS_TRY(decodeRow(m_form, features, record, file, room.features.data() + row * rowBytes));
            LS_TRY_ASSIGN(const double value, labelOf(m_form, features, record, file));
            if (m_options.target == Target::Values) {
                room.targets[row++] = static_cast<float>(value);
                return {};
            }
            LS_TRY_ASSIGN(room.labels[row], toClass(value, file, static_cast<std::int64_t>(row), record.offset));
            ++row;
            return {};
        };
        LS_TRY(eachRow(files, take));
        return row == rows ? Result<void>() : changedWhileRead(m_options.folder);
    }

    LoadOptions m_options;
    std::vector<fs::path> m_train, m_validation;
    Form m_form;
};

}  // namespace

Result<std::unique_ptr<Source>> openTfRecords(const LoadOptions& options) {
    std::error_code status;
    std::vector<fs::path> train, validation;
    if (!fs::is_directory(options.folder, status)) train.push_back(options.folder);
    for (fs::directory_iterator entry(options.folder, status), end; !status && entry != end; entry.increment(status)) {
        const std::string name = entry->path().filename().string();
        if (name.find(".tfrecord") == std::string::npos) continue;
        const bool other = name.starts_with("validation") || name.starts_with("val") || name.starts_with("test");
        (other ? validation : train).push_back(entry->path());
    }
    if (train.empty())
        return makeError("F602", {{"file", (options.folder / "train.tfrecord").string()}, {"reason", "the folder holds no such file"}});
    std::sort(train.begin(), train.end());
    std::sort(validation.begin(), validation.end());
    return std::unique_ptr<Source>(std::make_unique<TfRecordSource>(options, std::move(train), std::move(validation)));
}

}  // namespace lockstep::data
