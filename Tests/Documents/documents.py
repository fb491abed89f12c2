# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Runs the commands of the documents; called by scripts/documents in separate namespaces."""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import catalogs
import configurations
import names
import sse
import statuses

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/Fleet"))
import database  # noqa: E402

LIMIT = 90  # seconds for a document
SECRET = "c2b7d9f0a1e84a6f9d3c5b7e8f012345"

FENCE = re.compile(r"^(?P<indent> {0,3})```(?P<language>[A-Za-z]*)[^`]*$")
LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")


class Block:
    def __init__(self, document, line, language, text, before, adjacent):
        self.document, self.line, self.language, self.text = document, line, language, text
        self.before = before  # the last line with something in it above the fence
        self.adjacent = adjacent  # whether nothing stands between it and the block before

    def __str__(self):
        return f"{self.document}:{self.line}"


def blocks_of(path):
    """The fenced blocks of a document."""
    name = str(path.relative_to(ROOT))
    blocks, lines, before, end = [], path.read_text().split("\n"), "", -1
    index = 0
    while index < len(lines):
        match = FENCE.match(lines[index])
        if not match:
            if lines[index].strip():
                before, end = lines[index].strip(), -1
            index += 1
            continue
        start, body = index, []
        index += 1
        while index < len(lines) and lines[index].strip() != "```":
            body.append(lines[index].removeprefix(match["indent"]))
            index += 1
        if index == len(lines):
            raise SystemExit(f"{name}:{start + 1}: a block without an end")
        blocks.append(Block(name, start + 1, match["language"], "\n".join(body) + "\n", before, end >= 0))
        end = index
        index += 1
    return blocks


def matches(expected, output):
    """Whether an output matches; … stands for any text."""
    pattern = ".*".join(re.escape(part.strip("\n") if part == "\n" else part) for part in expected.rstrip().split("…"))
    return re.fullmatch(pattern, output.rstrip(), re.DOTALL) is not None


def is_asked():
    """Whether the service has probed the target `itself`."""
    with urllib.request.urlopen("http://127.0.0.1:7532/targets/itself", timeout=10) as answer:
        return json.load(answer)["state"] == "up"


class Service:
    """reachd on 127.0.0.1:7532."""

    def __init__(self, reachd, folder, configuration):
        self.log = open(folder / "service.log", "w")
        environment = {**os.environ, "STATE_DIRECTORY": str(folder)}
        self.process = subprocess.Popen(
            [reachd, "serve", "--config", configuration], stdout=self.log, stderr=self.log, env=environment
        )
        for _ in range(200):
            if subprocess.run([reachd, "healthcheck"], capture_output=True).returncode == 0 and is_asked():
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.stop()
        raise SystemExit(f"reachd did not start: {(folder / 'service.log').read_text()}")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)
        self.log.close()


# An answer that is an error is one, however the command was written; who shows one says `|| true`. Curl refuses to be told twice.
CURL = """#!/bin/bash
for word; do
    case $word in --*) ;; -*f*) exec {curl} "$@" ;; esac
done
exec {curl} --fail-with-body "$@"
"""


