#include <support/scratch.h>
#include <support/test.h>
#include <text/format.h>

#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTranslator>
#include <QXmlStreamReader>

using namespace lockstep;

namespace {

const QString kFolder = QStringLiteral(":/lockstep/translations");

struct Message {
    QString context;
    QString source;
    QStringList forms;  // one, or one per plural form of the language
    bool plural = false;
    bool finished = true;
};

QString inSources(const char* path) { return QString::fromStdString((test::sourceDir() / path).string()); }

QString languageFile(const QString& language) { return inSources("resources/translations") + "/studio_" + language + ".ts"; }

Message readMessage(QXmlStreamReader& xml, const QString& context) {
    Message message{context, {}, {}, xml.attributes().value("numerus") == QLatin1String("yes"), true};
    while (xml.readNextStartElement()) {
        if (xml.name() == QLatin1String("source")) {
            message.source = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            message.finished = !xml.attributes().hasAttribute("type");
            if (!message.plural) {
                message.forms << xml.readElementText();
                continue;
            }
            while (xml.readNextStartElement()) message.forms << xml.readElementText();
        } else {
            xml.skipCurrentElement();
        }
    }
    return message;
}

std::vector<Message> readMessages(const QString& path) {
    std::vector<Message> messages;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return messages;
    QXmlStreamReader xml(&file);
    QString context;
    xml.readNextStartElement();
    while (xml.readNextStartElement()) {
        while (xml.readNextStartElement()) {
            if (xml.name() == QLatin1String("name"))
                context = xml.readElementText();
            else if (xml.name() == QLatin1String("message"))
                messages.push_back(readMessage(xml, context));
            else
                xml.skipCurrentElement();
        }
    }
    return xml.hasError() ? std::vector<Message>{} : messages;
}

// What a translation must keep whatever the language: places, tags with their targets, names of keys and of files.
QStringList kept(const QString& text) {
    static const QRegularExpression pattern(R"(%L?\d|%n|&\w|<[^>]*>|Ctrl\+|Shift\+|\*\.\w+|TF_CONFIG|experiments/|\bF\d+\b|…$)");
    QStringList found;
    for (auto each = pattern.globalMatch(text); each.hasNext();) found << each.next().captured();
    found.sort();
    return found;
}

// Contexts that the program asks for: names of classes with tr() of their own, and those given by hand.
QSet<QString> contextsOf(const QString& text) {
    static const QRegularExpression pattern(R"(^namespace (?<space>[\w:]+) \{|\bclass (?<own>\w+)[^;{]*\{\s*Q_OBJECT\b|)"
                                            R"((?:Q_DECLARE_TR_FUNCTIONS\(|QCoreApplication::translate\(\x22)(?<given>[\w:]+))",
                                            QRegularExpression::MultilineOption);
    QSet<QString> found;
    QString space;
    for (auto each = pattern.globalMatch(text); each.hasNext();) {
        const auto match = each.next();
        if (match.hasCaptured("space")) space = match.captured("space");
        if (match.hasCaptured("own")) found << space + "::" + match.captured("own");
        if (match.hasCaptured("given")) found << match.captured("given");
    }
    return found;
}

QSet<QString> contextsOfTheProgram() {
    QSet<QString> all;
    for (const char* folder : {"ui", "app"}) {
        QDirIterator files(inSources(folder), {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (file.open(QIODevice::ReadOnly)) all += contextsOf(QString::fromUtf8(file.readAll()));
        }
    }
    return all;
}

}  // namespace

class TranslationsTest : public QObject {
    Q_OBJECT
private slots:
    void everyStringOfTheSourcesIsTranslated_data();
    void everyStringOfTheSourcesIsTranslated();
    void everyContextIsOneTheProgramAsksFor();
    void translationsKeepWhatIsNoWord_data();
    void translationsKeepWhatIsNoWord();
    void englishHasItsPlurals();
    void aChineseComputerGetsChinese_data();
    void aChineseComputerGetsChinese();
    void figuresAreChineseToo();
};

void TranslationsTest::everyStringOfTheSourcesIsTranslated_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QStringList>("options");
    QTest::newRow("en") << "en" << QStringList{"-pluralonly"};
    QTest::newRow("zh_CN") << "zh_CN" << QStringList();
}

