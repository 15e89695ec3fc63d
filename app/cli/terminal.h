// What the three standard streams are, asked once at the start of the program.
#pragma once

namespace lockstep::cli {

enum class ColorMode { Plain, Ansi };

struct Terminal {
    bool stdinIsTerminal = false;
    bool stdoutIsTerminal = false;
    bool stderrIsTerminal = false;
    // Ansi only for a terminal, with NO_COLOR unset or empty (no-color.org) and TERM other than "dumb".
    ColorMode stdoutColor = ColorMode::Plain;
    ColorMode stderrColor = ColorMode::Plain;

    static Terminal probe();
};

// Columns of the terminal behind stderr; 80 when it is none or does not say.
int terminalColumns();

}  // namespace lockstep::cli
