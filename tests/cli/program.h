// Runs the real `lockstep` as a person or a script would.
#pragma once

#include <support/scratch.h>

#include <QProcess>
#include <QString>
#include <QStringList>

#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace lockstep::test {

using Json = nlohmann::ordered_json;

struct Ended {
    int code = -1;
    std::string out;
    std::string err;
    // The one JSON object of stdout; discarded value (is_discarded()) when it is none.
    Json json() const { return Json::parse(out, nullptr, false); }
};

QString programPath();

// A program with its own folder, runtime folder, home and agent: nothing of one test reaches another or the person's own runs.
class Program {
public:
    Program();
    ~Program();

    const std::filesystem::path& folder() const { return m_scratch.path(); }
    void setEnvironment(const QString& name, const QString& value) { m_environment.insert(name, value); }
    const QProcessEnvironment& environment() const { return m_environment; }

    // Runs to the end, at most `seconds`; the exit code is -1 when it had to be killed.
    Ended run(const QStringList& arguments, int seconds = 60);
    // Starts and returns at once; the caller owns it.
    std::unique_ptr<QProcess> start(const QStringList& arguments);
    Ended finish(QProcess& process, int seconds = 60);

    // Runs with a pseudo terminal as stdin, stdout and stderr; all it wrote.
    Ended runOnTerminal(const QStringList& arguments, const std::string& input = "", int seconds = 60);

private:
    Scratch m_scratch;
    QProcessEnvironment m_environment;
};

}  // namespace lockstep::test
