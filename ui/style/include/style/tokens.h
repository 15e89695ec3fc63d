// The look as values: what resources/palettes/tokens.json says. Colours are opaque sRGB, sizes device-independent px.
//
// Threads: any; values only.
#pragma once

#include <QByteArray>
#include <QColor>
#include <QString>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::style {

enum class Role : std::uint8_t {
    Window,        // page background, gaps between cards
    Surface,       // cards, docks, bars, charts, table bodies
    Sunken,        // table headers, code, search field, disabled controls
    Raised,        // tool tips, menus, popups
    Hover,         // hovered row or control, neutral chip
    Pressed,       // pressed control, empty part of bars and rings
    Border,        // card edges, dividers, buttons, combo boxes
    BorderStrong,  // edges of typed fields and check boxes, slider groove
    Text,
    MutedText,     // secondary text, captions, tick labels, idle icons
    DisabledText,  // disabled text and icons only; never information
    Accent,        // main button, selection mark, links, checked boxes, progress
    AccentHover,
    OnAccent,
    AccentTint,  // selected row, card, cell or page; text on it stays Text
    AccentMid,   // illustrations
    Focus,       // 2 px keyboard focus edge
    Success,
    SuccessTint,
    Warning,
    WarningTint,
    Error,
    ErrorTint,
    ChartBackground,
    ChartGrid,
    ChartAxis,
    ChartContext,  // the other workers behind a highlighted one
    Crosshair,
};
inline constexpr std::size_t kRoleCount = static_cast<std::size_t>(Role::Crosshair) + 1;

// Every role with its key in tokens.json, in the order of the enum.
struct RoleRow {
    Role role;
    const char* token;
};
std::span<const RoleRow, kRoleCount> roleTable();

enum class Marker : std::uint8_t { Disc, Square, Triangle, Diamond, Cross, Plus, TriangleInverted, Star };

struct SeriesStyle {
    QString name;  // "blue"
    Marker marker{};
    QColor line;  // smoothed
    QColor raw;
    QColor band;
    QColor fill;
};

// Steps, never interpolated: a value takes the last stop whose cut it reaches.
struct HeatRamp {
    std::vector<QColor> stops;
    std::vector<double> cuts;  // one less than stops, ascending
    const QColor& at(double value) const;
};

struct Scheme {
    std::array<QColor, kRoleCount> colors;
    std::vector<SeriesStyle> series;  // 8
    HeatRamp load;                    // value 0..1, equal steps
    HeatRamp late;                    // value / median
    const QColor& color(Role role) const { return colors[static_cast<std::size_t>(role)]; }
};

enum class TextStyle : std::uint8_t { Caption, Small, Body, Strong, Figure, Page, Stat, Hero, Code };
inline constexpr std::size_t kTextStyleCount = static_cast<std::size_t>(TextStyle::Code) + 1;

struct TextSpec {
    int px = 13;
    int line = 18;
    int weight = 400;
    bool mono = false;
};

struct Tokens {
    Scheme light;
    Scheme dark;
    std::array<TextSpec, kTextStyleCount> text;
};

struct TokensResult {
    std::optional<Tokens> tokens;
    QString error;  // one sentence with the place, when there are no tokens
};

// Refuses more than 1 MiB, unknown or missing roles, colours that are not "#RRGGBB", sizes out of range.
TokensResult parseTokens(const QByteArray& json);
// The tokens inside the program.
TokensResult embeddedTokens();

}  // namespace lockstep::style
