// Sizes of the visual specification that layouts need, in device-independent px. A test compares each with tokens.json.
// Heights are minimums: Theme::heightFor() grows them with the text.
#pragma once

namespace lockstep::style {

namespace space {
inline constexpr int kXs = 4, kS = 8, kM = 12, kL = 16, kXl = 24, kXxl = 32;
inline constexpr int kPagePadding = 16, kCardGap = 12, kCardPaddingX = 12, kCardPaddingXWide = 16, kLabelGap = 4, kIconTextGap = 6;
}  // namespace space

namespace radius {
inline constexpr int kChip = 3, kControl = 4, kCard = 6, kPill = 11, kTooltip = 4, kBar = 1, kCheckBox = 3;
}  // namespace radius

namespace edge {
inline constexpr int kWidth = 1, kFocusWidth = 2, kNavMarkWidth = 3, kTabUnderline = 2;
}  // namespace edge

namespace icon_size {
inline constexpr int kInline = 14, kControl = 16, kNav = 18, kEmpty = 28;
}  // namespace icon_size

namespace control {
inline constexpr int kHeight = 32, kHeightSmall = 28, kHeightLarge = 40, kMinTarget = 24, kButtonPaddingX = 12, kCheckBox = 16,
                     kCheckBoxInCell = 14, kPill = 22, kPillSmall = 20, kChip = 18, kSegmented = 28, kSegmentedSmall = 24;
}  // namespace control

namespace layout {
inline constexpr int kTopBar = 48, kPageBar = 180, kPageBarCollapsed = 56, kNavItem = 34, kBottomBar = 30, kPageHeader = 52,
                     kDockHeader = 40, kCardHeader = 34, kCardHeaderWide = 44, kTableHeader = 26, kTableRow = 28, kTableRowDense = 24,
                     kTableRowTouch = 32, kHostTree = 216, kDeviceDock = 292, kValuesDock = 272, kRunHeader = 100, kChartStrip = 44,
                     kLaunchFooter = 56, kIssueRow = 33, kEmptyColumn = 960;
// Not in tokens.json: the specification's window grid (section 2).
inline constexpr int kBottomPane = 136, kPaneHeader = 36, kTargetBox = 252, kSearchField = 264, kCollapseBelow = 1280,
                     kDockToggleBelow = 1100;
}  // namespace layout

namespace chart {
inline constexpr double kPenRaw = 1, kPenContext = 1, kPenSmoothed = 2, kPenSingleSeries = 2, kPenSecondary = 1.5, kPenScaling = 2,
                        kMarkerRadius = 3.2, kMarkerRadiusTable = 4, kCursorDot = 3.5;
inline constexpr int kMarginLeft = 40, kMarginRight = 14, kMarginRightLabelsLeast = 66, kMarginRightLabelsMost = 104, kMarginTop = 6,
                     kMarginBottom = 22, kTickLength = 4, kBucketWidth = 3, kEndLabelGap = 14, kMaxGridLines = 5, kRefreshMs = 100;
inline constexpr int kLaneRow = 17, kLaneRowGap = 1, kLaneHostGap = 4, kLaneGutter = 148, kLaneValueColumn = 62, kEventLane = 20,
                     kLaneAxis = 20;
}  // namespace chart

}  // namespace lockstep::style
