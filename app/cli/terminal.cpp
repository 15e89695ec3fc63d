#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <cstdlib>
#include <string_view>

namespace lockstep::cli {
namespace {

bool environmentWantsPlain() {
    const char* noColor = std::getenv("NO_COLOR");
    if (noColor != nullptr && noColor[0] != '\0') return true;
    const char* term = std::getenv("TERM");
    return term == nullptr || std::string_view(term) == "dumb";
}

}  // namespace

Terminal Terminal::probe() {
    Terminal terminal;
    terminal.stdinIsTerminal = isatty(STDIN_FILENO) == 1;
    terminal.stdoutIsTerminal = isatty(STDOUT_FILENO) == 1;
    terminal.stderrIsTerminal = isatty(STDERR_FILENO) == 1;
    const bool plain = environmentWantsPlain();
    if (terminal.stdoutIsTerminal && !plain) terminal.stdoutColor = ColorMode::Ansi;
    if (terminal.stderrIsTerminal && !plain) terminal.stderrColor = ColorMode::Ansi;
    return terminal;
}

int terminalColumns() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

}  // namespace lockstep::cli
