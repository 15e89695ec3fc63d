#include "look.h"

#include <support/scratch.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <array>
#include <cmath>

namespace lockstep::charts::test {

ChartColors paletteColors(const QString& theme) {
    QFile file(QString::fromStdString((lockstep::test::sourceDir() / "resources/palettes/tokens.json").string()));
    if (!file.open(QIODevice::ReadOnly)) qFatal("tokens.json can't be read");
    const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object()["themes"].toObject()[theme].toObject();
    const QJsonObject roles = root["colors"].toObject();
    const auto role = [&](const char* name) { return QColor(roles[QLatin1String(name)].toString()); };
    ChartColors colors;
    colors.background = role("chartBackground");
    colors.grid = role("chartGrid");
    colors.axis = role("chartAxis");
    colors.context = role("chartContext");
    colors.crosshair = role("crosshair");
    colors.text = role("text");
    colors.mutedText = role("mutedText");
    colors.disabledText = role("disabledText");
    colors.raised = role("raised");
    colors.border = role("border");
    colors.hover = role("hover");
    colors.focus = role("focus");
    colors.success = role("success");
    colors.warning = role("warning");
    colors.error = role("error");
    const QJsonArray series = root["series"].toArray();
    for (int i = 0; i < kSeriesColors; ++i) {
        const QJsonObject each = series[i].toObject();
        colors.series[i] = {QColor(each["line"].toString()), QColor(each["raw"].toString()), QColor(each["band"].toString()),
                            QColor(each["fill"].toString()), static_cast<Marker>(i)};
    }
    static constexpr std::array<Marker, kSeriesColors> kMarkers{Marker::Disc,  Marker::Square, Marker::Triangle,         Marker::Diamond,
                                                                Marker::Cross, Marker::Plus,   Marker::TriangleInverted, Marker::Star};
    for (int i = 0; i < kSeriesColors; ++i) colors.series[i].marker = kMarkers[i];
    const QJsonObject heat = root["heat"].toObject();
    for (int i = 0; i < kHeatStops; ++i) {
        colors.load[i] = QColor(heat["load"].toObject()["stops"].toArray()[i].toString());
        colors.late[i] = QColor(heat["late"].toObject()["stops"].toArray()[i].toString());
    }
    return colors;
}

double Noise::uniform() {
    m_state = m_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return double(m_state >> 11) / 9007199254740992.0;
}

double Noise::normal() {
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += uniform();
    return (sum - 3) * 1.41421356;
}

std::uint64_t Noise::below(std::uint64_t limit) { return static_cast<std::uint64_t>(uniform() * double(limit)); }

std::shared_ptr<SeriesData> lossCurve(std::size_t points, std::uint64_t seed, double floor) {
    auto data = std::make_shared<SeriesData>();
    Noise noise(seed);
    for (std::size_t i = 1; i <= points; ++i) {
        const double part = double(i) / double(points);
        const double mean = floor + (2.3 - floor) * (0.8 * std::exp(-part * 6) + 0.2 * std::exp(-part * 2));
        data->append({i, 1.7e9 + 0.0725 * double(i), mean * std::exp(0.14 * noise.normal())});
    }
    return data;
}

}  // namespace lockstep::charts::test
