#include <style/metrics.h>
#include <style/theme.h>
#include <support/scratch.h>
#include <support/test.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>

#include <cmath>

using namespace lockstep;
using namespace lockstep::style;

namespace {

QByteArray fileText() {
    QFile file(QString::fromStdString((test::sourceDir() / "resources/palettes/tokens.json").string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QJsonObject root() { return QJsonDocument::fromJson(fileText()).object(); }

QByteArray changed(const QString& theme, const QString& role, const QJsonValue& value) {
    QJsonObject all = root();
    QJsonObject themes = all["themes"].toObject(), one = themes[theme].toObject(), colors = one["colors"].toObject();
    if (value.isUndefined())
        colors.remove(role);
    else
        colors[role] = value;
    one["colors"] = colors;
    themes[theme] = one;
    all["themes"] = themes;
    return QJsonDocument(all).toJson();
}

double luminance(const QColor& color) {
    const auto part = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) + 0.0722 * part(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace

class TokensTest : public QObject {
    Q_OBJECT
private slots:
    void everyRoleIsInBothThemesAndNoOther();
    void coloursAreThoseOfTheFile();
    void seriesAndHeat();
    void textKeepsItsContrast();
    void metricsAreThoseOfTheFile_data();
    void metricsAreThoseOfTheFile();
    void damagedTokensAreRefusedWithTheirPlace();
};

void TokensTest::everyRoleIsInBothThemesAndNoOther() {
    QSet<QString> ours;
    std::size_t at = 0;
    for (const RoleRow& row : roleTable()) {
        QCOMPARE(static_cast<std::size_t>(row.role), at++);
        ours.insert(QString::fromLatin1(row.token));
    }
    QCOMPARE(ours.size(), qsizetype(kRoleCount));
    for (const char* theme : {"light", "dark"}) {
        const QStringList keys = root()["themes"].toObject()[theme].toObject()["colors"].toObject().keys();
        QCOMPARE(QSet<QString>(keys.begin(), keys.end()), ours);
    }
}

void TokensTest::coloursAreThoseOfTheFile() {
    const TokensResult embedded = embeddedTokens();
    QVERIFY2(embedded.tokens.has_value(), qPrintable(embedded.error));
    for (const auto& [name, scheme] : {std::pair{"light", &embedded.tokens->light}, std::pair{"dark", &embedded.tokens->dark}}) {
        const QJsonObject colors = root()["themes"].toObject()[name].toObject()["colors"].toObject();
        for (const RoleRow& row : roleTable()) QCOMPARE(scheme->color(row.role).name().toUpper(), colors[row.token].toString());
    }
}

void TokensTest::seriesAndHeat() {
    const Tokens tokens = *embeddedTokens().tokens;
    for (const Scheme* scheme : {&tokens.light, &tokens.dark}) {
        QCOMPARE(scheme->series.size(), std::size_t(8));
        QSet<int> markers;
        for (const SeriesStyle& series : scheme->series) markers.insert(static_cast<int>(series.marker));
        QCOMPARE(markers.size(), qsizetype(8));
        QCOMPARE(scheme->late.at(1.0), scheme->late.stops[0]);
        QCOMPARE(scheme->late.at(1.07), scheme->late.stops[1]);
        QCOMPARE(scheme->late.at(1.3), scheme->late.stops[3]);
        QCOMPARE(scheme->late.at(9.0), scheme->late.stops[5]);
        QCOMPARE(scheme->load.at(0.0), scheme->load.stops[0]);
        QCOMPARE(scheme->load.at(1.0), scheme->load.stops[5]);
    }
}

void TokensTest::textKeepsItsContrast() {
    const Tokens tokens = *embeddedTokens().tokens;
    for (const Scheme* scheme : {&tokens.light, &tokens.dark}) {
        for (const Role under : {Role::Window, Role::Surface, Role::Sunken, Role::Raised, Role::Hover, Role::AccentTint}) {
            QVERIFY(contrast(scheme->color(Role::Text), scheme->color(under)) >= 4.5);
            QVERIFY(contrast(scheme->color(Role::MutedText), scheme->color(under)) >= 4.5);
        }
        QVERIFY(contrast(scheme->color(Role::OnAccent), scheme->color(Role::Accent)) >= 4.5);
        for (const SeriesStyle& series : scheme->series) QVERIFY(contrast(series.line, scheme->color(Role::ChartBackground)) >= 3.0);
    }
}

void TokensTest::metricsAreThoseOfTheFile_data() {
    QTest::addColumn<QString>("section");
    QTest::addColumn<QString>("key");
    QTest::addColumn<double>("ours");
    struct Row {
        const char* section;
        const char* key;
        double ours;
    };
    const Row rows[] = {
        {"spacing", "xs", space::kXs},
        {"spacing", "s", space::kS},
        {"spacing", "m", space::kM},
        {"spacing", "l", space::kL},
        {"spacing", "xl", space::kXl},
        {"spacing", "xxl", space::kXxl},
        {"spacing", "pagePadding", space::kPagePadding},
        {"spacing", "cardGap", space::kCardGap},
        {"spacing", "cardPaddingX", space::kCardPaddingX},
        {"spacing", "cardPaddingXWide", space::kCardPaddingXWide},
        {"spacing", "labelGap", space::kLabelGap},
        {"spacing", "iconTextGap", space::kIconTextGap},
        {"radius", "chip", radius::kChip},
        {"radius", "control", radius::kControl},
        {"radius", "card", radius::kCard},
        {"radius", "pill", radius::kPill},
        {"radius", "tooltip", radius::kTooltip},
        {"radius", "bar", radius::kBar},
        {"radius", "checkBox", radius::kCheckBox},
        {"border", "width", edge::kWidth},
        {"border", "focusWidth", edge::kFocusWidth},
        {"border", "navMarkWidth", edge::kNavMarkWidth},
        {"border", "tabUnderline", edge::kTabUnderline},
        {"control", "height", control::kHeight},
        {"control", "heightSmall", control::kHeightSmall},
        {"control", "heightLarge", control::kHeightLarge},
        {"control", "minTarget", control::kMinTarget},
        {"control", "buttonPaddingX", control::kButtonPaddingX},
        {"control", "checkBox", control::kCheckBox},
        {"control", "checkBoxInCell", control::kCheckBoxInCell},
        {"control", "pill", control::kPill},
        {"control", "pillSmall", control::kPillSmall},
        {"control", "chip", control::kChip},
        {"control", "segmented", control::kSegmented},
        {"control", "segmentedSmall", control::kSegmentedSmall},
        {"layout", "topBar", layout::kTopBar},
        {"layout", "pageBar", layout::kPageBar},
        {"layout", "pageBarCollapsed", layout::kPageBarCollapsed},
        {"layout", "navItem", layout::kNavItem},
        {"layout", "bottomBar", layout::kBottomBar},
        {"layout", "pageHeader", layout::kPageHeader},
        {"layout", "dockHeader", layout::kDockHeader},
        {"layout", "cardHeader", layout::kCardHeader},
        {"layout", "cardHeaderWide", layout::kCardHeaderWide},
        {"layout", "tableHeader", layout::kTableHeader},
        {"layout", "tableRow", layout::kTableRow},
        {"layout", "tableRowDense", layout::kTableRowDense},
        {"layout", "tableRowTouch", layout::kTableRowTouch},
        {"layout", "hostTree", layout::kHostTree},
        {"layout", "deviceDock", layout::kDeviceDock},
        {"layout", "valuesDock", layout::kValuesDock},
        {"layout", "runHeader", layout::kRunHeader},
        {"layout", "chartStrip", layout::kChartStrip},
        {"layout", "launchFooter", layout::kLaunchFooter},
        {"layout", "issueRow", layout::kIssueRow},
        {"layout", "emptyColumn", layout::kEmptyColumn},
        {"chart.pens", "raw", chart::kPenRaw},
        {"chart.pens", "context", chart::kPenContext},
        {"chart.pens", "smoothed", chart::kPenSmoothed},
        {"chart.pens", "singleSeries", chart::kPenSingleSeries},
        {"chart.pens", "secondary", chart::kPenSecondary},
        {"chart.pens", "scaling", chart::kPenScaling},
        {"chart.margins", "left", chart::kMarginLeft},
        {"chart.margins", "right", chart::kMarginRight},
        {"chart.margins", "top", chart::kMarginTop},
        {"chart.margins", "bottom", chart::kMarginBottom},
        {"chart", "tickLength", chart::kTickLength},
        {"chart", "markerRadius", chart::kMarkerRadius},
        {"chart", "markerRadiusTable", chart::kMarkerRadiusTable},
        {"chart", "cursorDot", chart::kCursorDot},
        {"chart", "bucketWidth", chart::kBucketWidth},
        {"chart", "endLabelGap", chart::kEndLabelGap},
        {"chart", "maxGridLines", chart::kMaxGridLines},
        {"chart.lanes", "rowHeight", chart::kLaneRow},
        {"chart.lanes", "rowGap", chart::kLaneRowGap},
        {"chart.lanes", "hostGap", chart::kLaneHostGap},
        {"chart.lanes", "gutter", chart::kLaneGutter},
        {"chart.lanes", "valueColumn", chart::kLaneValueColumn},
        {"chart.lanes", "eventLane", chart::kEventLane},
        {"chart.lanes", "axis", chart::kLaneAxis},
        {"icon.sizes", "inline", icon_size::kInline},
        {"icon.sizes", "control", icon_size::kControl},
        {"icon.sizes", "nav", icon_size::kNav},
        {"icon.sizes", "empty", icon_size::kEmpty},
        {"motion", "refreshMs", chart::kRefreshMs},
    };
    for (const Row& row : rows)
        QTest::addRow("%s.%s", row.section, row.key) << QString::fromLatin1(row.section) << QString::fromLatin1(row.key) << row.ours;
}

void TokensTest::metricsAreThoseOfTheFile() {
    QFETCH(QString, section);
    QFETCH(QString, key);
    QFETCH(double, ours);
    QJsonObject place = root();
    for (const QString& part : section.split('.')) place = place[part].toObject();
    QVERIFY(place[key].isDouble());
    QCOMPARE(place[key].toDouble(), ours);
}

void TokensTest::damagedTokensAreRefusedWithTheirPlace() {
    const auto errorOf = [](const QByteArray& text) {
        const TokensResult result = parseTokens(text);
        return result.tokens ? QStringLiteral("accepted") : result.error;
    };
    QVERIFY(errorOf("{").contains("byte"));
    QVERIFY(errorOf("[]").contains("themes"));
    QVERIFY(errorOf(changed("dark", "focus", QJsonValue::Undefined)).contains("themes.dark.colors.focus"));
    QVERIFY(errorOf(changed("light", "window", "blue")).contains("themes.light.colors.window"));
    QVERIFY(errorOf(changed("light", "window", "#12345")).contains("#RRGGBB"));
    QVERIFY(errorOf(changed("light", "glow", "#123456")).contains("not known"));
    QVERIFY(errorOf(fileText() + QByteArray(1 << 20, ' ')).contains("1 MiB"));
    QCOMPARE(errorOf(fileText()), QStringLiteral("accepted"));
}

LOCKSTEP_TEST(TokensTest)
#include "tokens_test.moc"
