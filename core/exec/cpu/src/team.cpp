#include "team.h"

#include "flush_denormals.h"

#include <base/thread.h>

namespace lockstep::exec::cpu {

void Team::enter() {
    if (m_entered == std::this_thread::get_id()) return;
    m_entered = std::this_thread::get_id();
#pragma omp parallel num_threads(m_threads)
    {
        if (omp_get_thread_num() > 0) FlushDenormals::forThisThread();
    }
    if (m_processors.empty()) return;
#pragma omp parallel num_threads(m_threads)
    {
        const int processor = m_processors[static_cast<std::size_t>(omp_get_thread_num()) % m_processors.size()];
        pinThisThread({&processor, 1});
    }
}

}  // namespace lockstep::exec::cpu
