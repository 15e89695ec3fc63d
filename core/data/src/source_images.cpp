#include "reading.h"
#include "source.h"

#include <base/checksum.h>
#include <base/thread.h>
#include <data/image.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostThreads = 16, kMostPictures = std::size_t{1} << 27;
constexpr std::uint64_t kMostFile = std::uint64_t{256} << 20;

struct Picture {
    fs::path file;
    std::int32_t label = 0;
};

struct Folder {
    std::vector<std::string> classes;  // sorted
    std::vector<Picture> pictures;     // by class, then by name
};

bool isPictureName(const fs::path& file) {
    std::string end = file.extension().string();
    std::transform(end.begin(), end.end(), end.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return end == ".png" || end == ".jpg" || end == ".jpeg";
}

// Names of the folders or of the pictures in a folder, sorted; hidden ones are left out.
Result<std::vector<std::string>> list(const fs::path& folder, bool folders) {
    std::vector<std::string> names;
    std::error_code status;
    for (fs::directory_iterator entry(folder, status), end; !status && entry != end; entry.increment(status)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with('.')) continue;
        std::error_code ignored;
        if (folders ? entry->is_directory(ignored) : entry->is_regular_file(ignored) && isPictureName(name)) names.push_back(name);
    }
    if (status) return makeError("F602", {{"file", folder.string()}, {"reason", status.message()}});
    std::sort(names.begin(), names.end());
    return names;
}

Result<Folder> readFolder(const fs::path& path, const std::vector<std::string>& known) {
    Folder folder;
    LS_TRY_ASSIGN(const auto names, list(path, true));
    for (const std::string& name : names) {
        LS_TRY_ASSIGN(const auto files, list(path / name, false));
        if (files.empty()) continue;
        auto label = static_cast<std::int32_t>(folder.classes.size());
        if (!known.empty()) {
            const auto found = std::find(known.begin(), known.end(), name);
            if (found == known.end())
                return makeError("F627", {{"file", (path / name).string()},
                                          {"row", "0"},
                                          {"offset", "0"},
                                          {"found", "folder \"" + name + "\", which the training pictures don't have,"}});
            label = static_cast<std::int32_t>(found - known.begin());
        }
        folder.classes.push_back(name);
        for (const std::string& file : files) folder.pictures.push_back({path / name / file, label});
        if (folder.pictures.size() > kMostPictures)
            return tooLargeError(path, 0, std::to_string(folder.pictures.size()) + " pictures", std::to_string(kMostPictures));
    }
    if (folder.pictures.empty()) return makeError("F622", {{"folder", path.string()}});
    return folder;
}

// What all pictures are turned into.
struct Form {
    std::int64_t height = 0, width = 0;
    int channels = 3;
    bool resized = false;  // asked for; otherwise all pictures must have this size
};

Result<Form> formOf(const LoadOptions& options, const fs::path& first) {
    Form form;
    const auto& asked = options.shape;
    if (!asked.empty()) {
        LS_TRY(checkPictureShape(asked));
        return Form{asked[0], asked[1], asked.size() == 3 ? static_cast<int>(asked[2]) : 3, true};
    }
    // Decoded whole: room is made for all pictures by what this one says.
    LS_TRY_ASSIGN(const std::string bytes, readFile(first, kMostFile));
    LS_TRY_ASSIGN(const Image image, decodeImage(asBytes(bytes), first));
    form.height = image.shape.height;
    form.width = image.shape.width;
    return form;
}

Result<void> decodeInto(const Picture& picture, const Form& form, std::byte* into) {
    LS_TRY_ASSIGN(const std::string bytes, readFile(picture.file, kMostFile));
    LS_TRY_ASSIGN(Image image, decodeImage(asBytes(bytes), picture.file));
    if (!form.resized && (image.shape.height != form.height || image.shape.width != form.width))
        return makeError("F623", {{"file", picture.file.string()},
                                  {"place", ""},
                                  {"found", shapeText({image.shape.height, image.shape.width})},
                                  {"expected", shapeText({form.height, form.width})}});
    const Image made = resizeToBytes(toChannels(std::move(image), form.channels), form.height, form.width);
    std::memcpy(into, made.values.data(), made.values.size());
    return {};
}

