#include "chart_palette.h"

#include <algorithm>

namespace lockstep::pages {
namespace {

charts::Marker markerOf(style::Marker marker) {
    switch (marker) {
        case style::Marker::Disc: return charts::Marker::Disc;
        case style::Marker::Square: return charts::Marker::Square;
        case style::Marker::Triangle: return charts::Marker::Triangle;
        case style::Marker::Diamond: return charts::Marker::Diamond;
        case style::Marker::Cross: return charts::Marker::Cross;
        case style::Marker::Plus: return charts::Marker::Plus;
        case style::Marker::TriangleInverted: return charts::Marker::TriangleInverted;
        case style::Marker::Star: return charts::Marker::Star;
    }
    return charts::Marker::Disc;
}

}  // namespace

charts::ChartColors chartColors(const style::Theme& theme) {
    using style::Role;
    charts::ChartColors colors;
    colors.background = theme.color(Role::ChartBackground);
    colors.grid = theme.color(Role::ChartGrid);
    colors.axis = theme.color(Role::ChartAxis);
    colors.context = theme.color(Role::ChartContext);
    colors.crosshair = theme.color(Role::Crosshair);
    colors.text = theme.color(Role::Text);
    colors.mutedText = theme.color(Role::MutedText);
    colors.disabledText = theme.color(Role::DisabledText);
    colors.raised = theme.color(Role::Raised);
    colors.border = theme.color(Role::Border);
    colors.hover = theme.color(Role::Hover);
    colors.focus = theme.color(Role::Focus);
    colors.success = theme.color(Role::Success);
    colors.warning = theme.color(Role::Warning);
    colors.error = theme.color(Role::Error);
    for (int i = 0; i < charts::kSeriesColors; ++i) {
        const auto& from = theme.series(i);
        colors.series[static_cast<std::size_t>(i)] = {from.line, from.raw, from.band, from.fill, markerOf(from.marker)};
    }
    const auto& scheme = theme.scheme();
    std::copy_n(scheme.load.stops.begin(), std::min(scheme.load.stops.size(), colors.load.size()), colors.load.begin());
    std::copy_n(scheme.late.stops.begin(), std::min(scheme.late.stops.size(), colors.late.size()), colors.late.begin());
    std::copy_n(scheme.late.cuts.begin(), std::min(scheme.late.cuts.size(), colors.lateCuts.size()), colors.lateCuts.begin());
    return colors;
}

}  // namespace lockstep::pages
