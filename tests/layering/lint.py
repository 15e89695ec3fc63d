#!/usr/bin/env python3
"""Holes that the compiler leaves in the layering, and rules a reader should not have to check by eye.

usage: lint.py ROOT      prints one line per finding, exit 1 when there is any

- no ".." in an include; a vendor header only where layers.json allows it; a layer's headers only where its edge is listed
- files of at most 400 lines, functions of at most 60 (tests: only the files)
- every error code used stands once in the catalogue
- no words of unfinished work, no machine's paths
"""
import json
import pathlib
import re
import subprocess
import sys

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
SOURCES = (".cpp", ".h")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
PRIVATE_PATH = re.compile(r"/(home|root|work)/\w+")


def tracked_files(root):
    out = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
    return [line for line in out.stdout.splitlines() if (pathlib.Path(root) / line).is_file()]


def layer_of(path):
    """core/exec/cpu/src/x.cpp -> exec_cpu; app/cli/... -> cli; None outside of layers."""
    parts = path.split("/")
    if parts[0] == "core" and len(parts) > 3:
        return f"exec_{parts[2]}" if parts[1] == "exec" and parts[2] in ("ref", "null", "cpu", "cuda", "pjrt") else parts[1]
    return parts[1] if parts[0] in ("app", "ui") and len(parts) > 2 else None


def closure(edges, layer):
    """Transitive downwards: what a layer may include."""
    seen, todo = set(), [layer]
    while todo:
        for below in edges.get(todo.pop(), []):
            if below not in seen:
                seen.add(below)
                todo.append(below)
    return seen


def check_includes(path, text, rules):
    layer = layer_of(path)
    allowed = closure(rules["edges"], layer) | {layer} if layer else None
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        name = match.group(2)
        if ".." in name.split("/"):
            yield f"{path}:{number}: '..' in an include"
        for pattern, folders in rules["vendors"].items():
            if re.match(pattern, name) and not any(path.startswith(folder + "/") for folder in folders):
                yield f"{path}:{number}: <{name}> may be named only in {', '.join(folders) or 'no folder yet'}"
        other = name.split("/")[0]
        if layer and match.group(1) == "<" and "/" in name and other in rules["edges"] and other not in allowed:
            yield f"{path}:{number}: {layer} must not know {other} (edges: tests/layering/layers.json)"


def check_links(path, text, rules):
    match = re.search(r"lockstep_layer\((\w+)([^)]*)\)", text)
    if not match or path.startswith("installers/"):
        return
    layer, words = match.group(1), match.group(2).split()
    for word in words:
        if word in rules["edges"] and word not in closure(rules["edges"], layer):
            yield f"{path}: {layer} links {word}, which is no edge of tests/layering/layers.json"


def check_functions(root, paths):
    try:
        out = subprocess.run(["ctags", "-L", "-", "--languages=C++", "--kinds-C++=f", "--fields=+ne", "-o", "-"],
                             input="\n".join(paths), capture_output=True, text=True, cwd=root, check=True).stdout
    except FileNotFoundError:
        yield "universal-ctags is missing: the size of functions can't be checked"
        return
    for line in out.splitlines():
        start, end = re.search(r"\bline:(\d+)", line), re.search(r"\bend:(\d+)", line)
        if start and end and int(end[1]) - int(start[1]) + 1 > MAX_FUNCTION_LINES:
            name, path = line.split("\t")[:2]
            yield f"{path}:{start[1]}: function {name} has {int(end[1]) - int(start[1]) + 1} lines (limit {MAX_FUNCTION_LINES})"


def check_codes(texts):
    rows = {}
    for path, text in texts.items():
        if re.search(r"core/base/src/catalogue_\w+\.cpp$", path):
            for code in re.findall(r'^\s*\{"([A-Z]\d{3})",', text, re.M):
                if code in rows:
                    yield f"{path}: code {code} stands already in {rows[code]}"
                rows[code] = path
    for path, text in texts.items():
        if path.startswith(("core/", "app/", "ui/")):
            for code in set(re.findall(r'makeError\(\s*"(\w+)"', text)):
                if code not in rows:
                    yield f"{path}: code {code} is not in the catalogue"


def main(root):
    rules = json.loads((pathlib.Path(root) / "tests/layering/layers.json").read_text())
    findings, texts = [], {}
    for path in tracked_files(root):
        if path.endswith(SOURCES + ("CMakeLists.txt", ".md", ".yaml", ".proto")):
            texts[path] = (pathlib.Path(root) / path).read_text(errors="replace")
    sources = [path for path in texts if path.endswith(SOURCES) and not path.startswith("tests/fixtures/")]
    for path in sources:
        text = texts[path]
        findings += check_includes(path, text, rules)
        lines = text.count("\n")
        if lines > MAX_FILE_LINES:
            findings.append(f"{path}: {lines} lines (limit {MAX_FILE_LINES})")
    for path, text in texts.items():
        if path.endswith("CMakeLists.txt"):
            findings += check_links(path, text, rules)
        for number, line in enumerate(text.splitlines(), 1):
            if UNFINISHED.search(line) or PRIVATE_PATH.search(line):
                findings.append(f"{path}:{number}: unfinished work or a private path: {line.strip()[:80]}")
    # A test's table of cases is one long function and reads best that way.
    findings += check_functions(root, [path for path in sources if not path.startswith("tests/")])
    findings += check_codes(texts)
    print("\n".join(findings) if findings else f"lint: {len(sources)} sources, nothing found")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
