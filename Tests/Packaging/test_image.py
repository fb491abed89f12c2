# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The container image: its content, whether it is reproducible, and whether it runs.

The build stage of the Dockerfile is replaced by the root folder that scripts/image-root makes here; the last stage is the
Dockerfile's own. podman with runc runs it: read-only root, no capabilities, the default seccomp profile.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml
from spdx_tools.spdx.model import RelationshipType
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
from support import PROJECT, REACHD, Engine, Namespaces, eventually, output, run

# The uncompressed size, in bytes.
SIZE = 60_000_000
LIMITS = ("--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges", "--network", "none")


class ImageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="reachd-box-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.engine = Engine(cls.folder)
        cls.addClassCleanup(lambda: cls.engine("system", "reset", "--force", check=False))
        cls.epoch = output("git", "log", "-1", "--format=%ct", cwd=PROJECT).strip()
        cls.image, cls.root = cls.make("one")
        cls.second, _ = cls.make("two")

    @classmethod
    def make(cls, name):
        """Creates the root folder and builds the image from it."""
        folder = cls.folder / name
        folder.mkdir()
        root = folder / "image"
        run(PROJECT / "scripts/image-root", root, REACHD, env={**os.environ, "SOURCE_DATE_EPOCH": cls.epoch})
        stage = f"localhost/build-{name}"
        tar = subprocess.Popen(["tar", "-C", folder, "-c", "image"], stdout=subprocess.PIPE)
        cls.engine("import", "-", stage, stdin=tar.stdout)
        tar.wait()
        text = (PROJECT / "Dockerfile").read_text()
        (folder / "Dockerfile").write_text(f"FROM {stage} AS build\n" + text[text.rindex("\nFROM scratch") :])
        tag = f"localhost/reachd-{name}"
        built = cls.engine("build", "--quiet", "--no-cache", "--format", "docker", "--timestamp", cls.epoch, "--tag", tag, folder)
        return built.split()[-1], root

    def inspect(self, image):
        return json.loads(self.engine("image", "inspect", image))[0]

    def start(self, *options, command=()):
        """Runs a container, and returns its namespaces."""
        name = self.engine("run", "--detach", *LIMITS, *options, self.image, *command).split()[-1]
        self.addCleanup(lambda: self.engine("rm", "--force", "--time", "1", "--volumes", name, check=False))
        pid = json.loads(self.engine("inspect", name))[0]["State"]["Pid"]
        namespaces = Namespaces(pid)
        try:
            eventually("ready", lambda: self.engine("exec", name, "/usr/bin/reachd", "healthcheck").startswith("healthy"))
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.engine('logs', name, check=False)}") from None
        return name, namespaces

    # Content

    def test_size(self):
        """The image is smaller than 60 MB."""
        parts = {}
        for folder, _, files in os.walk(self.root):
            for file in files:
                path = pathlib.Path(folder, file)
                if path.is_symlink():
                    continue
                place = str(path.relative_to(self.root))
                part = "libraries" if ".so" in file else "licences and inventory" if place.startswith("usr/share/") else place
                parts[part] = parts.get(part, 0) + path.stat().st_size
        print("\nimage, by part in bytes:")
        for part, size in sorted(parts.items(), key=lambda item: -item[1])[:8]:
            print(f"  {size:>11,}  {part}")
        size = self.inspect(self.image)["Size"]
        print(f"  {size:>11,}  the image as the engine counts it (bound {SIZE:,})", flush=True)
        self.assertLessEqual(size, SIZE)
        self.assertLessEqual(sum(parts.values()), SIZE)

    def test_reproducible(self):
        """The layers and the image are reproducible."""
        one, two = self.inspect(self.image), self.inspect(self.second)
        self.assertEqual(one["RootFS"]["Layers"], two["RootFS"]["Layers"])
        self.assertEqual(one["Config"], two["Config"])
        print(f"\nlayers of two builds: {' '.join(one['RootFS']['Layers'])}", flush=True)

    def test_configuration(self):
        """An ordinary user, the program as the entry point, the health check in the exec form."""
        inspected = self.inspect(self.image)
        configuration = inspected["Config"]
        self.assertEqual(configuration["User"], "65532:65532")
        self.assertEqual(configuration["Entrypoint"], ["/usr/bin/reachd"])
        self.assertEqual(configuration["Cmd"], ["serve"])
        self.assertEqual(configuration["StopSignal"], "SIGTERM")
        self.assertIn("7532/tcp", configuration["ExposedPorts"])
        self.assertIn("/var/lib/reachd", configuration["Volumes"])
        self.assertEqual(inspected["Healthcheck"]["Test"], ["CMD", "/usr/bin/reachd", "healthcheck"])

    def test_programs(self):
        """The only programs are reachd and the dynamic linker; no shell, no setuid files, no writable files."""
        runnable = set()
        for folder, _, files in os.walk(self.root):
            for file in files:
                path = pathlib.Path(folder, file)
                if path.is_symlink():
                    self.assertTrue((self.root / os.readlink(path).lstrip("/")).exists() or (path.parent / os.readlink(path)).exists(), path)
                    continue
                mode = path.stat().st_mode
                self.assertEqual(mode & 0o6022, 0, path)
                self.assertEqual(path.stat().st_uid, 0)
                if mode & 0o111 and ".so" not in file:
                    runnable.add(str(path.relative_to(self.root)))
        self.assertEqual(runnable, {"usr/bin/reachd"})
        state = (self.root / "var/lib/reachd").stat()
        self.assertEqual((state.st_uid, state.st_gid, state.st_mode & 0o777), (65532, 65532, 0o700))

    def test_inventory(self):
        """The inventory is a valid SPDX document that lists the package of every file, with version and licence."""
        file = self.root / "usr/share/doc/reachd/sbom.spdx.json"
        document = parse_file(str(file))
        messages = validate_full_spdx_document(document)
        self.assertEqual([message.validation_message for message in messages], [])
        packages = {package.name: package for package in document.packages}
        for name in ("reachd", "swift", "swift-log", "swift-argument-parser", "libc6", "libssl3", "libmicrohttpd12", "ca-certificates"):
            self.assertIn(name, packages)
        self.assertNotIn("yams", packages, "only tests use it")
        self.assertEqual(packages["reachd"].version, output(REACHD, "--version").split()[-1])
        self.assertEqual(packages["reachd"].checksums[0].value, hashlib.sha256(REACHD.read_bytes()).hexdigest())
        for name, package in packages.items():
            if name == "reachd-image":
                continue
            self.assertNotEqual(str(package.license_declared), "NOASSERTION", name)
            self.assertTrue(package.version and package.supplier and package.external_references[0].locator.startswith("pkg:"), name)
            papers = self.root / "usr/share/doc" / name
            self.assertTrue(papers.is_dir() and any(papers.iterdir()), name)
            for paper in papers.iterdir():
                for licence in re.findall(r"/usr/share/common-licenses/([A-Z][A-Za-z0-9.-]*\d)", paper.read_text(errors="replace")):
                    if os.path.exists(f"/usr/share/common-licenses/{licence}"):
                        self.assertTrue((self.root / "usr/share/common-licenses" / licence).exists(), f"{paper}: {licence}")
        dynamic = {r.related_spdx_element_id for r in document.relationships if r.relationship_type == RelationshipType.DYNAMIC_LINK}
        needed = re.findall(r"\[(lib[^]]+)]", output("readelf", "--dynamic", REACHD))
        for library in needed:
            place = next(self.root.rglob(library))
            real = os.path.realpath("/" + str(place.relative_to(self.root)))
            owner = next(
                found.stdout.split(":")[0]
                for name in (real, real.removeprefix("/usr"))
                if (found := run("dpkg-query", "-S", name, check=False)).returncode == 0
            )
            self.assertIn(f"SPDXRef-Debian-{re.sub('[^A-Za-z0-9.-]', '-', owner)}", dynamic)
        print(f"\ninventory: valid SPDX 2.3, {len(packages)} packages", flush=True)

    # Running

    def test_container(self):
        """As a container: service, health check, privileges, kernel events and stop."""
        name, inside = self.start()
        status = inside.status()
        self.assertEqual(status["Uid"].split(), ["65532"] * 4)
        for capabilities in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[capabilities], 16), 0)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        self.engine("healthcheck", "run", name)
        self.assertIn("netlink", self.engine("exec", name, "/usr/bin/reachd", "doctor", check=False).lower())
        refused = self.engine("exec", name, "/bin/sh", "-c", "true", check=False)
        self.assertRegex(refused, "not found|no such file")
        self.assertEqual(inside.get("/status")["history"]["state"], "ok")

        # The container's network: none at first, then one appears.
        events = subprocess.Popen(
            ["nsenter", "-t", str(inside.pid), "-n", "curl", "-sSN", "--max-time", "60", "http://127.0.0.1:7532/events"],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(events.stdout.close)
        self.addCleanup(events.wait)
        self.addCleanup(events.kill)
        # The first line of output follows the start.
        lines = iter(events.stdout.readline, "")
        next(lines)
        inside.output("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "far0")
        inside.output("ip", "link", "set", "far0", "up")
        inside.output("ip", "address", "add", "192.0.2.2/24", "dev", "eth0")
        inside.output("ip", "link", "set", "eth0", "up")
        inside.output("ip", "route", "add", "default", "via", "192.0.2.1")
        for line in lines:
            if line.startswith("data: ") and '"reachable":true' in line.replace(" ", ""):
                break
        else:
            self.fail("no event of the new route")
        self.engine("stop", "--time", "10", name)
        self.assertEqual(json.loads(self.engine("inspect", name))[0]["State"]["ExitCode"], 0)

    def test_state(self):
        """The event log is in the volume and survives the container; otherwise reachd reports that events are in memory."""
        volume = self.engine("volume", "create").strip()
        self.addCleanup(lambda: self.engine("volume", "rm", "--force", volume, check=False))
        name, inside = self.start("--volume", f"{volume}:/var/lib/reachd")
        first = inside.get("/status")
        self.engine("rm", "--force", "--time", "10", name)
        _, inside = self.start("--volume", f"{volume}:/var/lib/reachd")
        second = inside.get("/status")
        self.assertEqual(first["epoch"], second["epoch"])
        self.assertEqual(second["history"]["state"], "ok")
        _, inside = self.start("--image-volume", "ignore", "--read-only-tmpfs=false")
        status = inside.get("/status")
        self.assertEqual(status["history"]["state"], "off")

    def test_names_and_certificates(self):
        """A name is resolved by the container's resolv.conf, and an https probe uses the image's CA certificates."""
        folder = self.folder / "https"
        folder.mkdir()
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=box authority",
            "-keyout", folder / "ca.key", "-out", folder / "ca.pem")  # fmt: skip
        run("openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=www.box.example",
            "-keyout", folder / "key.pem", "-out", folder / "request.pem")  # fmt: skip
        (folder / "names").write_text("subjectAltName=DNS:www.box.example\nextendedKeyUsage=serverAuth\n")
        run("openssl", "x509", "-req", "-days", "30", "-in", folder / "request.pem", "-CA", folder / "ca.pem",
            "-CAkey", folder / "ca.key", "-CAcreateserial", "-extfile", folder / "names", "-out", folder / "cert.pem")  # fmt: skip
        bundle = (self.root / "etc/ssl/certs/ca-certificates.crt").read_text()
        self.assertGreater(bundle.count("BEGIN CERTIFICATE"), 100)
        (folder / "bundle.pem").write_text(bundle + (folder / "ca.pem").read_text())
        (folder / "resolv.conf").write_text("nameserver 127.0.0.53\n")
        (folder / "reachd.yaml").write_text(
            "targets:\n"
            "  - { id: www, host: www.box.example, probe: { type: http, url: 'https://www.box.example:8443/', interval: 1s } }\n"
        )
        os.chmod(folder, 0o755)
        mounts = ["--volume", f"{folder}/reachd.yaml:/etc/reachd/reachd.yaml:ro", "--volume", f"{folder}/resolv.conf:/etc/resolv.conf:ro"]
        for trusts in (True, False):
            with self.subTest(trusts=trusts):
                extra = ["--volume", f"{folder}/bundle.pem:/etc/ssl/certs/ca-certificates.crt:ro"] if trusts else []
                _, inside = self.start(*mounts, *extra)
                servers = subprocess.Popen(
                    ["nsenter", "-t", str(inside.pid), "-n", "python3", str(PROJECT / "Tests/Packaging/servers.py"), str(folder)]
                )
                self.addCleanup(servers.wait)
                self.addCleanup(servers.kill)
                # Failures before the servers listen do not count.
                target = eventually("a result", lambda: self.judged(inside))
                if trusts:
                    self.assertEqual(target["state"], "up", target)
                else:
                    self.assertEqual(target["last_result"]["reason"]["code"], "tls_untrusted_root", target["last_result"])

    @staticmethod
    def judged(inside):
        target = inside.get("/targets/www")
        result = target.get("last_result") or {}
        reason = (result.get("reason") or {}).get("code", "")
        return target if result.get("success") or reason.startswith("tls_") else None

    def test_kubernetes(self):
        """podman runs the Deployment with its ConfigMap, and the routes of its probes respond."""
        folder = PROJECT / "config/kubernetes"
        document = yaml.safe_load((folder / "deployment.yaml").read_text())
        pod = document["spec"]["template"]["spec"]
        pod["containers"][0]["image"] = "localhost/reachd-one:latest"
        # Features that this podman lacks: checks by HTTP without curl in the image, emptyDir, and ports without a network.
        for probe in ("startupProbe", "livenessProbe", "readinessProbe", "ports"):
            del pod["containers"][0][probe]
        pod["volumes"] = [volume for volume in pod["volumes"] if "emptyDir" not in volume]
        pod["containers"][0]["volumeMounts"] = pod["containers"][0]["volumeMounts"][:1]
        file = self.folder / "pod.yaml"
        file.write_text(yaml.safe_dump(document))
        self.addCleanup(lambda: self.engine("play", "kube", "--down", file, check=False))
        self.engine("play", "kube", "--network", "none", "--configmap", folder / "configmap.yaml", file)
        container = self.engine("ps", "--quiet", "--filter", "ancestor=localhost/reachd-one").split()[0]
        inside = Namespaces(json.loads(self.engine("inspect", container))[0]["State"]["Pid"])
        eventually("ready", lambda: self.engine("exec", container, "/usr/bin/reachd", "healthcheck").startswith("healthy"))
        for path in ("/livez", "/readyz"):
            code = inside.output("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", f"http://127.0.0.1:7532{path}")
            self.assertEqual(code, "200", path)
        self.assertIn("kubernetes", {target["id"] for target in inside.get("/targets")["targets"]})
        self.assertEqual(int(inside.status()["CapBnd"], 16), 0)

    def test_compose(self):
        """podman-compose runs the compose file."""
        said = output("podman-compose", "--dry-run", "-f", PROJECT / "config/compose/compose.yaml", "up", "-d")
        for name in ("reachd", "dependant"):
            line = next(line for line in said.splitlines() if f"--name=compose_{name}_1" in line or f"--name=reachd_{name}_1" in line)
            for option in ("--read-only", "--cap-drop ALL", "--security-opt no-new-privileges:true"):
                self.assertIn(option, line)