// Decodes all pictures by all processors. Of several errors the first picture's is given, whatever the threads' order.
class Decoding {
public:
    Decoding(const std::vector<Picture>& pictures, const Form& form, const SplitRoom& room)
        : m_pictures(pictures), m_form(form), m_room(room) {}

    Result<void> run() {
        const std::size_t count = std::min({usableProcessors().size(), kMostThreads, m_pictures.size()});
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 1; i < count; ++i) threads.push_back(startThread("decode", [this](std::stop_token) { work(); }));
            work();
        }
        if (m_error) return std::move(*m_error);
        return {};
    }

private:
    void work() {
        const auto rowBytes = static_cast<std::size_t>(m_form.height * m_form.width * m_form.channels);
        for (std::size_t row; (row = m_next.fetch_add(1)) < m_pictures.size() && row < m_firstBad.load();) {
            m_room.labels[row] = m_pictures[row].label;
            auto done = decodeInto(m_pictures[row], m_form, m_room.features.data() + row * rowBytes);
            if (!done.ok()) keep(row, std::move(done).error());
        }
    }
    void keep(std::size_t row, Error error) {
        const std::lock_guard lock(m_mutex);
        if (row >= m_firstBad.load()) return;
        m_firstBad = row;
        m_error = std::move(error);
    }

    const std::vector<Picture>& m_pictures;
    const Form& m_form;
    const SplitRoom& m_room;
    std::atomic<std::size_t> m_next{0}, m_firstBad{kMostPictures + 1};
    std::mutex m_mutex;
    std::optional<Error> m_error;
};

class ImageSource final : public Source {
public:
    ImageSource(LoadOptions options, Folder train, Folder validation)
        : m_options(std::move(options)), m_train(std::move(train)), m_validation(std::move(validation)) {}

    std::vector<fs::path> files() const override {
        std::vector<fs::path> all;
        for (const Folder* folder : {&m_train, &m_validation})
            for (const Picture& picture : folder->pictures) all.push_back(picture.file);
        return all;
    }
    Result<SourceFacts> facts() override {
        LS_TRY_ASSIGN(m_form, formOf(m_options, m_train.pictures.front().file));
        SourceFacts found;
        found.facts.featureShape = {m_form.height, m_form.width, m_form.channels};
        found.facts.rows = static_cast<std::int64_t>(m_train.pictures.size());
        found.facts.validationRows = static_cast<std::int64_t>(m_validation.pictures.size());
        found.facts.classes = static_cast<int>(m_train.classes.size());
        found.classNames = m_train.classes;
        return found;
    }
    Result<void> fill(const SplitRoom& train, const SplitRoom& validation) override {
        LS_TRY(Decoding(m_train.pictures, m_form, train).run());
        return Decoding(m_validation.pictures, m_form, validation).run();
    }

private:
    LoadOptions m_options;
    Folder m_train, m_validation;
    Form m_form;
};

}  // namespace

Result<std::unique_ptr<Source>> openImageFolder(const LoadOptions& options) {
    std::error_code status;
    fs::path train = options.folder / "train", validation;
    if (fs::is_directory(train, status)) {
        for (const char* name : {"validation", "val", "test"})
            if (validation.empty() && fs::is_directory(options.folder / name, status)) validation = options.folder / name;
    } else {
        train = options.folder;
    }
    LS_TRY_ASSIGN(Folder pictures, readFolder(train, {}));
    Folder others;
    if (!validation.empty()) {
        LS_TRY_ASSIGN(others, readFolder(validation, pictures.classes));
    }
    return std::unique_ptr<Source>(std::make_unique<ImageSource>(options, std::move(pictures), std::move(others)));
}

}  // namespace lockstep::data
