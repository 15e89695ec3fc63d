#include "run_watch.h"

#include "run_view.h"

#include <base/thread.h>

#include <sys/stat.h>
#include <cerrno>

namespace lockstep::workbench {
namespace {

constexpr Seconds kRareLook{1};
constexpr auto kMakingStore = std::chrono::seconds(5);
constexpr std::size_t kPointsPerUpdate = 65536;

Result<std::pair<dev_t, ino_t>> identityOf(const std::filesystem::path& file) {
    struct stat facts {};
    if (::stat(file.c_str(), &facts) == 0) return std::pair(facts.st_dev, facts.st_ino);
    return makeError("F602", {{"file", file.string()}, {"reason", systemText(errno)}});
}

Error noSuchRun(const control::RunFolder& folder) { return control::noSuchRun(folder.project(), folder.run().value, "Its folder is gone"); }

}  // namespace

RunWatch::RunWatch(control::RunFolder folder, const api::WatchOptions& options, std::function<void(const api::RunUpdate&)> changed)
    : m_folder(std::move(folder)), m_choice(options.choice), m_interval(options.interval), m_changed(std::move(changed)) {
    for (const auto& key : options.series) m_series.push_back({key.name, key.rank});
    m_thread = startThread("watch-run", [this](std::stop_token stop) { loop(stop); });
}

RunWatch::~RunWatch() { m_thread.request_stop(); }

void RunWatch::loop(std::stop_token stop) {
    while (!stop.stop_requested()) {
        if (const auto update = look()) m_changed(*update);
        if (m_more) continue;
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, stop, m_interval, [] { return false; });
    }
}

std::optional<api::RunUpdate> RunWatch::look() {
    if (!m_reader) return open();
    if (const auto problem = lost()) return broken(*problem);
    if (!m_reader) return open();
    const auto counter = m_reader->changeCounter();
    if (!counter.ok()) return broken(counter.error());
    const bool same = m_counter == *counter;
    if (same && m_told && !m_more && !controllerMayHaveGone()) return std::nullopt;
    m_counter = *counter;
    return read();
}

std::optional<api::RunUpdate> RunWatch::open() {
    if (!m_retryAt.passed()) return std::nullopt;
    m_retryAt = Deadline::in(kRareLook);
    std::error_code status;
    if (!std::filesystem::exists(m_folder.path(), status)) return broken(noSuchRun(m_folder));
    const auto identity = identityOf(m_folder.database());
    if (!identity.ok() && isBeingMade()) return std::nullopt;
    auto reader = store::Reader::open(m_folder.database());
    if (!reader.ok()) return broken(reader.error());
    if (!identity.ok()) return broken(identity.error());
    m_reader = std::move(*reader);
    m_file = *identity;
    m_fileLookAt = Deadline::in(kRareLook);
    m_counter.reset();
    m_told.reset();
    m_next = api::UpdateKind::First;
    m_events = 0;
    m_marks.clear();
    return look();
}

// A folder made just now gets its store in a moment: that is no loss.
bool RunWatch::isBeingMade() {
    std::error_code status;
    const auto made = std::filesystem::last_write_time(m_folder.path(), status);
    if (status || m_told || m_beingMade.passed() || made + kMakingStore < std::filesystem::file_time_type::clock::now()) return false;
    m_retryAt = Deadline::in(m_interval);
    return true;
}

// Told once for as long as it stays the same, tried again every second.
std::optional<api::RunUpdate> RunWatch::broken(const Error& problem) {
    m_reader.reset();
    m_more = false;
    m_retryAt = Deadline::in(kRareLook);
    api::RunUpdate update;
    update.kind = m_next;
    update.summary = summarizeBroken(m_folder, problem);
    if (m_told && m_told->problem == problem) return std::nullopt;
    if (m_told) {
        // What the person sees keeps its name and numbers beside the problem.
        const auto state = update.summary.state;
        update.summary = *m_told;
        update.summary.state = state;
        update.summary.problem = problem;
    }
    m_told = update.summary;
    return update;
}

std::optional<Error> RunWatch::lost() {
    if (!m_fileLookAt.passed()) return std::nullopt;
    m_fileLookAt = Deadline::in(kRareLook);
    const auto identity = identityOf(m_folder.database());
    if (identity.ok() && m_file == *identity) return std::nullopt;
    std::error_code status;
    if (!std::filesystem::exists(m_folder.path(), status)) return noSuchRun(m_folder);
    if (!identity.ok()) return identity.error();
    // Another file stands there now.
    m_reader.reset();
    m_retryAt = Deadline::in(Seconds(0));
    return std::nullopt;
}

// A controller that dies changes nothing in its store.
bool RunWatch::controllerMayHaveGone() {
    if (api::isIdle(m_told->state) || !m_controllerLookAt.passed()) return false;
    m_controllerLookAt = Deadline::in(kRareLook);
    return !hasController(m_folder);
}

std::optional<api::RunUpdate> RunWatch::read() {
    api::RunUpdate update;
    update.kind = m_next;
    update.summary = summarize(m_folder, *m_reader);
    if (update.summary.problem) return broken(*update.summary.problem);
    if (const auto ranks = m_reader->ranks(); ranks.ok()) update.ranks = toApi(*ranks);
    // Events are only ever added: their ids are 1, 2, 3, …
    if (const auto events = m_reader->events(m_events); events.ok()) {
        m_events += static_cast<std::int64_t>(events->size());
        update.events = toApi(*events);
    }
    if (const auto points = readPoints(update); !points.ok()) return broken(points.error());
    if (m_told == update.summary && update.events.empty() && update.points.empty()) return std::nullopt;
    update.more = m_more;
    m_told = update.summary;
    m_next = api::UpdateKind::Next;
    return update;
}

Result<void> RunWatch::readPoints(api::RunUpdate& update) {
    m_more = false;
    if (m_choice == api::SeriesChoice::Listed && m_series.empty()) return {};
    LS_TRY_ASSIGN(const auto news, m_reader->newPoints(m_marks, m_series, kPointsPerUpdate));
    for (const auto& series : news.series) update.points.push_back({{series.key.name, series.key.rank}, toApi(series.points), series.from});
    m_more = news.more;
    return {};
}

}  // namespace lockstep::workbench
