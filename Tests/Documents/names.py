# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Checks that names in the text of the documents exist: commands and options, keys, routes, and metrics.

Blocks that are not run, and code in sentences and tables, would otherwise keep a name after the program has lost it.
"""

import json
import re
import subprocess
from pathlib import Path

import yaml

from configurations import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
FENCED = re.compile(r"^ {0,3}```(?P<language>[A-Za-z]*)[^\n]*\n(?P<body>.*?)^ {0,3}```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")
ROLES = ("reachd_owner", "reachd_node", "reachd_reader")  # of a fleet's database
COMMAND = re.compile(r"(?<![\w./='-])(?:/usr/bin/)?reachd (?P<words>[a-z][^|;&>)#]*)")


class Names:
    def __init__(self, reachd):
        dump = subprocess.run([reachd, "--experimental-dump-help"], capture_output=True, text=True, check=True)
        self.commands = json.loads(dump.stdout)["command"]
        self.routes = {
            re.sub(r"\{\w+\}", "*", route): set(item)
            for route, item in yaml.safe_load((ROOT / "openapi.yaml").read_text())["paths"].items()
        }
        self.words = set()
        for path in (ROOT / "Sources").rglob("*.swift"):
            self.words.update(re.findall(r"\breachd_\w+", path.read_text()))
        self.count = 0

    def faults(self, path):
        """The names of a document that do not exist."""
        text = path.read_text()
        for block in FENCED.finditer(text):
            if block["language"] == "console":
                for line in block["body"].replace("\\\n", " ").split("\n"):
                    if line.startswith("$ "):
                        yield from self.command(line)
        for code in CODE.findall(FENCED.sub("", text)):
            yield from self.command(code)
            yield from self.key(code)
            yield from self.route(code)
            yield from self.metric(code)

    def command(self, text):
        for match in COMMAND.finditer(text):
            words, command = match["words"].split(), self.commands
            while words and (found := [one for one in command.get("subcommands", []) if one["commandName"] == words[0]]):
                command = found[0]
                words.pop(0)
            if words and command.get("subcommands"):
                yield f"no command: reachd {match['words']}"
                continue
            self.count += 1
            options = {
                ("--" if name["kind"] == "long" else "-") + name["name"]
                for argument in command["arguments"]
                for name in argument.get("names", [])
            }
            for word in words:
                if re.match(r"--?[a-z]", word) and word.split("=")[0] not in options:
                    yield f"no option {word}: reachd {match['words']}"

    def key(self, text):
        """A key with its section, such as `probing.trace` or `history.required: true`."""
        match = re.match(r"([a-z_]+(?:\.[a-z_]+)+)(?:$|: )", text)
        if match and match[1].split(".")[0] in SCHEMA["properties"] and not match[1].endswith((".yaml", ".db", ".js", ".state")):
            self.count += 1
            keys = properties(SCHEMA)
            for part in match[1].split("."):
                if part not in keys:
                    yield f"no key: {text}"
                    return
                keys = properties(keys[part])

    def route(self, text):
        """A route with its method, such as `GET /targets/{id}/trace`."""
        match = re.match(r"(GET|POST|PUT|PATCH|DELETE) (/[^\s?]*)", text)
        if match and match[2] != "/containers/json":  # the route of a container engine
            self.count += 1
            route = re.sub(r"\{\w+\}|\bID\b", "*", match[2])
            route = re.sub(r"^(/targets)/(?!\*)[^/]+", r"\1/*", route)
            if match[1].lower() not in self.routes.get(route, set()):
                yield f"no route: {text}"

    def metric(self, text):
        match = re.match(r"(reachd_[a-z_]*[a-z])(?:$|\{)", text)
        if match and match[1] not in ROLES:
            self.count += 1
            if not {match[1], match[1].removesuffix("_total")} & self.words:
                yield f"no metric: {text}"


def properties(schema, seen=()):
    """The keys of a mapping, or of a list's elements, in all of their forms."""
    while "$ref" in schema:
        name = schema["$ref"].split("/")[-1]
        if name in seen:
            return {}
        schema, seen = SCHEMA["$defs"][name], (*seen, name)
    keys = dict(schema.get("properties", {}))
    forms = [form for kind in ("anyOf", "oneOf", "allOf") for form in schema.get(kind, [])]
    for form in [*forms, *([schema["items"]] if "items" in schema else [])]:
        keys.update(properties(form, seen))
    return keys
