// `lockstep bench`: measures this build on this computer. Each part is a file of its own.
#include "bench_parts.h"
#include "commands.h"

namespace lockstep::cli {
namespace {

class Bench : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.require_subcommand(1);
        for (const auto make : {makeBenchTrain, makeBenchHardware, makeBenchParity}) {
            auto part = make();
            m_parts.emplace_back(part->declare(parser), std::move(part));
            m_parts.back().first->fallthrough();
        }
    }

    Result<int> run(Context& context) override {
        for (const auto& [parser, part] : m_parts)
            if (parser->parsed()) return part->run(context);
        return makeError("X002", {{"what", "a part of bench is missing"}, {"help", "lockstep bench --help"}});
    }

private:
    std::vector<std::pair<CLI::App*, std::unique_ptr<BenchPart>>> m_parts;
};

}  // namespace

std::unique_ptr<Command> makeBench() { return std::make_unique<Bench>(); }

}  // namespace lockstep::cli
