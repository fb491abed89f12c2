# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Checks configurations with the reader (`reachd validate`) and the JSON Schema, and compares the two."""

import concurrent.futures
import json
import re
import subprocess
import tempfile
import textwrap
from pathlib import Path

import jsonschema
import yaml

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "config/reachd.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


class CoreLoader(yaml.SafeLoader):
    """YAML 1.2's core schema, as editors read it: `yes` and `12:30` are texts there."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    ("float", r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$", "-+.0123456789"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
]:
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))


def integer(loader, node):
    text = loader.construct_scalar(node)
    return int(text, 16 if text.startswith("0x") else 8 if text.startswith("0o") else 10)


CoreLoader.add_constructor("tag:yaml.org,2002:int", integer)


def parse(text):
    return yaml.load(text, CoreLoader)


def schema_faults(value):
    faults = sorted(VALIDATOR.iter_errors(value), key=lambda error: list(map(str, error.path)))
    return [f"JSON Schema: /{'/'.join(map(str, fault.path))}: {fault.message[:300]}" for fault in faults]


def reader_faults(reachd, text, folder):
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".yaml") as file:
        file.write(text)
        file.flush()
        result = subprocess.run([reachd, "validate", file.name], capture_output=True, text=True, env={})
        return [line.removeprefix(f"{file.name}:") for line in result.stdout.splitlines()] if result.returncode else []


def check(reachd, text, folder):
    """The error of a block of YAML; None if it is valid."""
    try:
        values = list(yaml.load_all(text, CoreLoader))
    except yaml.YAMLError as error:
        return [f"not YAML: {error}"]
    if len(values) == 1 and isinstance(values[0], list):
        text = "targets:\n" + text
        values = [{"targets": values[0]}]
    if len(values) != 1 or not isinstance(values[0], dict) or not set(values[0]) & set(SCHEMA["properties"]):
        return None
    return reader_faults(reachd, text, folder) + schema_faults(values[0])


def sample_with_examples():
    """config/reachd.yaml with its examples enabled, as Tests/ConfigurationTests/SampleTests.swift does it."""
    lines = []
    for line in (ROOT / "config/reachd.yaml").read_text().split("\n"):
        if line.startswith("listen:"):
            continue
        before, sign, after = line.partition("#")
        if not sign or before.strip():
            lines.append(line)
        elif after and (after[0] != " " or after.startswith("  ")):
            lines.append(before + after)
    return "\n".join(lines)


def configuration(text):
    """What a text says when it is YAML with at least one key of the configuration."""
    try:
        value = parse(text)
    except (yaml.YAMLError, TypeError, RecursionError):
        return None
    return value if isinstance(value, dict) and set(value) & set(SCHEMA["properties"]) else None


# Faults that need neither arithmetic nor a second key to be seen.
SEEN_BY_SCHEMA = {"unknown_key", "missing_unit", "wrong_type"}


def fixtures():
    """The literals of the reader's tests, most of them configurations."""
    texts = set()
    for path in (ROOT / "Tests/ConfigurationTests").glob("*.swift"):
        source = path.read_text()
        texts |= {textwrap.dedent(text) for text in re.findall(r'"""\n(.*?)\n *"""', source, re.DOTALL)}
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', source):
            for escape, character in [("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'), ("\\\\", "\\")]:
                text = text.replace(escape, character)
            texts.add(text)
    return sorted(text for text in texts if ":" in text and "\\(" not in text)


def agreement(reachd, folder):
    """That the schema is one, takes what the reader takes, and refuses what it refuses for a key's or a value's own sake."""
    faults, good, bad, beyond = [], 0, 0, 0
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def takes(name, text):
        nonlocal good
        good += 1
        for fault in reader_faults(reachd, text, folder) + schema_faults(parse(text)):
            faults.append(f"{name}: {fault}")

    takes("config/reachd.yaml", (ROOT / "config/reachd.yaml").read_text())
    takes("config/reachd.yaml with its examples", sample_with_examples())
    takes("Tests/Documents/reachd.yaml", (ROOT / "Tests/Documents/reachd.yaml").read_text())
    for case in yaml.load_all((ROOT / "Tests/Documents/valid.yaml").read_text(), yaml.BaseLoader):
        takes(f"valid.yaml: {case!r}", case)
    for line in (ROOT / "docs/configuration.md").read_text().split("\n"):
        # The reference's own examples: the key, in a mapping that has no other.
        if match := re.fullmatch(r"- example: `(\w+): (.*)`", line):
            good += 1
            if not any_definition_takes(match[1], parse(f"{match[1]}: {match[2]}")):
                faults.append(f"docs/configuration.md: no mapping of the JSON Schema takes {match[0]}")
    for case in yaml.load_all((ROOT / "Tests/Documents/faulty.yaml").read_text(), yaml.BaseLoader):
        bad += 1
        if not reader_faults(reachd, case, folder):
            faults.append(f"faulty.yaml: the reader takes {case!r}")
        if not schema_faults(parse(case)):
            faults.append(f"faulty.yaml: the JSON Schema takes {case!r}")
    # What the reader's own tests have, as far as it stands there whole.
    texts = [(text, value) for text in fixtures() if (value := configuration(text)) is not None]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda pair: reader_faults(reachd, pair[0], folder), texts))
    for (text, value), told in zip(texts, answers):
        seen = schema_faults(value)
        codes = {code for fault in told for code in re.findall(r"\[(\w+)\]$", fault)}
        good += not told
        bad += bool(told and seen)
        beyond += bool(told and not seen)
        if seen and not told:
            faults.append(f"the JSON Schema refuses what the reader takes: {text!r}: {seen}")
        if not seen and codes & SEEN_BY_SCHEMA:
            faults.append(f"the JSON Schema takes what the reader does not: {text!r}: {told}")
    print(
        f"\nJSON Schema and reader: {good} configurations that both take, {bad} that both refuse, "
        f"{beyond} that only the reader can refuse"
    )
    return faults


def any_definition_takes(key, value):
    for definition in [SCHEMA, *SCHEMA["$defs"].values()]:
        if key in definition.get("properties", {}):
            schema = {"$defs": SCHEMA["$defs"], "properties": {key: definition["properties"][key]}}
            if jsonschema.Draft202012Validator(schema).is_valid(value):
                return True
    return False
