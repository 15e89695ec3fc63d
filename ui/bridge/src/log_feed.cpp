#include <bridge/log_feed.h>

#include "log_session.h"

#include <algorithm>

namespace lockstep::bridge {
namespace {

constexpr int kDeliverEveryMilliseconds = 100;
constexpr std::size_t kLinesPerPortion = 20'000;

}  // namespace

LogFeed::LogFeed(api::Logs& logs, QObject* parent) : QObject(parent), m_logs(logs) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &LogFeed::drain);
}

LogFeed::~LogFeed() = default;

void LogFeed::close() {
    m_session.reset();
    m_timer.stop();
    ++m_generation;
    m_run = {};
    m_files.clear();
    m_problem.reset();
    m_loaded = false;
}

void LogFeed::open(const RunId& run) {
    close();
    m_run = run;
    m_sinceDelivery.invalidate();
    emit reset();
    const auto post = [this, poster = m_door.poster(), generation = m_generation](auto work) {
        poster.post([this, generation, work = std::move(work)] {
            if (generation == m_generation) work();
        });
    };
    LogCalls calls;
    calls.files = [this, post](std::vector<api::LogFileInfo> files) { post([this, files = std::move(files)] { takeFiles(files); }); };
    calls.failed = [this, post](const Error& error) { post([this, error] { fail(error); }); };
    calls.recovered = [this, post] {
        post([this] {
            m_problem.reset();
            m_loaded = false;
            emit recovered();
            emit reset();
        });
    };
    calls.arrived = [this, post] { post([this] { knock(); }); };
    m_session = std::make_unique<LogSession>(m_logs, run, std::move(calls));
}

void LogFeed::knock() {
    if (m_timer.isActive()) return;
    const auto since = m_sinceDelivery.isValid() ? m_sinceDelivery.elapsed() : kDeliverEveryMilliseconds;
    m_timer.start(static_cast<int>(std::max<qint64>(0, kDeliverEveryMilliseconds - since)));
}

// A portion per pass: the event loop goes on while a long log comes in.
void LogFeed::drain() {
    if (!m_session) return;
    const auto generation = m_generation;
    const auto portion = m_session->takeLines(kLinesPerPortion);
    m_sinceDelivery.start();
    if (portion.more) m_timer.start(0);
    if (!portion.lines.empty()) emit linesAdded(portion.lines);
    if (generation != m_generation || m_loaded || portion.more || !portion.started) return;
    m_loaded = true;
    emit loaded();
}

void LogFeed::takeFiles(const std::vector<api::LogFileInfo>& files) {
    m_files = files;
    emit filesChanged(m_files);
}

void LogFeed::fail(const Error& error) {
    m_problem = error;
    emit failed(error);
}

}  // namespace lockstep::bridge
