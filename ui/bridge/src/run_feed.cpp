#include <bridge/run_feed.h>

#include "run_session.h"

#include <algorithm>

namespace lockstep::bridge {
namespace {

constexpr int kDeliverEveryMilliseconds = 100;

}  // namespace

RunFeed::RunFeed(api::Runs& runs, QObject* parent) : QObject(parent), m_runs(runs) {
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &RunFeed::drain);
}

RunFeed::~RunFeed() = default;

void RunFeed::close() {
    m_session.reset();
    m_timer.stop();
    ++m_generation;  // what the old session has posted is not of this run
    m_run = {};
    m_detail = {};
    m_problem.reset();
    m_loaded = false;
}

void RunFeed::open(const RunId& run) {
    close();
    m_run = run;
    m_sinceDelivery.invalidate();
    takeFirst();
    const auto post = [this, poster = m_door.poster(), generation = m_generation](auto work) {
        poster.post([this, generation, work = std::move(work)]() mutable {
            if (generation == m_generation) work();
        });
    };
    SessionCalls calls;
    calls.detail = [this, post](api::RunDetail detail) {
        post([this, detail = std::move(detail)]() mutable { takeDetail(std::move(detail)); });
    };
    calls.preview = [this, post](api::SeriesKey key, std::vector<api::Bucket> buckets) {
        post([this, key = std::move(key), buckets = std::move(buckets)] { emit previewReady(key, buckets); });
    };
    calls.failed = [this, post](const Error& error) { post([this, error] { fail(error); }); };
    calls.arrived = [this, post] { post([this] { knock(); }); };
    m_session = std::make_unique<RunSession>(m_runs, run, std::move(calls));
}

void RunFeed::knock() {
    if (m_timer.isActive()) return;
    const auto since = m_sinceDelivery.isValid() ? m_sinceDelivery.elapsed() : kDeliverEveryMilliseconds;
    m_timer.start(static_cast<int>(std::max<qint64>(0, kDeliverEveryMilliseconds - since)));
}

// One update per pass: the event loop goes on between the portions of a long run.
void RunFeed::drain() {
    if (!m_session) return;
    auto update = m_session->inbox().take();
    if (!update) return;
    const bool backlog = update->more || m_session->inbox().holdsBacklog();
    m_sinceDelivery.start();
    deliver(*update);
    if (!m_session) return;  // closed by a slot
    // The next put() tells only when it finds the inbox empty.
    m_timer.start(backlog ? 0 : kDeliverEveryMilliseconds);
}

void RunFeed::deliver(const api::RunUpdate& update) {
    const auto generation = m_generation;
    if (update.summary.problem) return fail(*update.summary.problem);
    if (m_problem) {
        m_problem.reset();
        m_session->wantDetail();
        emit recovered();
    }
    if (update.kind == api::UpdateKind::First && !m_voided) takeFirst();
    m_voided = false;
    takeSummary(update.summary);
    if (generation == m_generation && m_detail.ranks != update.ranks) {
        m_detail.ranks = update.ranks;
        emit ranksChanged(m_detail.ranks);
    }
    if (generation == m_generation && !update.events.empty()) {
        m_detail.events.insert(m_detail.events.end(), update.events.begin(), update.events.end());
        emit eventsAdded(update.events);
    }
    if (generation == m_generation && !update.points.empty()) emit valuesAdded(update.points);
    if (generation == m_generation && !m_loaded && !update.more) {
        m_loaded = true;
        emit loaded();
    }
}

void RunFeed::takeFirst() {
    m_voided = true;
    m_loaded = false;
    m_detail.events.clear();
    m_detail.ranks.clear();
    emit reset();
}

void RunFeed::takeSummary(const api::RunSummary& summary) {
    if (m_detail.summary == summary) return;
    const bool otherState = m_detail.summary.state != summary.state || m_detail.summary.run != summary.run;
    m_detail.summary = summary;
    if (otherState) m_session->wantDetail();
    emit summaryChanged(summary);
}

// The watch tells summary, ranks and events; the detail may be older than what it has told.
void RunFeed::takeDetail(api::RunDetail detail) {
    m_detail.states = std::move(detail.states);
    m_detail.result = std::move(detail.result);
    m_detail.spec = std::move(detail.spec);
    const bool first = m_detail.summary.run != detail.summary.run;
    if (first) m_detail.summary = std::move(detail.summary);
    const auto generation = m_generation;
    emit opened(m_detail);
    if (first && generation == m_generation) emit summaryChanged(m_detail.summary);
}

void RunFeed::fail(const Error& error) {
    if (m_problem == error) return;
    m_problem = error;
    emit failed(error);
}

}  // namespace lockstep::bridge
