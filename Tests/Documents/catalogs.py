# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Builds the documentation of the libraries with docc, which must report no warning, such as a dead link."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = [
    "ActivityTracking", "KeyValueObserving", "Network", "NetworkPaths", "NetworkReachability", "ServerTrust",
    "SessionActivity", "SystemConfiguration",
]


def run(reachd, folder):
    modules = reachd.parent / "Modules"
    missing = [tool for tool in ("docc", "swift-symbolgraph-extract", "swiftc") if not shutil.which(tool)]
    if missing or not (modules / "NetworkReachability.swiftmodule").exists():
        print(f"skipped: DocC, because {', '.join(missing) or 'the libraries'} cannot be found")
        return []
    environment = {**os.environ, "HOME": str(folder)}
    information = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, env=environment)
    target = json.loads(information.stdout)["target"]["triple"]
    maps = [f"-fmodule-map-file={path}" for path in sorted(reachd.parent.glob("C*.build/module.modulemap"))]
    faults, works = [], []
    for library in LIBRARIES:
        graphs = folder / "graphs" / library
        graphs.mkdir(parents=True)
        extract = [
            "swift-symbolgraph-extract", "-module-name", library, "-I", modules, "-target", target,
            "-output-dir", graphs, "-minimum-access-level", "public",
        ]
        extract += [argument for path in maps for argument in ("-Xcc", path)]
        convert = [
            "docc", "convert", ROOT / f"Sources/{library}/{library}.docc", "--additional-symbol-graph-dir", graphs,
            "--output-path", folder / f"{library}.doccarchive", "--fallback-display-name", library,
            "--fallback-bundle-identifier", f"org.reachd.{library}", "--warnings-as-errors", "--ide-console-output",
        ]
        works.append((library, extract, convert))
    for library, extract, convert in works:
        for command in (extract, convert):
            result = subprocess.run(command, capture_output=True, text=True, env=environment)
            if result.returncode:
                output = "\n".join(line for line in (result.stdout + result.stderr).splitlines() if line.strip())
                faults.append(f"{library}.docc: {output[-3000:]}")
                break
        pages = len(list((folder / f"{library}.doccarchive").glob("data/**/*.json")))
        print(f"{library}.docc: {pages} pages")
    return faults


def programs():
    """The programs of the catalogs: the steps of tutorials, and the blocks of Swift in articles, each with its place."""
    for path in sorted((ROOT / "Sources").glob("*/*.docc/**/*")):
        if path.suffix == ".swift":
            yield path.relative_to(ROOT), path.read_text()
        elif path.suffix == ".md":
            for match in re.finditer(r"^```swift\n(import .*?)^```$", path.read_text(), re.DOTALL | re.MULTILINE):
                yield path.relative_to(ROOT), match[1]
