// The theme's colours in the form charts take them.
#pragma once

#include <charts/chart_colors.h>
#include <style/theme.h>

namespace lockstep::pages {

charts::ChartColors chartColors(const style::Theme& theme);

}  // namespace lockstep::pages