class FleetDatabase:
    """PostgreSQL at db.example with the password of the documents' superuser, without the database that they make."""

    def __init__(self, folder):
        key, certificate = folder / "db.key", folder / "db.crt"
        make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=db.example -addext subjectAltName=DNS:db.example"
        subprocess.run([*make.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
        authorities = Path("/etc/ssl/certs/ca-certificates.crt")
        (folder / "authorities").write_text(certificate.read_text() + (authorities.read_text() if authorities.exists() else ""))
        subprocess.run(["mount", "--bind", folder / "authorities", authorities], check=True)
        self.server = database.Database(
            str(folder / "database"), addresses="127.0.0.1", access="hostssl all all all scram-sha-256", is_empty=True,
            settings={"ssl": "on", "ssl_key_file": key, "ssl_cert_file": certificate},
        )
        self.server.change(f"ALTER ROLE postgres PASSWORD '{SECRET}'", of="postgres")
        (folder / "node.yaml").write_text(
            "fleet:\n  database: postgresql://reachd@db.example/reachd\n  password_file: /run/secrets/reachd-database\n  location: berlin\n"
        )
        self.environment = {"PGHOST": self.server.folder, "PGUSER": "postgres", "REACHD_CONFIG": str(folder / "node.yaml")}

    def stop(self):
        self.server.stop()


class Run:
    def __init__(self, reachd, folder):
        self.reachd, self.folder = reachd, folder
        self.faults, self.unrun = [], []
        self.compiler = Compiler(reachd, folder)
        self.names = names.Names(reachd)
        self.counts = dict.fromkeys(
            ["commands", "outputs", "configurations", "other YAML", "JSON", "Python", "Swift", "links"], 0
        )

    def fault(self, place, words):
        self.faults.append(f"{place}: {words}")
        print(f"FAILED {place}: {words}", flush=True)

    # MARK: Commands

    def shell(self, document, blocks):
        """Runs the blocks of one document in order, in one shell."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        work = folder / "work"
        work.mkdir()
        subprocess.run(["cp", "-r", ROOT / "config", work], check=True)
        (folder / "bin").mkdir()
        (folder / "bin" / "curl").write_text(CURL.format(curl=shutil.which("curl")))
        (folder / "bin" / "curl").chmod(0o755)
        (folder / "bin" / "reachd").symlink_to(self.reachd)
        script = []
        for index, block in enumerate(blocks):
            (folder / f"{index}.sh").write_text(block.text)
            script.append(f"echo {index} >>{folder}/progress")
            script.append(f"source {folder}/{index}.sh >{folder}/{index}.out 2>{folder}/{index}.err")
        script.append(f"echo {len(blocks)} >>{folder}/progress")
        environment = {
            "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(work), "LANG": "C.UTF-8", "TERM": "dumb",
            "NO_COLOR": "1",
        }
        peer = FleetDatabase(folder) if document == "docs/fleet.md" else None
        if peer:
            environment |= peer.environment | {"PATH": f"{environment['PATH']}:{database.PROGRAMS}"}
        service = Service(self.reachd, folder, ROOT / "Tests/Documents/reachd.yaml")
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", "\n".join(script)],
            cwd=work, env=environment, stdin=subprocess.DEVNULL, start_new_session=True,
        )
        try:
            process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.fault(document, f"its commands took longer than {LIMIT} s")
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            died = service.process.poll()
            service.stop()
            if peer:
                peer.stop()
        if died is not None:
            self.fault(document, f"the service ended while its commands ran: {(folder / 'service.log').read_text()}")
        progress = (folder / "progress").read_text().split() if (folder / "progress").exists() else ["0"]
        reached = int(progress[-1])
        for index, block in enumerate(blocks[: reached + 1]):
            out, err = ((folder / f"{index}.{kind}").read_text() for kind in ("out", "err"))
            if index == reached:
                self.fault(block, f"exit status {process.returncode}\n{block.text}{out[-2000:]}{err[-2000:]}")
                break
            self.counts["commands"] += 1
            if block.expected is not None:
                self.counts["outputs"] += 1
                if not matches(block.expected.text, out):
                    self.fault(block.expected, f"expected\n{block.expected.text}printed\n{out[-4000:]}")
        for block in blocks[reached + 1 :]:
            self.fault(block, "not run, because a block before it failed")

    # MARK: Documents

    def document(self, path):
        name = str(path.relative_to(ROOT))
        begin = time.monotonic()
        commands, previous = [], None
        for block in blocks_of(path):
            block.expected = None
            match block.language:
                case "sh":
                    commands.append(block)
                case "text":
                    if block.adjacent and previous.language == "sh":
                        previous.expected = block
                case "console":
                    if not block.before.endswith((".", ":")) or block.before.startswith(("#", "```")):
                        self.fault(block, "the sentence before it must give the reason why it is not run")
                    self.unrun.append(f"{block}: {block.before}")
                case "yaml":
                    faults = configurations.check(self.reachd, block.text, self.folder)
                    self.counts["other YAML" if faults is None else "configurations"] += 1
                    for fault in faults or []:
                        self.fault(block, fault)
                case "json":
                    if "…" not in block.text:
                        self.counts["JSON"] += 1
                        try:
                            json.loads(block.text)
                        except ValueError as error:
                            self.fault(block, f"not JSON: {error}")
                case "python":
                    self.counts["Python"] += 1
                    try:
                        ast.parse(block.text)
                    except SyntaxError as error:
                        self.fault(block, f"not Python: {error}")
                case "swift":
                    if self.compiler.is_there:
                        self.counts["Swift"] += 1
                        if faults := self.compiler.faults_of(block.text):
                            self.fault(block, faults)
                case "":
                    self.fault(block, "the block has no language")
            previous = block
        self.links(path)
        if path.name != "configuration.md":  # made from the schema
            for fault in self.names.faults(path):
                self.fault(name, fault)
        if commands:
            self.shell(name, commands)
        print(f"{name}: {len(commands)} blocks of commands, {time.monotonic() - begin:.1f} s", flush=True)

    def tutorials(self):
        """Each step of a tutorial is a whole program, as is what begins with an import in an article."""
        if not self.compiler.is_there:
            print("skipped: Swift, because the libraries are not built beside reachd, or swiftc is not here")
            return
        programs = list(catalogs.programs())
        for place, text in programs:
            if faults := self.compiler.faults_of(text):
                self.fault(place, faults)
        print(f"DocC: {len(programs)} programs compiled")

    def links(self, path):
        """Checks that relative links lead to files."""
        text = re.sub(r"^ {0,3}```.*?^ {0,3}```$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"`[^`\n]*`", "", text)
        for match in LINK.finditer(text):
            target = match["target"]
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            self.counts["links"] += 1
            place = path if not file else (path.parent / file).resolve()
            if not place.exists():
                self.fault(path.relative_to(ROOT), f"leads nowhere: {target}")
            elif anchor and place.suffix == ".md" and anchor not in anchors(place):
                self.fault(path.relative_to(ROOT), f"no such heading: {target}")


def anchors(path):
    """The anchors of a document's headings, as GitHub and GitLab make them."""
    text = re.sub(r"^ {0,3}```.*?^ {0,3}```$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ +(.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-") for heading in headings}


class Compiler:
    """Checks Swift programs against the libraries that were built beside reachd."""

    def __init__(self, reachd, folder):
        self.folder, products = folder, reachd.parent
        # Not all of them are there when only reachd was built.
        self.is_there = shutil.which("swiftc") and (products / "Modules/NetworkReachability.swiftmodule").exists()
        maps = [f"-fmodule-map-file={path}" for path in sorted(products.glob("C*.build/module.modulemap"))]
        self.command = ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", products / "Modules"]
        self.command += [argument for path in maps for argument in ("-Xcc", path)]
        self.environment = {**os.environ, "HOME": str(folder)}

    def faults(self, *files):
        result = subprocess.run([*self.command, *files], capture_output=True, text=True, env=self.environment)
        return result.stderr if result.returncode else ""

    def faults_of(self, text):
        place = Path(tempfile.mkdtemp(dir=self.folder)) / "main.swift"
        place.write_text(text)
        return self.faults(place)


def prepare(folder):
    """A separate network with a default route, names and secrets."""
    (folder / "hosts").write_text(
        "127.0.0.1 localhost db.example\n::1 localhost\n192.0.2.80 example.org www.example.org shop.example.org mail.example.org\n"
    )
    (folder / "resolv.conf").write_text("nameserver 127.0.0.1\noptions attempts:1 timeout:1\n")
    for command in [
        "mount --make-rprivate /",
        f"mount --bind {folder}/hosts /etc/hosts",
        f"mount --bind {folder}/resolv.conf /etc/resolv.conf",
        "mount -t tmpfs tmpfs /run",
        "ip link set lo up",
        "ip link add eth0 type veth peer name far",
        "ip link set far up",
        "ip link set eth0 up",
        "ip address add 192.0.2.2/24 dev eth0",
        "ip route add default via 192.0.2.1",
    ]:
        subprocess.run(command.split(), check=True)
    secrets = Path("/run/secrets")
    secrets.mkdir()
    for name in ["reachd-token", "chat-hmac", "chat-token", "postgres", "reachd-database"]:
        (secrets / name).write_text(f"{SECRET}\n")


def main():
    reachd, arguments = Path(sys.argv[1]), sys.argv[2:]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="reachd-documents-") as folder:
        folder = Path(folder)
        prepare(folder)
        run = Run(reachd, folder)
        documents = [ROOT / name for name in arguments] or [
            *(path for path in sorted(ROOT.glob("*.md")) if path.name != "CHANGELOG.md"),
            *sorted((ROOT / "docs").glob("*.md")),
        ]
        for path in documents:
            run.document(path)
        print(f"\nnot run, and why ({len(run.unrun)}):")
        for line in run.unrun:
            print(f"  {line}")
        if not arguments:
            run.tutorials()
            run.faults += catalogs.run(reachd, folder)
            run.faults += configurations.agreement(reachd, folder)
            run.faults += statuses.run(reachd, folder)
            run.faults += sse.run(reachd, folder)
        print()
        for fault in run.faults:
            print(f"FAILED {fault}")
        counts = ", ".join(f"{count} {what}" for what, count in run.counts.items())
        print(
            f"=== documents: {len(documents)}, blocks and links in them: {counts}, {run.names.count} names; "
            f"{len(run.unrun)} not run; "
            f"{len(run.faults)} failed; {time.monotonic() - begin:.0f} s ==="
        )
    sys.exit(1 if run.faults else 0)


main()
