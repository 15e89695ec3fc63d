// Datasets in memory order: rows of features and a label or target each. Files are decoded once per user into a checksummed cache and
// mapped, so ranks share the pages. Immutable after loading, any thread.
#pragma once

#include <base/result.h>
#include <data/cache.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::data {

// What features are kept as. U8: pictures, value/255 is what the model sees. F32: the numbers themselves.
enum class Element : std::uint8_t { U8, F32 };
inline std::size_t sizeOf(Element element) { return element == Element::U8 ? 1 : 4; }

// Rows have either labels (classes) or targets (numbers).
struct Split {
    std::vector<std::int64_t> featureShape;  // of one row, e.g. [28, 28, 1]
    std::int64_t rows = 0;
    Element element = Element::U8;
    std::span<const std::byte> features;   // rows × product(featureShape) elements, aligned as floats
    std::span<const std::int32_t> labels;  // rows, or none
    std::span<const float> targets;        // rows × targetWidth, or none
    std::int64_t targetWidth = 0;
    std::shared_ptr<const void> keepAlive;  // owns the memory

    std::int64_t rowElements() const;  // product of featureShape
    // Rows first … first + count of the same memory. Precondition: they exist.
    Split part(std::int64_t first, std::int64_t count) const;
};

struct Dataset {
    Split train;
    Split validation;                     // rows = 0 when there are none
    int classes = 0;                      // 0 with targets
    std::vector<std::string> classNames;  // of folders or words; empty when classes are numbers
};

// Either: rows of several numbers are values (one-hot), single ones are classes; npy only, elsewhere Classes.
enum class Target : std::uint8_t { Classes, Values, Either };

struct LoadOptions {
    std::string dataset = "mnist";      // mnist idx cifar10 cifar100 npy csv image_folder tfrecord synthetic
    std::filesystem::path folder;       // with the files; for npy, csv and tfrecord it may be the file itself
    std::filesystem::path cacheFolder;  // where decoded copies are kept
    std::optional<int> classes;         // labels must be below; none: as the data set says, else the largest training label + 1
    CacheCheck check = CacheCheck::Identity;
    // Rows of csv and tfrecord take this shape, pictures are resized to it, rows of synthetic have it; empty: as the data says.
    std::vector<std::int64_t> shape;
    std::vector<std::string> features;  // names of columns (csv), arrays (npy) or features (tfrecord); empty: found by the reader's rule
    std::string label;                  // likewise
    Target target = Target::Classes;
    double validationSplit = 0;  // > 0: the last fraction of the training rows, before shuffling, instead of files for validation
    std::int64_t syntheticRows = 1024;
    int syntheticClasses = 10;
    std::uint64_t syntheticSeed = 1;
};

// mnist, idx: {train,t10k}-images-idx3-ubyte and {train,t10k}-labels-idx1-ubyte (a dot before "idx" is fine, and .gz); u8 throughout.
//   Pictures [n, h, w] get a channel axis; [n, h, w, c] and [n, k] are taken as they are.
// cifar10, cifar100: data_batch_1.bin … data_batch_5.bin and test_batch.bin; train.bin and test.bin (fine labels). Also in the folder
//   that the archive makes.
// npy: x_train.npy and y_train.npy (or x.npy, y.npy), x_test.npy and y_test.npy; or those names in one .npz. uint8 features are
//   pictures, all other numbers are taken as they are.
// csv: a file, or train.csv and test.csv. The first row holds names unless all its fields are numbers. The label is the column named in
//   `label`, else "label", else the last one; words become classes in alphabetical order. The other columns are the features.
// image_folder: <class>/*.png|jpg|jpeg, or train/<class>/… and validation|val|test/<class>/…; three channels unless `shape` says one.
// tfrecord: a file or a folder; files whose name begins with train, and validation, val or test. Examples with the label named in
//   `label`, else "label", "image/class/label", "y"; features: floats, whole numbers, raw bytes or a PNG or JPEG, named in `features`,
//   else "image", "image/encoded", "image_raw", "x", "features".
// synthetic: seeded pictures, a pattern per class under noise; nothing is read.
//
// Errors: F601 F602 F603 F606 F618 F619 F620 F621 (files), F604 F605 F615 (cache), F612 (labels ≠ rows), F613 F627 (labels), F617
// (unknown data set), F622–F625, F628.
Result<Dataset> loadDataset(const LoadOptions& options);

// What loadDataset would give, from headers where they tell it, without anything being cached. Errors: as loadDataset, as far as that
// shows them.
struct DatasetFacts {
    std::vector<std::int64_t> featureShape;
    std::int64_t rows = 0;
    std::int64_t validationRows = 0;
    int classes = 0;
    Element element = Element::U8;
    std::int64_t targetWidth = 0;
};
Result<DatasetFacts> readDatasetFacts(const LoadOptions& options);

}  // namespace lockstep::data
