"""The Python environments of the rivals: made once, by pip, in a folder of their own; versions are fixed so that tables can be repeated."""
import pathlib
import subprocess
import sys
import venv

PACKAGES = {
    "keras": ["tensorflow-cpu==2.21.0"],
    "jax": ["jax==0.10.2", "numpy"],
    "torch": ["torch==2.15.0", "numpy"],
}
CHECKS = {"keras": "import tensorflow, keras", "jax": "import jax, numpy", "torch": "import torch, numpy"}


def ensure(folder, names):
    """{name: python}; environments that can't be made are left out, with a line why."""
    pythons = {}
    for name in names:
        home = pathlib.Path(folder) / name
        python = home / "bin" / "python"
        try:
            if not (home / "made").exists():
                print(f"making the environment of {name} in {home} ...", file=sys.stderr, flush=True)
                if not python.exists():
                    venv.EnvBuilder(with_pip=True, symlinks=True).create(home)
                subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES[name]], check=True)
                subprocess.run([python, "-c", CHECKS[name]], check=True, stderr=subprocess.DEVNULL)
                (home / "made").write_text("\n".join(PACKAGES[name]) + "\n")
            pythons[name] = str(python)
        except (subprocess.CalledProcessError, OSError) as failure:
            print(f"no environment of {name}: {failure}", file=sys.stderr, flush=True)
    return pythons
