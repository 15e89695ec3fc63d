#include "command.h"

int main(int argc, char** argv) { return lockstep::cli::runCommandLine(argc, argv); }
