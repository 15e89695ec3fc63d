"""What the programs of all frameworks share: one process per contestant, started with a case, asked for rounds.

  PROGRAM CASE.json VARIANT THREADS        CASE: {"model", "batch", "rate", "weights": FILE.npz, "folder": of this file}

On stdout one JSON object per line: first {"first_losses", "first_step_seconds", "versions"} (the 20 steps that the gate compares), then for
each line {"seconds": s} on stdin {"steps", "seconds", "step_seconds": [p10, p50, p90]}.
"""
import json
import os
import sys
import time

START = time.perf_counter()
GATE_STEPS = 20


def limit(threads):
    """Before the framework is imported: the last processors, as many as threads."""
    usable = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, set(usable[len(usable) - threads:]))
    os.environ["OMP_NUM_THREADS"] = str(threads)
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ.pop("OPENBLAS_CORETYPE", None)


class Rows:
    """Batches of the recorded order, round and round."""

    def __init__(self, case):
        import rows
        self.batch = case["batch"]
        self.x, self.y, self.order = rows.rows_of(case["model"], self.batch)
        self.at = 0

    def next(self, steps=1):
        """Indices of the next rows: [steps · batch], never beyond the end of the order."""
        count = steps * self.batch
        if self.at + count > len(self.order):
            self.at = 0
        found = self.order[self.at:self.at + count]
        self.at += count
        return found


def report(value):
    os.write(ANSWERS, (json.dumps(value) + "\n").encode())


def quantiles(values):
    values = sorted(values)
    return [values[int(q * (len(values) - 1))] for q in (0.1, 0.5, 0.9)]


def timed(call, steps_per_call, seconds):
    """Calls for so long; call() has done its steps when it returns."""
    times, begin = [], time.perf_counter()
    while not times or time.perf_counter() - begin < seconds:
        before = time.perf_counter()
        call()
        times.append((time.perf_counter() - before) / steps_per_call)
    whole = time.perf_counter() - begin
    return {"steps": len(times) * steps_per_call, "seconds": whole, "step_seconds": quantiles(times)}


def main(make):
    """make(case, variant, threads) gives (first_losses(n) → list, run(seconds) → report, versions)."""
    global ANSWERS
    # Frameworks print what they like; answers go where nobody else writes.
    ANSWERS = os.dup(1)
    os.dup2(2, 1)
    case, variant, threads = json.load(open(sys.argv[1])), sys.argv[2], int(sys.argv[3])
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    limit(threads)
    first_losses, run, versions = make(case, variant, threads)
    losses = first_losses(1)
    first = time.perf_counter() - START
    losses += first_losses(GATE_STEPS - 1)
    report({"first_losses": losses, "first_step_seconds": first, "versions": versions})
    for line in sys.stdin:
        report(run(json.loads(line)["seconds"]))
