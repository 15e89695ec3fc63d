// A folder on a disk that can't be written, for one program and its children: a mount namespace of its own in which a file system with
// a copy of the folder is mounted read-only. Works as root and, where the kernel lets users have namespaces, as anybody.
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

#include <filesystem>

namespace lockstep::test {

class ReadOnlyMount {
public:
    // `place` becomes the read-only copy of `source`; both must be folders.
    ReadOnlyMount(const std::filesystem::path& source, const std::filesystem::path& place) {
        for (const QStringList& way : {QStringList{"--mount"}, QStringList{"--user", "--map-root-user", "--mount"}}) {
            m_words = QStringList{"unshare"} + way + QStringList{"sh", "-c", kScript, "sh"} +
                      QStringList{QString::fromStdString(place.string()), QString::fromStdString(source.string())};
            QProcess probe;
            const auto words = around({"true"});
            probe.start(words.front(), words.mid(1));
            if (probe.waitForFinished(10'000) && probe.exitStatus() == QProcess::NormalExit && probe.exitCode() == 0) {
                m_refusal.clear();
                return;
            }
            m_refusal += QString::fromLocal8Bit(probe.readAllStandardError()).simplified() + QLatin1Char(' ') + probe.errorString() + "; ";
        }
    }
    // Why there is none here; empty when there is.
    const QString& refusal() const { return m_refusal; }
    // The words that start `program` where the folder can't be written.
    QStringList around(const QStringList& program) const { return m_words + program; }

private:
    static constexpr const char* kScript =
        "mount -t tmpfs tmpfs \"$1\" && cp -a \"$2/.\" \"$1/\" && mount -o remount,ro \"$1\" && shift 2 && exec \"$@\"";
    QStringList m_words;
    QString m_refusal;
};

}  // namespace lockstep::test
