#!/usr/bin/env python3
"""Training speed of Lockstep beside Keras' fit, tuned TensorFlow, JAX and PyTorch: same weights, data and order, in turn, in one run.

usage: run.py --models mlp,cnn [--batch 32,128] [--repeats 5] [--seconds 2] [--program PATH/lockstep] [--out peers.json] [--fresh]

For each model and batch:
1. Gate. Everybody trains the 20 recorded steps of a curve of real Keras; who is out of its tolerance is left out: no gate, no number. Ours must be
   within the tolerance itself. It was measured with TensorFlow's own kernels, so others, who round elsewhere, may be RIVAL_SLACK times as far.
2. Choice. Each variant runs once on one thread and on two; each framework goes on with its fastest.
3. Rounds. The chosen ones take turns, `repeats` times; the order turns too. The median of the rounds counts. A round before whose
   probe other programs took more than 5 % of the processors is left out when at least three quiet ones remain; else the row is marked.

Environments are made in --environments (default: $XDG_CACHE_HOME/lockstep-peers) by pip. Results are written after each model and batch;
a run that was broken off goes on where it was unless --fresh. Exit code 1 when a row has less than its limit.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import environments

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "keras"
RATES = {"mlp": 1e-3, "lenet5": 1e-3, "cnn": 1e-3, "resnet20": 1e-4, "mobilenet": 1e-4}
SMALL = ("mlp", "lenet5", "cnn")
OURS, FIT, RIVALS = "lockstep", "keras", ("tensorflow", "jax", "torch")
PROGRAMS = {"keras": ("keras", "peer_keras.py"), "tensorflow": ("keras", "peer_tensorflow.py"), "jax": ("jax", "peer_jax.py"),
            "torch": ("torch", "peer_torch.py")}
# Ratio to fit, ratio to the best rival.
LIMITS = {("mlp", 32): (10, 1.6), ("mlp", 128): (10, 2), ("lenet5", 32): (5, 4), ("cnn", 32): (3, 2.2), ("cnn", 128): (2.5, 1.8),
          ("resnet20", 32): (3, 1.8), ("resnet20", 128): (2, 1.4), ("mobilenet", 32): (4, 2.5)}
QUIET, LEAST_QUIET = 0.95, 3
RIVAL_SLACK = 50
LEAST_SECONDS = 0.1  # that lockstep bench measures
START_SECONDS, ROUND_SLACK_SECONDS = 900, 300


def variants(framework, model):
    if framework == "tensorflow":
        return ["mem", "ds", "spe"] + (["mem_jit", "ds_jit"] if model == "mlp" else [])  # XLA's convolutions here are far slower
    if framework == "jax":
        return ["jit", "scan"] if model == "mlp" else ["jit"]  # XLA's convolutions inside a scan run on one thread: 402 img/s, 2,899 without
    if framework == "torch":
        return ["eager", "compile"] if model == "mlp" else ["eager", "channels_last", "compile"]
    return ["fit"] if framework == FIT else ["train"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


class Process:
    """One contestant of a framework, kept alive between its rounds."""

    def __init__(self, python, program, case_file, variant, threads):
        self.process = subprocess.Popen([python, HERE / program, case_file, variant, str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.set_blocking(self.process.stderr.fileno(), False)

    def answer(self, seconds):
        import selectors
        deadline, errors = time.monotonic() + seconds, ""
        with selectors.DefaultSelector() as watch:
            watch.register(self.process.stdout, selectors.EVENT_READ)
            watch.register(self.process.stderr, selectors.EVENT_READ)
            while time.monotonic() < deadline:
                for key, _ in watch.select(1):
                    if key.fileobj is self.process.stderr:
                        errors = (errors + (self.process.stderr.read() or ""))[-4000:]
                        if self.process.poll() is not None:
                            watch.unregister(self.process.stderr)
                        continue
                    line = self.process.stdout.readline()
                    if not line:
                        raise RuntimeError("ended: " + errors.strip()[-300:])
                    return json.loads(line)
        raise RuntimeError(f"no answer in {seconds} s: " + errors.strip()[-300:])

    def run(self, seconds):
        self.process.stdin.write(json.dumps({"seconds": seconds}) + "\n")
        self.process.stdin.flush()
        return self.answer(seconds + ROUND_SLACK_SECONDS)

    def close(self):
        self.process.kill()
        self.process.wait()


class Lockstep:
    """Ours starts anew for each round: it needs no second for that."""

    def __init__(self, program, curve, threads):
        self.command = [program, "bench", "train", "--curve", curve, "--threads", str(threads), "--json", "-q"]

    def run(self, seconds):
        done = subprocess.run([*self.command, "--seconds", str(max(seconds, LEAST_SECONDS))], capture_output=True, text=True, timeout=seconds + 120)
        if done.returncode != 0:
            raise RuntimeError(done.stdout.strip() or done.stderr.strip())
        report = json.loads(done.stdout)
        row = report["rows"][0]
        return {"steps": row["steps"], "seconds": row["seconds"], "step_seconds": [row["seconds_p10"], row["seconds_p50"], row["seconds_p90"]],
                "first_losses": row["first_losses"], "first_step_seconds": row["first_step_seconds"], "peak_bytes": row["peak_bytes"],
                "quiet": row["quiet"]}

    def close(self):
        pass


class Cases:
    """Curves, weights and what a contestant must know, made once in the working folder."""

    def __init__(self, folder, python):
        self.folder, self.python = pathlib.Path(folder), python
        self.folder.mkdir(parents=True, exist_ok=True)

    def keras(self, script, *arguments):
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
        subprocess.run([self.python, HERE / script, *map(str, arguments)], check=True, cwd=HERE, env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def get(self, model, batch):
        weights = self.folder / f"{model}.keras"
        if not weights.exists():
            if (FIXTURES / weights.name).exists():
                weights.write_bytes((FIXTURES / weights.name).read_bytes())
            else:
                self.keras("models.py", "make", model, weights)
        arrays = self.folder / f"{model}.npz"
        if not arrays.exists():
            self.keras("models.py", "weights", weights, arrays)
        curve = self.folder / f"{model}-b{batch}.json"
        if not curve.exists():
            recorded = FIXTURES / f"{model}-adam.json"
            if batch == 32 and recorded.exists():
                curve.write_text(recorded.read_text())
            else:
                self.record(model, batch, weights, curve)
        case = self.folder / f"case-{model}-b{batch}.json"
        case.write_text(json.dumps({"model": model, "batch": batch, "rate": RATES[model], "keras": str(weights), "weights": str(arrays)}))
        return curve, case

    def record(self, model, batch, weights, curve):
        say(f"{model} b{batch}: recording a curve with Keras ...")
        runs = []
        for kind in ("float64", "float32", "plain"):
            runs.append(self.folder / f"run-{model}-b{batch}-{kind}.json")
            if not runs[-1].exists():
                self.keras("curve.py", "run", kind, weights, model, batch, RATES[model], runs[-1])
        self.keras("curve.py", "merge", model, batch, RATES[model], weights, *runs, curve)


def gate(losses, curve, slack):
    """(the worst step in multiples of the curve's tolerance, the first step that is out of slack times it or nothing)"""
    worst, out = 0.0, None
    for i, (mine, right, allowed) in enumerate(zip(losses, curve["loss_per_step_f64"], curve["tolerance"]["loss_rel_per_step"])):
        off = abs(mine - right) / abs(right)
        worst = max(worst, off / allowed) if off == off else float("inf")
        if not off <= slack * allowed and out is None:
            out = f"the loss of step {i + 1} is {mine:.9g}, recorded {right:.9g}: {off:.2g} apart, {slack * allowed:.2g} allowed"
    return worst, out


class Row:
    def __init__(self, options, pythons, cases, model, batch):
        self.options, self.pythons, self.model, self.batch = options, pythons, model, batch
        self.curve_file, self.case_file = cases.get(model, batch)
        self.curve = json.loads(self.curve_file.read_text())
        self.result = {"model": model, "batch": batch, "out": {}, "tried": {}, "load": [os.getloadavg()]}

    def start(self, framework, variant, threads):
        if framework == OURS:
            return Lockstep(self.options.program, self.curve_file, threads), None
        environment, program = PROGRAMS[framework]
        process = Process(self.pythons[environment], program, self.case_file, variant, threads)
        return process, process.answer(START_SECONDS)

    def parity(self):
        done = subprocess.run([self.options.program, "bench", "parity", self.curve_file, "--json", "-q"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"lockstep is out of the curve of {self.model} b{self.batch}, so there is nothing to measure:\n{done.stdout}")

    def try_out(self, framework, variant, threads):
        """Its speed in a short run, or nothing."""
        name = f"{framework} {variant} t{threads}"
        contestant = None
        try:
            contestant, hello = self.start(framework, variant, threads)
            first = contestant.run(self.options.seconds / 2)
            first = hello or first
            worst, problem = gate(first["first_losses"], self.curve, 1 if framework == OURS else RIVAL_SLACK)
            if problem:
                raise RuntimeError("gate: " + problem)
            speed = self.rate(contestant.run(self.options.seconds / 2))
            self.result["tried"][name] = {"images_per_second": speed, "of_tolerance": worst, "first_step_seconds": first["first_step_seconds"],
                                          **({"versions": hello["versions"]} if hello else {})}
            say(f"  {name}: {speed:.0f} img/s")
            return speed
        except (RuntimeError, OSError, subprocess.SubprocessError, ValueError) as failure:
            self.result["out"][name] = str(failure)
            say(f"  {name}: out, {failure}")
            return None
        finally:
            if contestant:
                contestant.close()

    def rate(self, run):
        return self.batch * run["steps"] / run["seconds"]

    def choose(self):
        chosen = {}
        for framework in (OURS, FIT, *RIVALS):
            if framework != OURS and PROGRAMS[framework][0] not in self.pythons:
                continue
            best = None
            for variant in variants(framework, self.model):
                for threads in self.options.threads:
                    speed = self.try_out(framework, variant, threads)
                    if speed and (best is None or speed > best[0]):
                        best = (speed, variant, threads)
            if best:
                chosen[framework] = best[1:]
        return chosen

    def rounds(self, chosen):
        names = list(chosen)
        alive, found = {}, {name: [] for name in names}
        try:
            for name in names:
                alive[name], _ = self.start(name, *chosen[name])
                alive[name].run(self.options.seconds / 4)  # warm
            for turn in range(self.options.repeats):
                one = {}
                for name in names[turn % len(names):] + names[:turn % len(names)]:
                    one[name] = alive[name].run(self.options.seconds)
                for name in names:
                    found[name].append({"images_per_second": self.rate(one[name]), "step_seconds": one[name]["step_seconds"],
                                        "quiet": one[OURS]["quiet"], **({"peak_bytes": one[name]["peak_bytes"]} if name == OURS else {})})
                say(f"  round {turn + 1}: " + ", ".join(f"{n} {found[n][-1]['images_per_second']:.0f}" for n in names))
        finally:
            for contestant in alive.values():
                contestant.close()
        return found

    def run(self):
        say(f"{self.model} b{self.batch}:")
        self.parity()
        chosen = self.choose()
        found = self.rounds(chosen)
        quiet = [i for i, one in enumerate(found[OURS]) if one["quiet"] >= QUIET]
        counted = quiet if len(quiet) >= LEAST_QUIET else list(range(len(found[OURS])))
        self.result["load"].append(os.getloadavg())
        self.result.update(chosen={name: list(how) for name, how in chosen.items()}, rounds=found, counted=counted,
                           speed={name: median([found[name][i]["images_per_second"] for i in counted]) for name in found})
        return self.result


def ratios(row):
    speed = row["speed"]
    rivals = {name: speed[name] for name in RIVALS if name in speed}
    best = max(rivals, key=rivals.get) if rivals else None
    return (speed[OURS] / speed[FIT] if FIT in speed else None, speed[OURS] / rivals[best] if best else None, best)


def table(rows):
    lines = ["| model | batch | " + " | ".join((OURS, FIT + " fit", *RIVALS)) + " | to fit (≥) | to the best rival (≥) | |", "|---" * 10 + "|"]
    good = True
    for row in rows:
        fit, rival, best = ratios(row)
        wanted = LIMITS.get((row["model"], row["batch"]), (None, None))
        cells = []
        for name in (OURS, FIT, *RIVALS):
            how = row["chosen"].get(name)
            cells.append(f"{row['speed'][name]:.0f} ({how[0] + ' ' if how[0] else ''}t{how[1]})" if how else "-")
        held = all(value is None or limit is None or value >= limit for value, limit in ((fit, wanted[0]), (rival, wanted[1])))
        good = good and held
        show = lambda value, limit: "-" if value is None else f"{value:.2f} ({limit})" if limit else f"{value:.2f}"
        lines.append(f"| {row['model']} | {row['batch']} | " + " | ".join(cells) + f" | {show(fit, wanted[0])} | {show(rival, wanted[1])} {best or ''} | "
                     + ("" if held else "**less**") + ("" if quiet(row) else " disturbed") + " |")
    for row in rows:
        names = [f"{framework} {variant} t{threads}" for framework, (variant, threads) in row["chosen"].items()]
        worst = ", ".join(f"{name} {row['tried'][name]['of_tolerance']:.2g}" for name in names)
        lines.append(f"\ngate of {row['model']} b{row['batch']}, worst step in multiples of the tolerance: {worst}"
                     + "".join(f"\n  out: {name}: {why}" for name, why in row["out"].items()))
    return "\n".join(lines), good


def quiet(row):
    return all(row["rounds"][OURS][i]["quiet"] >= QUIET for i in row["counted"])


def arguments():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "lockstep-peers"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = lambda text: text.split(",")
    numbers = lambda text: [int(n) for n in text.split(",")]
    parser.add_argument("--models", type=names, default=["mlp", "lenet5", "cnn", "resnet20", "mobilenet"])
    parser.add_argument("--batch", type=numbers, default=[32, 128])
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "bin" / "lockstep")
    parser.add_argument("--environments", type=pathlib.Path, default=cache / "environments")
    parser.add_argument("--work", type=pathlib.Path, default=cache / "cases", help="curves and weights")
    parser.add_argument("--out", type=pathlib.Path, default=cache / "peers.json")
    parser.add_argument("--fresh", action="store_true", help="measure rows again that are already in --out")
    return parser.parse_args()


def main():
    options = arguments()
    os.environ.setdefault("LOCKSTEP_RESOURCES", str(ROOT / "resources"))
    unknown = [name for name in options.models if name not in RATES]
    if unknown or not options.program.exists():
        raise SystemExit(f"there is no model {unknown[0]}; there are {', '.join(RATES)}" if unknown else f"there is no {options.program}; name it with --program")
    pythons = environments.ensure(options.environments, ("keras", "jax", "torch"))
    if "keras" not in pythons:
        raise SystemExit("without Keras there is no gate, so there is nothing to measure")
    kept = json.loads(options.out.read_text()) if options.out.exists() and not options.fresh else {"rows": []}
    cases = Cases(options.work, pythons["keras"])
    wanted = [(model, batch) for model in options.models for batch in options.batch if (model, batch) in LIMITS or len(options.batch) == 1]
    for model, batch in wanted:
        if any((row["model"], row["batch"]) == (model, batch) for row in kept["rows"]):
            continue
        kept["rows"].append(Row(options, pythons, cases, model, batch).run())
        options.out.write_text(json.dumps(kept, indent=1))
    text, good = table([row for row in kept["rows"] if (row["model"], row["batch"]) in wanted])
    print(text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