void TranslationsTest::everyStringOfTheSourcesIsTranslated() {
    QFETCH(QString, language);
    QFETCH(QStringList, options);
    const test::Scratch scratch;
    const QString copy = QString::fromStdString((scratch / "studio_").string()) + language + ".ts";
    QVERIFY(QFile::copy(languageFile(language), copy));
    QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner));
    QProcess lupdate;
    lupdate.setProcessChannelMode(QProcess::MergedChannels);
    lupdate.start(LOCKSTEP_LUPDATE, options + QStringList{"-silent", "-no-obsolete", inSources("ui"), inSources("app"), "-ts", copy});
    QVERIFY(lupdate.waitForFinished(60'000));
    QCOMPARE(lupdate.exitCode(), 0);
    // It speaks only when it can't tell the class whose tr() is called: such a string would be looked up under another name.
    QCOMPARE(QString::fromUtf8(lupdate.readAll()), QString());

    const std::vector<Message> messages = readMessages(copy);
    QVERIFY(!messages.empty());
    for (const Message& message : messages) {
        const bool empty = message.forms.isEmpty() || message.forms.contains(QString());
        if (!message.finished || empty)
            QFAIL(
                qPrintable(language + ": no translation of '" + message.source + "' (" + message.context + "): installers/dev translate"));
    }
}

void TranslationsTest::everyContextIsOneTheProgramAsksFor() {
    const QSet<QString> asked = contextsOfTheProgram();
    QVERIFY(asked.contains("lockstep::shell::MainWindow"));
    for (const Message& message : readMessages(languageFile("zh_CN")))
        QVERIFY2(asked.contains(message.context), qPrintable(message.context + ": " + message.source));
}

void TranslationsTest::translationsKeepWhatIsNoWord_data() {
    QTest::addColumn<QString>("language");
    QTest::newRow("en") << "en";
    QTest::newRow("zh_CN") << "zh_CN";
}

void TranslationsTest::translationsKeepWhatIsNoWord() {
    QFETCH(QString, language);
    const std::vector<Message> messages = readMessages(languageFile(language));
    QVERIFY(!messages.empty());
    for (const Message& message : messages)
        for (const QString& form : message.forms)
            QVERIFY2(kept(form) == kept(message.source), qPrintable("'" + message.source + "' became '" + form + "'"));
}

void TranslationsTest::englishHasItsPlurals() {
    QTranslator english;
    QVERIFY(english.load(QLocale("en_GB"), "studio", "_", kFolder));
    const auto say = [&](const char* text, int n) { return english.translate("lockstep::pages::LiveHeader", text, nullptr, n); };
    QCOMPARE(say("%n worker(s)", 1), QStringLiteral("%n worker"));
    QCOMPARE(say("%n worker(s)", 2), QStringLiteral("%n workers"));
    QVERIFY(QCoreApplication::installTranslator(&english));
    const auto shown = [](int n) { return QCoreApplication::translate("lockstep::pages::LiveHeader", "%n worker(s)", nullptr, n); };
    QCOMPARE(shown(1), QStringLiteral("1 worker"));
    QCOMPARE(shown(2), QStringLiteral("2 workers"));
    QCOMPARE(QCoreApplication::translate("lockstep::studio::ProjectWindow", "%n device(s)", nullptr, 1), QStringLiteral("1 device"));
    QCOMPARE(text::formatAge(30), QStringLiteral("30") + QChar(text::kThinGroup) + "s");
}

void TranslationsTest::aChineseComputerGetsChinese_data() {
    QTest::addColumn<QString>("locale");
    for (const char* locale : {"zh_CN", "zh_Hans_CN", "zh"}) QTest::newRow(locale) << locale;
}

void TranslationsTest::aChineseComputerGetsChinese() {
    QFETCH(QString, locale);
    QTranslator chinese;
    QVERIFY(chinese.load(QLocale(locale), "studio", "_", kFolder));
    QCOMPARE(chinese.language(), QStringLiteral("zh_CN"));
    QVERIFY(QCoreApplication::installTranslator(&chinese));
    for (const int n : {1, 2})
        QCOMPARE(QCoreApplication::translate("lockstep::pages::LiveHeader", "%n worker(s)", nullptr, n),
                 QStringLiteral("%1 个工作节点").arg(n));
}

void TranslationsTest::figuresAreChineseToo() {
    QTranslator chinese;
    QVERIFY(chinese.load(QLocale("zh_CN"), "studio", "_", kFolder));
    QVERIFY(QCoreApplication::installTranslator(&chinese));
    QCOMPARE(text::formatAge(30), QStringLiteral("30") + QChar(text::kThinGroup) + QStringLiteral("秒"));
    QCOMPARE(text::formatCount(3, 7), QStringLiteral("3 / 7"));
    const double march = 1'741'000'000;  // 2025-03-03
    QCOMPARE(text::formatMoment(march, march + 400.0 * 86400).left(7), QStringLiteral("2025年3月"));
}

LOCKSTEP_TEST(TranslationsTest)
#include "translations_test.moc"
