// Versions of the libraries this layer uses, asked from the libraries themselves where they tell it.
#pragma once

#include <string>

namespace lockstep::data {

std::string pngLibraryVersion();   // "1.6.39"
std::string jpegLibraryVersion();  // "2.1.5", of libjpeg-turbo as this program was built with it

}  // namespace lockstep::data
