// What numbers and times share.
#pragma once

#include <text/format.h>

#include <QCoreApplication>

namespace lockstep::text {

inline constexpr QChar kDash = u'\u2013';

struct FormatText {
    Q_DECLARE_TR_FUNCTIONS(FormatText)
};

QString withUnit(const QString& value, const QString& unit);

}  // namespace lockstep::text
