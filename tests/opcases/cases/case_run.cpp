#include "case_run.h"

#include <graph/half.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lockstep::opcases {

using graph::DType;

namespace {

constexpr std::size_t kGuardBytes = 64;
constexpr std::byte kGuard{0x5A};

template <class T>
std::vector<std::byte> packed(const std::vector<double>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const T value = static_cast<T>(values[i]);
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return bytes;
}

template <class T>
std::vector<double> unpacked(std::span<const std::byte> bytes) {
    std::vector<double> values(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        T value{};
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        values[i] = static_cast<double>(value);
    }
    return values;
}

}  // namespace

std::vector<std::byte> toBytes(const std::vector<double>& values, DType dtype) {
    if (dtype == DType::F32) return packed<float>(values);
    if (dtype == DType::F64) return packed<double>(values);
    if (graph::is16Bit(dtype)) {
        const std::vector<float> floats(values.begin(), values.end());
        std::vector<std::uint16_t> bits(values.size());
        graph::narrowTo(dtype, floats, bits);
        const auto bytes = std::as_bytes(std::span(bits));
        return {bytes.begin(), bytes.end()};
    }
    return packed<std::int32_t>(values);
}

std::vector<double> toDoubles(std::span<const std::byte> bytes, DType dtype) {
    if (dtype == DType::F32) return unpacked<float>(bytes);
    if (dtype == DType::F64) return unpacked<double>(bytes);
    if (graph::is16Bit(dtype)) {
        std::vector<std::uint16_t> bits(bytes.size() / sizeof(std::uint16_t));
        std::memcpy(bits.data(), bytes.data(), bytes.size());
        std::vector<float> floats(bits.size());
        graph::widenFrom(dtype, bits, floats);
        return {floats.begin(), floats.end()};
    }
    return unpacked<std::int32_t>(bytes);
}

Result<CaseRun> CaseRun::create(const OpCase& opCase, DType dtype, exec::Executor& executor, const exec::CompileOptions& options,
                                DType holdable) {
    CaseRun run;
    LS_TRY_ASSIGN(run.m_graph, buildCase(opCase, dtype));
    std::size_t states = 0;
    for (std::size_t i = 0; i < opCase.operands.size(); ++i) {
        const auto& operand = opCase.operands[i];
        std::vector<double> numbers = operandValues(opCase, i);
        if (operandType(opCase, i, holdable) == holdable)
            for (double& number : numbers) number = static_cast<double>(graph::rounded(static_cast<float>(number), holdable));
        const auto values = toBytes(numbers, operandType(opCase, i, dtype));
        Feed feed;
        feed.bytes.assign(values.size() + 2 * kGuardBytes, kGuard);
        std::ranges::copy(values, feed.bytes.begin() + kGuardBytes);
        feed.isState = operand.isState;
        if (operand.isState) feed.state = states++;
        run.m_feeds.push_back(std::move(feed));
    }
    LS_TRY_ASSIGN(run.m_program, executor.compile(run.m_graph, options));
    return run;
}

Result<void> CaseRun::run() {
    std::vector<const std::byte*> feeds;
    for (const auto& feed : m_feeds) {
        const std::span<const std::byte> tensor = std::span(feed.bytes).subspan(kGuardBytes, feed.bytes.size() - 2 * kGuardBytes);
        if (feed.isState)
            m_program->writeState(feed.state, tensor);
        else
            feeds.push_back(tensor.data());
    }
    return m_program->run({feeds});
}

std::vector<std::byte> CaseRun::outputBytes(std::size_t index) const {
    const auto bytes = m_program->output("y" + std::to_string(index));
    return {bytes.begin(), bytes.end()};
}

std::vector<double> CaseRun::output(std::size_t index) const {
    return toDoubles(m_program->output("y" + std::to_string(index)), outputType(index));
}

DType CaseRun::outputType(std::size_t index) const {
    return m_graph.type(m_graph.outputs().find("y" + std::to_string(index))->second).dtype;
}

bool CaseRun::intact() const {
    const auto isGuard = [](std::byte value) { return value == kGuard; };
    const auto whole = [&](const Feed& feed) {
        const std::span<const std::byte> bytes = feed.bytes;
        return std::ranges::all_of(bytes.first(kGuardBytes), isGuard) && std::ranges::all_of(bytes.last(kGuardBytes), isGuard);
    };
    return std::ranges::all_of(m_feeds, whole) && m_program->intact();
}

Result<exec::Support> supportOf(const OpCase& opCase, DType dtype, const exec::Executor& executor) {
    LS_TRY_ASSIGN(const graph::Graph graph, buildCase(opCase, dtype));
    const graph::Node& node = graph.node(*graph.find("op"));
    std::vector<graph::TensorType> types;
    for (const auto input : node.inputs) types.push_back(graph.type(input));
    return executor.supports(node, types);
}

double normalisedError(const std::vector<double>& a, const std::vector<double>& b) {
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return std::sqrt(size > 0 ? difference / size : difference);
}

}  // namespace lockstep::opcases
