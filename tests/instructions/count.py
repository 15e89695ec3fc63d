#!/usr/bin/env python3
"""Instructions per training step of our own code, against those kept in expected.json.

usage: count.py --valgrind PATH --compiler "GNU 12.2.0" --build Release PROGRAM MODEL [--keep]

Callgrind runs the program twice, with a few steps more the second time; the difference is the steps'. Only code of the program itself counts:
neither libraries nor what oneDNN generates. ONEDNN_MAX_CPU_ISA=AVX2, so that every machine runs the same loops. Exit code 1 when a step takes
5 % more than was kept, 77 (skipped) when the program was built in another way than the kept numbers, which would compare compilers.
--keep writes the numbers of this build.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXPECTED = pathlib.Path(__file__).resolve().parent / "expected.json"
MOST = 1.05
BATCH = {"mlp": 16, "cnn": 4}
STEPS = (2, 8)
SKIPPED = 77


def own_instructions(profile, program):
    """Self costs of the functions whose object file is the program. The format: callgrind's manual, "File Format"."""
    names, ours, skip, total = {}, False, False, 0
    for line in profile.read_text().splitlines():
        found = re.match(r"ob=\((\d+)\)(?: (.*))?$", line)
        if found:
            names.setdefault(found[1], found[2])
            ours = os.path.realpath(names[found[1]] or "") == program
        elif line.startswith("cob="):
            found = re.match(r"cob=\((\d+)\)(?: (.*))?$", line)
            names.setdefault(found[1], found[2])
        elif line.startswith("calls="):
            skip = True  # the next line is the cost of what was called
        elif line[:1] and line[0] in "0123456789+-*":
            if ours and not skip:
                total += int(line.split()[1])
            skip = False
    return total


def run(options, steps):
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile"
        environment = dict(os.environ, ONEDNN_MAX_CPU_ISA="AVX2", OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
        command = [options.valgrind, "--tool=callgrind", f"--callgrind-out-file={profile}", options.program, options.model, str(BATCH[options.model]), str(steps)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return own_instructions(profile, os.path.realpath(options.program))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("program")
    parser.add_argument("model", choices=BATCH)
    options = parser.parse_args()
    kept = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {"instructions_per_step": {}}
    built = {"compiler": options.compiler, "build": options.build}
    if not options.keep and any(kept[name] != value for name, value in built.items()):
        print(f"skipped: kept for {kept['compiler']} {kept['build']}, this is {options.compiler} {options.build}")
        return SKIPPED
    if not os.path.exists(options.valgrind):
        sys.exit("valgrind is missing; installers/dev setup installs it")
    with concurrent.futures.ThreadPoolExecutor() as both:
        few, many = both.map(lambda steps: run(options, steps), STEPS)
    found = (many - few) / (STEPS[1] - STEPS[0])
    if options.keep:
        kept.update(built)
        kept["instructions_per_step"][options.model] = round(found)
        EXPECTED.write_text(json.dumps(kept, indent=1) + "\n")
        return 0
    expected = kept["instructions_per_step"][options.model]
    print(f"{options.model}: {found:.0f} instructions of our own per step, kept {expected}: {100 * (found / expected - 1):+.2f} %")
    if found > MOST * expected:
        print(f"that is more than {100 * (MOST - 1):.0f} % above; if it must be, keep the new number with --keep and say why in the commit")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
