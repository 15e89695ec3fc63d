// Every key of a specification, one row each. Parsing, printing, the hash, suggestions and the JSON schema all come from this table.
#pragma once

#include <spec/run_spec.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::spec {

enum class KeyType : std::uint8_t {
    Text,
    Choice,
    Bool,
    Integer,
    Number,
    Bytes,
    Duration,
    TextList,
    ChoiceList,
    NumberList,
    Layers,
    WordOrList,     // none, auto, or a list of names: {}, {"auto"}, the names
    AutoOrInteger,  // auto: 0
    Callbacks,
    Json,
    Any
};

// Where a key's value lives in the specification; monostate for keys that are known but not built.
using Field =
    std::variant<std::monostate, std::string*, bool*, int*, std::int64_t*, std::uint64_t*, double*, Strategy*, std::vector<std::string>*,
                 std::optional<std::uint64_t>*, std::optional<std::string>*, std::optional<std::filesystem::path>*, std::optional<Seconds>*,
                 std::optional<double>*, std::vector<double>*, std::vector<nn::LayerSpec>*, std::vector<CallbackSpec>*>;

// What builds a key or a value.
enum class Capability : std::uint8_t { MainJob, Engine, Distribution, Cluster, TensorFlow, Tpu, Gpu, Studio };
std::string_view nameOf(Capability capability);

// Whether a key is part of specHash. UnlessDefault: of keys that came later, so that older hashes hold.
enum class Hashed : std::uint8_t { No, Always, UnlessDefault };

struct KeyRow {
    std::string_view path;  // "training.epochs"; "cluster.hosts[].name" inside the host list
    KeyType type;
    Capability capability;
    std::string_view fallback;  // default as YAML; "" = required
    // Choices separated by blanks; "@2" after a word: it is known, but belongs to that capability.
    std::string_view choices;
    double minimum;  // Integer and Number (seconds, bytes too)
    double maximum;
    Hashed hashed;
    Field (*field)(RunSpec&, HostSpec*);
    std::string_view help;
};

struct Choice {
    std::string word;
    Capability capability = Capability::MainJob;
};
std::vector<Choice> choicesOf(const KeyRow& row);

std::span<const KeyRow> keyTable();
const KeyRow* findKey(std::string_view path);
// Names that may stand directly below `prefix` ("" = the top), in table order.
std::vector<std::string> childrenOf(std::string_view prefix);
// Whether `path` is a section: a map of keys.
bool isSection(std::string_view path);

// null is a value of this key.
bool mayBeNull(const KeyRow& row);

}  // namespace lockstep::spec
