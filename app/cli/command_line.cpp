// From argv to one command: the option tree, usage errors, the last catch.
#include "command.h"

#include <spec/nearest.h>

#include <unistd.h>
#include <cstdio>
#include <string>
#include <vector>

namespace lockstep::cli {
namespace {

struct Arguments {
    std::string json;
    std::string project;
    bool quiet = false;
    int verbosity = 0;
    bool noInput = false;
    bool noColor = false;
};

constexpr const char* kRootFooter =
    "Start:\n"
    "  lockstep init my-project && cd my-project\n"
    "  lockstep run experiments/mnist.yaml\n"
    "Exit codes: 0 ok, 1 failed, 2 usage, 3 bad specification or TF_CONFIG, 4 preflight failed, 5 host,\n"
    "  6 a worker failed, 7 stopped by a rule, 8 time-out, 9 not supported here, 130 interrupted, 143 terminated";

void declareGlobal(CLI::App& root, Arguments& arguments) {
    root.add_flag("--json", arguments.json, "One JSON object on stdout; --json=lines: one object per line")
        ->check([](const std::string& value) { return value == "true" || value == "lines" ? "" : "may only be --json or --json=lines"; })
        ->type_name("")
        ->group("Output");
    root.add_flag("-q,--quiet", arguments.quiet, "No notes, no progress")->group("Output");
    root.add_flag("-v,--verbose", arguments.verbosity, "More details")->group("Output");
    root.add_flag("--no-color", arguments.noColor, "No colours (as with NO_COLOR=1)")->group("Output");
    root.add_flag("--no-input", arguments.noInput, "Never ask; take the safe answer")->group("Output");
    root.add_option("--project", arguments.project, "Project folder (else the nearest one with lockstep.project, else ./)")
        ->type_name("DIR")
        ->group("Output");
}

std::string indented(std::string_view lines) {
    std::string text;
    std::size_t begin = 0;
    while (begin <= lines.size()) {
        const auto end = std::min(lines.find('\n', begin), lines.size());
        text += "  " + std::string(lines.substr(begin, end - begin)) + "\n";
        begin = end + 1;
    }
    return text;
}

CLI::App* declareCommand(CLI::App& root, const CommandRow& row, Command& command) {
    auto* parser = root.add_subcommand(std::string(row.name), std::string(row.summary));
    parser->group(std::string(row.group));
    parser->fallthrough();
    std::string footer;
    if (!row.details.empty()) footer += std::string(row.details) + "\n\n";
    footer += "Examples:\n" + indented(row.examples);
    footer += "Options of every command: lockstep --help";
    parser->footer(footer);
    command.declare(*parser);
    return parser;
}

// The parser may have failed before it saw --json.
Format formatOf(int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--") break;
        if (word == "--json=lines") return Format::Lines;
        if (word == "--json") return Format::Object;
    }
    return Format::Text;
}

Error usageError(const CLI::App& root, const CLI::ParseError& failure, int argc, const char* const* argv) {
    std::string what = failure.what();
    std::string next = "lockstep --help";
    const auto chosen = root.get_subcommands();
    if (!chosen.empty()) {
        next = "lockstep " + chosen.front()->get_name() + " --help";
    } else if (argc > 1 && argv[1][0] != '-') {
        what = "there is no command \"" + std::string(argv[1]) + "\"";
        std::vector<std::string> names;
        for (const auto& row : commandTable()) names.emplace_back(row.name);
        if (const auto near = spec::nearestWord(argv[1], names)) what += "; the nearest one is \"" + *near + "\"";
    }
    while (!what.empty() && (what.back() == '\n' || what.back() == '.')) what.pop_back();
    return makeError("X002", {{"what", what}, {"help", next}});
}

OutputOptions outputOptions(const Arguments& arguments, Format format) {
    OutputOptions options;
    options.format = format;
    options.quiet = arguments.quiet;
    options.verbosity = arguments.verbosity;
    options.terminal = Terminal::probe();
    if (arguments.noColor) options.terminal.stdoutColor = options.terminal.stderrColor = ColorMode::Plain;
    return options;
}

int runParsed(const CLI::App& root, const Arguments& arguments, Format format, Command& command) {
    Output output(outputOptions(arguments, format));
    Context context{output, {}, root};
    if (!arguments.project.empty()) context.options.project = arguments.project;
    context.options.noInput = arguments.noInput;
    const auto code = command.run(context);
    if (code.ok()) return *code;
    output.error(code.error());
    return code.error().exitCode;
}

struct Declared {
    CLI::App* parser;
    std::unique_ptr<Command> command;
};

int runTree(int argc, const char* const* argv) {
    CLI::App root{"Lockstep " LOCKSTEP_VERSION ": distributed training, from specification to stored curves.", "lockstep"};
    Arguments arguments;
    declareGlobal(root, arguments);
    root.set_version_flag("--version", std::string("lockstep " LOCKSTEP_VERSION), "Print the version");
    root.footer(kRootFooter);
    root.get_formatter()->column_width(34);
    std::vector<Declared> all;
    for (const auto& row : commandTable()) {
        auto command = row.make();
        auto* parser = declareCommand(root, row, *command);
        all.push_back({parser, std::move(command)});
    }
    const auto format = formatOf(argc, argv);
    try {
        root.parse(argc, const_cast<char**>(argv));
        for (const auto& [parser, command] : all)
            if (parser->parsed()) return runParsed(root, arguments, format, *command);
        throw CLI::RequiredError("A command");
    } catch (const CLI::CallForHelp&) {
        std::fputs(root.help().c_str(), stdout);
        return 0;
    } catch (const CLI::CallForVersion& version) {
        std::printf("%s\n", version.what());
        return 0;
    } catch (const CLI::ParseError& failure) {
        Output output(outputOptions(arguments, format));
        const auto error = usageError(root, failure, argc, argv);
        output.error(error);
        return error.exitCode;
    }
}

}  // namespace

int runCommandLine(int argc, const char* const* argv) {
    try {
        return runTree(argc, argv);
    } catch (const std::exception& failure) {
        Output output(outputOptions({}, formatOf(argc, argv)));
        output.error(makeError("X001", {{"what", failure.what()}}));
        return 1;
    }
}

}  // namespace lockstep::cli
