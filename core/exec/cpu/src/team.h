// The OpenMP threads of a program: how many, where, and loops split over them.
#pragma once

#include <omp.h>

#include <cstddef>
#include <thread>
#include <vector>

namespace lockstep::exec::cpu {

class Team {
public:
    Team(int threads, std::vector<int> processors) : m_threads(threads), m_processors(std::move(processors)) {}

    int threads() const { return m_threads; }

    // Makes the calling thread the first of the team: OpenMP keeps its threads per calling thread, so they are pinned again when a
    // program moves to another one.
    void enter();

private:
    int m_threads;
    std::vector<int> m_processors;
    std::thread::id m_entered;
};

// Work below this many multiply-adds or elements costs less than waking a second thread. Weights cost more: what one core updated,
// another must fetch from it for the next product (MLP at batch 32, two threads: 107 µs when all is shared, 88 when nothing is), unless
// the gradients lie in both already.
inline constexpr double kFlopsWorthATeam = 8e6;
inline constexpr std::size_t kElementsWorthATeam = 1 << 16;
inline constexpr std::size_t kUpdatesWorthATeam = 1 << 18;

// Calls body(begin, end) for ranges that together are [0, count); ranges start at multiples of 64. The split follows from count and
// threads alone.
template <class Body>
void splitOver(int threads, std::size_t count, const Body& body) {
    if (threads == 1 || count < kElementsWorthATeam) {
        body(std::size_t{0}, count);
        return;
    }
    const std::size_t share = (count / static_cast<std::size_t>(threads) + 64) / 64 * 64;
#pragma omp parallel num_threads(threads)
    {
        const auto stride = share * static_cast<std::size_t>(omp_get_num_threads());
        for (std::size_t begin = share * static_cast<std::size_t>(omp_get_thread_num()); begin < count; begin += stride)
            body(begin, count - begin < share ? count : begin + share);
    }
}

// Rows of axis 0 that one of several parts gets: the split oneDNN makes over pictures, so that a thread finds in its cache what it wrote.
struct RowRange {
    std::size_t begin = 0, end = 0;
    std::size_t count() const { return end - begin; }
};
inline RowRange rowsOf(std::size_t part, std::size_t parts, std::size_t rows) {
    const std::size_t share = rows / parts, longer = rows % parts;
    const std::size_t begin = part * share + (part < longer ? part : longer);
    return {begin, begin + share + (part < longer ? 1 : 0)};
}

// Calls body(part, rows) for every part; who runs which is left open, so results follow from the number of parts alone.
template <class Body>
void splitRows(std::size_t parts, std::size_t rows, const Body& body) {
    if (parts <= 1) return body(std::size_t{0}, RowRange{0, rows});
#pragma omp parallel num_threads(static_cast <int>(parts))
    {
        const auto threads = static_cast<std::size_t>(omp_get_num_threads());
        for (auto part = static_cast<std::size_t>(omp_get_thread_num()); part < parts; part += threads)
            body(part, rowsOf(part, parts, rows));
    }
}

}  // namespace lockstep::exec::cpu
