#include <pages/page.h>

namespace lockstep::pages {}  // moc's output is compiled with this file
