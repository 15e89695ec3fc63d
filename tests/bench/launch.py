#!/usr/bin/env python3
"""Time from the command to the first finished step of two local ranks, and where it goes.

usage: launch.py PROGRAM [RUNS]     (Release build, default 20 runs; the first two only warm the caches)

Must hold: p95 of 20 at most 500 ms. Exit code 1 when it does not.
"""
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

LIMIT_SECONDS = 0.5
WARM_UP = 2
PRESET = pathlib.Path(__file__).resolve().parents[2] / "resources" / "presets" / "mnist-mirrored.yaml"


def launch(program, folder):
    """(seconds to the first step, {phase: seconds})"""
    begin = time.time()
    command = [program, "run", str(PRESET), "training.steps=3", "--json", "-q", "--project", folder]
    result = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)
    database = sqlite3.connect(f"file:{result['folder']}/run.db?mode=ro", uri=True)
    rows = database.execute("SELECT time, text, detail FROM event WHERE kind = 'phase' AND detail != ''").fetchall()
    first = next(when for when, name, _ in rows if name == "first step")
    return first - begin, {name: json.loads(detail)["seconds"] for _, name, detail in rows}


def main():
    program = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with tempfile.TemporaryDirectory() as folder:
        measured = [launch(program, folder) for _ in range(runs + WARM_UP)][WARM_UP:]
    times = sorted(seconds for seconds, _ in measured)
    p95 = times[min(len(times) - 1, int(0.95 * len(times)))]
    print(f"launch to first step: p50 {times[len(times) // 2] * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, limit {LIMIT_SECONDS * 1000:.0f} ms")
    for name in measured[0][1]:
        values = sorted(phases[name] for _, phases in measured)
        print(f"  {name:12} p50 {values[len(values) // 2] * 1000:.0f} ms")
    return 0 if p95 <= LIMIT_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
