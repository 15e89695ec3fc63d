// Pictures of charts as they leave the program: with a line above that says what they are of.
//
// Threads: GUI thread only.
#pragma once

#include <style/theme.h>

#include <QByteArray>
#include <QImage>
#include <QSize>
#include <QString>

namespace lockstep::pages {

// `picture` with its device pixel ratio.
QImage titledImage(const style::Theme& theme, const QImage& picture, const QString& title);
// `svg`: a whole document that is `size` large.
QByteArray titledSvg(const style::Theme& theme, const QByteArray& svg, const QSize& size, const QString& title);

}  // namespace lockstep::pages
