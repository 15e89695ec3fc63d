#include <style/tokens.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>

namespace lockstep::style {
namespace {

constexpr qsizetype kMostBytes = 1 << 20;
constexpr int kSeriesCount = 8;
constexpr int kMostStops = 16;

constexpr std::array<RoleRow, kRoleCount> kRoles{{
    {Role::Window, "window"},
    {Role::Surface, "surface"},
    {Role::Sunken, "sunken"},
    {Role::Raised, "raised"},
    {Role::Hover, "hover"},
    {Role::Pressed, "pressed"},
    {Role::Border, "border"},
    {Role::BorderStrong, "borderStrong"},
    {Role::Text, "text"},
    {Role::MutedText, "mutedText"},
    {Role::DisabledText, "disabledText"},
    {Role::Accent, "accent"},
    {Role::AccentHover, "accentHover"},
    {Role::OnAccent, "onAccent"},
    {Role::AccentTint, "accentTint"},
    {Role::AccentMid, "accentMid"},
    {Role::Focus, "focus"},
    {Role::Success, "success"},
    {Role::SuccessTint, "successTint"},
    {Role::Warning, "warning"},
    {Role::WarningTint, "warningTint"},
    {Role::Error, "error"},
    {Role::ErrorTint, "errorTint"},
    {Role::ChartBackground, "chartBackground"},
    {Role::ChartGrid, "chartGrid"},
    {Role::ChartAxis, "chartAxis"},
    {Role::ChartContext, "chartContext"},
    {Role::Crosshair, "crosshair"},
}};

constexpr const char* kMarkers[] = {"disc", "square", "triangle", "diamond", "cross", "plus", "triangleInverted", "star"};
constexpr std::array<const char*, kTextStyleCount> kTextStyles{"caption", "small", "body", "strong", "figure",
                                                               "page",    "stat",  "hero", "code"};

// Collects the first thing that is wrong; everything after it is read as nothing.
class Reader {
public:
    QString error;

    QJsonObject object(const QJsonObject& parent, const QString& key, const QString& place) {
        const QJsonValue value = parent.value(key);
        if (!value.isObject()) fail(place + u'.' + key, QStringLiteral("an object is missing"));
        return value.toObject();
    }

    QColor color(const QJsonValue& value, const QString& place) {
        static const QRegularExpression form(QStringLiteral("^#[0-9A-Fa-f]{6}$"));
        const QString text = value.toString();
        if (!form.match(text).hasMatch()) fail(place, QStringLiteral("\"%1\" is no colour of the form #RRGGBB").arg(text.left(40)));
        return QColor(text);
    }

    int number(const QJsonObject& parent, const QString& key, const QString& place, int least, int most) {
        const QJsonValue value = parent.value(key);
        const int number = value.toInt(least - 1);
        if (number < least || number > most)
            fail(place + u'.' + key, QStringLiteral("a whole number from %1 to %2 is expected").arg(least).arg(most));
        return std::clamp(number, least, most);
    }

