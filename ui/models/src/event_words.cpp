#include <models/event_words.h>

#include <text/format.h>

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>

#include <optional>
#include <string_view>
#include <utility>

namespace lockstep::models {
namespace {

struct EventWords {
    Q_DECLARE_TR_FUNCTIONS(EventWords)
};

// Between the two words, up to the step at the end of the controller's sentence.
QString between(const QString& text, const QString& before) {
    const auto begin = text.indexOf(before);
    if (begin < 0) return {};
    const auto from = begin + before.size();
    const auto end = text.lastIndexOf(QLatin1String(" at step "));
    return text.mid(from, end < from ? -1 : end - from);
}

QString codeOf(const api::RunEvent& event) {
    const auto object = QJsonDocument::fromJson(QByteArray::fromStdString(event.detail)).object();
    return object.value(QStringLiteral("code")).toString();
}

QString rankText(int rank) { return EventWords::tr("Rank %1").arg(rank); }

QString failureSentence(const api::RunEvent& event) {
    const QString code = codeOf(event);
    if (code.isEmpty()) return text::toText(event.text);
    return event.rank >= 0 ? EventWords::tr("%1 failed (%2)").arg(rankText(event.rank), code)
                           : EventWords::tr("The run failed (%1)").arg(code);
}

QString exitSentence(const api::RunEvent& event) {
    const QString text = text::toText(event.text), how = between(text, QStringLiteral(" ended with "));
    if (!how.isEmpty()) return EventWords::tr("%1 ended with %2").arg(rankText(event.rank), how);
    return text.contains(QLatin1String(" has ended")) ? EventWords::tr("%1 has ended").arg(rankText(event.rank)) : text;
}

QString warningSentence(const api::RunEvent& event) {
    const QString text = text::toText(event.text), code = codeOf(event);
    if (event.rank >= 0 && text == QStringLiteral("Rank %1 goes on").arg(event.rank))
        return EventWords::tr("%1 goes on").arg(rankText(event.rank));
    return code.isEmpty() ? text : EventWords::tr("Warning %1: %2").arg(code, text);
}

QString commandSentence(const api::RunEvent& event) {
    if (event.text == "stop") return EventWords::tr("Stop asked");
    if (event.text == "insist") return EventWords::tr("Stop asked again");
    if (event.text == "kill") return EventWords::tr("End at once asked");
    const QString text = text::toText(event.text);
    if (text.startsWith(QLatin1String("checkpoint asked"))) return EventWords::tr("Checkpoint asked");
    return EventWords::tr("Command: %1").arg(text);
}

QString phaseSentence(const api::RunEvent& event) {
    static constexpr std::pair<std::string_view, const char*> kPhases[] = {
        {"staging", QT_TRANSLATE_NOOP("EventWords", "preparing files")}, {"spawning", QT_TRANSLATE_NOOP("EventWords", "starting")},
        {"rendezvous", QT_TRANSLATE_NOOP("EventWords", "meeting")},      {"first step", QT_TRANSLATE_NOOP("EventWords", "first step")},
        {"joining", QT_TRANSLATE_NOOP("EventWords", "joining")},         {"joined", QT_TRANSLATE_NOOP("EventWords", "joined")},
        {"training", QT_TRANSLATE_NOOP("EventWords", "training")},       {"evaluation", QT_TRANSLATE_NOOP("EventWords", "evaluation")}};
    const auto colon = event.text.find(": ");
    const std::string_view all = event.text, phase = colon == std::string::npos ? all : all.substr(colon + 2);
    for (const auto& [name, word] : kPhases) {
        if (name != phase) continue;
        const QString words = QCoreApplication::translate("EventWords", word);
        return event.rank >= 0 ? EventWords::tr("%1: %2").arg(rankText(event.rank), words) : words;
    }
    return text::toText(event.text);
}

std::optional<const char*> kindOf(const api::StateChange& change) {
    if (change.cause == "resumed") return "resume";
    if (change.cause == "started" || change.cause == "started by hand") return "started";
    switch (change.state) {
        case api::RunState::Completed: return "completed";
        case api::RunState::Stopped: return "stopped";
        case api::RunState::Failed: return "failed";
        case api::RunState::Lost: return "lost";
        default: return std::nullopt;
    }
}

}  // namespace

QString eventKindText(const std::string& kind) {
    static constexpr std::pair<std::string_view, const char*> kWords[] = {
        {"phase", QT_TRANSLATE_NOOP("RunEvent", "Phase")},
        {"checkpoint", QT_TRANSLATE_NOOP("RunEvent", "Checkpoint")},
        {"exit", QT_TRANSLATE_NOOP("RunEvent", "Exit")},
        {"warning", QT_TRANSLATE_NOOP("RunEvent", "Warning")},
        {"error", QT_TRANSLATE_NOOP("RunEvent", "Error")},
        {"command", QT_TRANSLATE_NOOP("RunEvent", "Command")},
        {"resume", QT_TRANSLATE_NOOP("RunEvent", "Resumed")},
        {"started", QT_TRANSLATE_NOOP("RunEvent", "Started")},
        {"completed", QT_TRANSLATE_NOOP("RunEvent", "Finished")},
        {"stopped", QT_TRANSLATE_NOOP("RunEvent", "Stopped")},
        {"failed", QT_TRANSLATE_NOOP("RunEvent", "Failed")},
        {"lost", QT_TRANSLATE_NOOP("RunEvent", "Its controller is gone")},
        {"memory", QT_TRANSLATE_NOOP("RunEvent", "Made to fit into memory")},
    };
    for (const auto& [name, word] : kWords)
        if (name == kind) return QCoreApplication::translate("RunEvent", word);
    return text::toText(kind);
}

QString eventSentence(const api::RunEvent& event) {
    if (event.kind == "error") return failureSentence(event);
    if (event.kind == "exit") return exitSentence(event);
    if (event.kind == "warning") return warningSentence(event);
    if (event.kind == "command") return commandSentence(event);
    if (event.kind == "phase") return phaseSentence(event);
    for (const char* known : {"checkpoint", "resume", "started", "completed", "stopped", "failed", "lost", "memory"})
        if (event.kind == known) return eventKindText(event.kind);
    return text::toText(event.text);
}

QString causeText(const std::string& cause) {
    const QString text = text::toText(cause);
    if (text.startsWith(QLatin1String("stopped by "))) return EventWords::tr("stopped by %1").arg(text.mid(11));
    if (text.startsWith(QLatin1String("ended by "))) return EventWords::tr("ended by %1").arg(text.mid(9));
    if (cause == "started") return EventWords::tr("started");
    if (cause == "started by hand") return EventWords::tr("started by hand");
    if (cause == "resumed") return EventWords::tr("resumed");
    return text;
}

std::vector<api::RunEvent> eventsOf(const std::vector<api::StateChange>& states) {
    std::vector<api::RunEvent> events;
    for (const auto& change : states)
        if (const auto kind = kindOf(change)) events.push_back({change.time, *kind, -1, 0, change.cause});
    return events;
}

}  // namespace lockstep::models
