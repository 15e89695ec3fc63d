// How a run's state looks everywhere: one word, one tone, an icon where the word alone could be missed.
#pragma once

#include <api/run.h>
#include <style/pill.h>

namespace lockstep::pages {

style::Pill statePill(api::RunState state, style::PillSize size = style::PillSize::Normal);
// Of a run in a list: one whose files can't be read says so.
style::Pill statePill(const api::RunSummary& run, style::PillSize size = style::PillSize::Normal);

}  // namespace lockstep::pages
