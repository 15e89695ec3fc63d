#!/usr/bin/env python3
"""Cold start with a warm data cache: from the start of a process to the end of its first training step.

usage: cold_start.py PROGRAM [RUNS]     (Release build, default 9 runs; one before them warms the caches)

Two ways: "alone", one process that trains (lockstep bench train), and "run", from the command lockstep run to the first step of the rank that
its agent starts (an agent is there from the run before). Must hold for the median of "alone": MLP at most 0.3 s, ResNet-20 at most 1.0 s; for
"run" see launch.py. Exit code 1 when it does not.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

LIMITS = {"mlp": 0.3, "resnet20": 1.0}
PRESET = pathlib.Path(__file__).resolve().parents[2] / "resources" / "presets" / "mnist-mlp.yaml"
OVERRIDES = {"mlp": [], "resnet20": ["model.preset=resnet20", "data.dataset=synthetic", "data.shape=[32, 32, 3]"]}


def answer(command):
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout)


def alone(program, model, _):
    command = [program, "bench", "train", "--models", model, "--threads", str(len(os.sched_getaffinity(0))), "--seconds", "0.1", "--json", "-q"]
    return answer(command)["rows"][0]["first_step_seconds"]


def run(program, model, folder):
    begin = time.time()
    result = answer([program, "run", str(PRESET), *OVERRIDES[model], "training.steps=3", "--json", "-q", "--project", folder])
    database = sqlite3.connect(f"file:{result['folder']}/run.db?mode=ro", uri=True)
    rows = database.execute("SELECT time, text FROM event WHERE kind = 'phase' AND detail != ''").fetchall()
    return next(when for when, name in rows if name == "first step") - begin


def main():
    program, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for model, limit in LIMITS.items():
            for way in (alone, run):
                times = sorted([way(program, model, folder) for _ in range(runs + 1)][1:])
                median = times[len(times) // 2]
                good = good and (way is run or median <= limit)
                print(f"{model:8} {way.__name__:5} median {1000 * median:.0f} ms, {1000 * times[0]:.0f} to {1000 * times[-1]:.0f} ms, "
                      f"limit {1000 * limit:.0f} ms", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
