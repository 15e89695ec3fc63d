// Following all series of a store at once.
#pragma once

#include "database.h"

#include <base/result.h>
#include <store/reader.h>

#include <cstddef>
#include <span>

namespace lockstep::store {

// As Reader::newPoints().
Result<NewPoints> readNewPoints(Database& database, ReadMarks& marks, std::span<const telemetry::SeriesKey> only, std::size_t most);

}  // namespace lockstep::store
