// README's step "Your own data, in five lines": each of its lines is run.
#include "program.h"

#include <support/test.h>

#include <base/file.h>

#include <algorithm>

using namespace lockstep;
using test::Program;
namespace fs = std::filesystem;

namespace {

// The lines of the first block of that language behind the heading.
QStringList blockOf(const QString& readme, const QString& heading, const QString& language) {
    const auto at = readme.indexOf(heading), begin = at < 0 ? at : readme.indexOf("```" + language + "\n", at);
    if (begin < 0) return {};
    const auto first = readme.indexOf('\n', begin) + 1;
    return readme.mid(first, readme.indexOf("```", first) - first).split('\n', Qt::SkipEmptyParts);
}

// As numpy.save writes it.
std::string npyOf(const std::string& type, const std::string& shape, const std::string& values) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize((10 + header.size()) / 64 * 64 + 63 - 10, ' ');
    header += '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() & 255);
    text += static_cast<char>(header.size() >> 8);
    return text + header + values;
}

}  // namespace

class OwnDataTest : public QObject {
    Q_OBJECT

    test::Ended shell(const QString& line) {
        QProcess process;
        auto environment = m_program.environment();
        environment.insert("PATH", qEnvironmentVariable("LOCKSTEP_BIN") + ":" + environment.value("PATH"));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(QString::fromStdString(m_program.folder().string()));
        process.start("sh", {"-c", line});
        return m_program.finish(process, 100);
    }
    // Pictures of 6 × 6: a bright upper or lower half.
    static std::string pictures(int count) {
        std::string pixels;
        for (int row = 0; row < count; ++row)
            for (int i = 0; i < 36; ++i) pixels += static_cast<char>((i < 18) == (row % 2 == 0) ? 200 + row % 40 : row % 40);
        return pixels;
    }
    void writeArrays() {
        std::string labels;
        for (int row = 0; row < 1600; ++row) labels += std::string(1, static_cast<char>(row % 2)) + std::string(7, '\0');
        QVERIFY(replaceFile(m_program.folder() / "mine/x_train.npy", npyOf("|u1", "(1600, 6, 6)", pictures(1600))).ok());
        QVERIFY(replaceFile(m_program.folder() / "mine/y_train.npy", npyOf("<i8", "(1600,)", labels)).ok());
        QVERIFY(replaceFile(m_program.folder() / "new.npy", npyOf("|u1", "(4, 6, 6)", pictures(4))).ok());
    }
    Program m_program;

private slots:
    void everyLineOfTheReadme() {
        const auto text = readFile(test::sourceDir() / "README.md");
        VERIFY_OK(text);
        const QString readme = QString::fromStdString(*text), heading = "Your own data, in five lines";
        const QStringList python = blockOf(readme, heading, "python"), lines = blockOf(readme, heading, "sh");
        QCOMPARE(python.size(), 3);
        QCOMPARE(lines.size(), 4);
        fs::create_directories(m_program.folder() / "mine");
        writeArrays();
        // The same files by NumPy itself, where there is one.
        const QString arrays =
            "import numpy as np\nx = np.load('mine/x_train.npy'); y = np.load('mine/y_train.npy'); x_new = np.load('new.npy')\n";
        if (shell("python3 -c 'import numpy'").code == 0) {
            QVERIFY(replaceFile(m_program.folder() / "save.py", (arrays + python.join('\n')).toStdString()).ok());
            const auto saved = shell("python3 save.py");
            QVERIFY2(saved.code == 0, saved.err.c_str());
        }
        test::Ended ended;
        for (const QString& line : lines) {
            ended = shell(line);
            QVERIFY2(ended.code == 0, (line.toStdString() + "\n" + ended.out + ended.err).c_str());
        }
        // The last one told the halves apart.
        QCOMPARE(QString::fromStdString(ended.out).count('\n'), 5);
        for (int row = 0; row < 4; ++row) {
            const QStringList words = QString::fromStdString(ended.out).split('\n')[row + 1].split(' ', Qt::SkipEmptyParts);
            QCOMPARE(words[0].toInt(), row);
            QCOMPARE(words[1].toInt(), row % 2);
        }
    }
};

LOCKSTEP_TEST(OwnDataTest)
#include "own_data_test.moc"