    void fail(const QString& place, const QString& what) {
        if (error.isEmpty()) error = QStringLiteral("tokens.json, %1: %2.").arg(place, what);
    }
};

void readColors(Reader& reader, const QJsonObject& colors, const QString& place, Scheme& scheme) {
    for (const RoleRow& row : kRoles) {
        const QString key = QString::fromLatin1(row.token);
        scheme.colors[static_cast<std::size_t>(row.role)] = reader.color(colors.value(key), place + u'.' + key);
    }
    for (const QString& key : colors.keys()) {
        const bool known = std::any_of(kRoles.begin(), kRoles.end(), [&](const RoleRow& row) { return key == QLatin1String(row.token); });
        if (!known) reader.fail(place + u'.' + key, QStringLiteral("this role is not known"));
    }
}

void readSeries(Reader& reader, const QJsonArray& list, const QString& place, Scheme& scheme) {
    if (list.size() != kSeriesCount) return reader.fail(place, QStringLiteral("%1 series are expected").arg(kSeriesCount));
    for (int i = 0; i < kSeriesCount; ++i) {
        const QJsonObject row = list.at(i).toObject();
        const QString here = place + QStringLiteral("[%1]").arg(i);
        const QString marker = row.value(QStringLiteral("marker")).toString();
        const auto* found =
            std::find_if(std::begin(kMarkers), std::end(kMarkers), [&](const char* m) { return marker == QLatin1String(m); });
        if (found == std::end(kMarkers)) return reader.fail(here, QStringLiteral("marker \"%1\" is not known").arg(marker.left(40)));
        scheme.series.push_back({row.value(QStringLiteral("name")).toString().left(40), static_cast<Marker>(found - std::begin(kMarkers)),
                                 reader.color(row.value(QStringLiteral("line")), here + QStringLiteral(".line")),
                                 reader.color(row.value(QStringLiteral("raw")), here + QStringLiteral(".raw")),
                                 reader.color(row.value(QStringLiteral("band")), here + QStringLiteral(".band")),
                                 reader.color(row.value(QStringLiteral("fill")), here + QStringLiteral(".fill"))});
    }
}

HeatRamp readRamp(Reader& reader, const QJsonObject& ramp, const QString& place) {
    HeatRamp out;
    const QJsonArray stops = ramp.value(QStringLiteral("stops")).toArray();
    if (stops.size() < 2 || stops.size() > kMostStops) {
        reader.fail(place, QStringLiteral("2 to %1 stops are expected").arg(kMostStops));
        return out;
    }
    for (const auto& stop : stops) out.stops.push_back(reader.color(stop, place + QStringLiteral(".stops")));
    const QJsonArray cuts = ramp.value(QStringLiteral("cuts")).toArray();
    for (const auto& cut : cuts) out.cuts.push_back(cut.toDouble());
    if (cuts.isEmpty())
        for (qsizetype i = 1; i < stops.size(); ++i) out.cuts.push_back(static_cast<double>(i) / static_cast<double>(stops.size()));
    if (out.cuts.size() + 1 != out.stops.size() || !std::is_sorted(out.cuts.begin(), out.cuts.end()))
        reader.fail(place, QStringLiteral("cuts must ascend and be one less than stops"));
    return out;
}

Scheme readScheme(Reader& reader, const QJsonObject& themes, const QString& name) {
    Scheme scheme;
    const QString place = QStringLiteral("themes.") + name;
    const QJsonObject theme = reader.object(themes, name, QStringLiteral("themes"));
    readColors(reader, reader.object(theme, QStringLiteral("colors"), place), place + QStringLiteral(".colors"), scheme);
    readSeries(reader, theme.value(QStringLiteral("series")).toArray(), place + QStringLiteral(".series"), scheme);
    const QJsonObject heat = reader.object(theme, QStringLiteral("heat"), place);
    scheme.load = readRamp(reader, reader.object(heat, QStringLiteral("load"), place), place + QStringLiteral(".heat.load"));
    scheme.late = readRamp(reader, reader.object(heat, QStringLiteral("late"), place), place + QStringLiteral(".heat.late"));
    return scheme;
}

void readText(Reader& reader, const QJsonObject& root, Tokens& tokens) {
    const QJsonObject type = reader.object(root, QStringLiteral("type"), QStringLiteral("root"));
    const QJsonObject scale = reader.object(type, QStringLiteral("scale"), QStringLiteral("type"));
    for (std::size_t i = 0; i < kTextStyleCount; ++i) {
        const QString key = QString::fromLatin1(kTextStyles[i]);
        const QString place = QStringLiteral("type.scale.") + key;
        const QJsonObject row = reader.object(scale, key, QStringLiteral("type.scale"));
        tokens.text[i] = {reader.number(row, QStringLiteral("px"), place, 6, 64), reader.number(row, QStringLiteral("line"), place, 8, 96),
                          reader.number(row, QStringLiteral("weight"), place, 100, 900),
                          row.value(QStringLiteral("family")).toString() == QLatin1String("mono")};
    }
}

}  // namespace

std::span<const RoleRow, kRoleCount> roleTable() { return kRoles; }

const QColor& HeatRamp::at(double value) const {
    const auto above = std::upper_bound(cuts.begin(), cuts.end(), value);
    return stops[static_cast<std::size_t>(above - cuts.begin())];
}

TokensResult parseTokens(const QByteArray& json) {
    if (json.size() > kMostBytes) return {std::nullopt, QStringLiteral("tokens.json is larger than 1 MiB.")};
    QJsonParseError problem;
    const QJsonDocument document = QJsonDocument::fromJson(json, &problem);
    if (problem.error != QJsonParseError::NoError)
        return {std::nullopt, QStringLiteral("tokens.json, byte %1: %2.").arg(problem.offset).arg(problem.errorString())};
    Reader reader;
    Tokens tokens;
    const QJsonObject themes = reader.object(document.object(), QStringLiteral("themes"), QStringLiteral("root"));
    tokens.light = readScheme(reader, themes, QStringLiteral("light"));
    tokens.dark = readScheme(reader, themes, QStringLiteral("dark"));
    readText(reader, document.object(), tokens);
    if (!reader.error.isEmpty()) return {std::nullopt, reader.error};
    return {std::move(tokens), {}};
}

TokensResult embeddedTokens() {
    QFile file(QStringLiteral(":/lockstep/palettes/tokens.json"));
    if (!file.open(QIODevice::ReadOnly)) return {std::nullopt, QStringLiteral("The tokens of the look are not in the program.")};
    return parseTokens(file.readAll());
}

}  // namespace lockstep::style
