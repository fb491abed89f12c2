# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""What scripts/release makes, and its installation.

Release tests scripts/release and install.sh with a stand-in for the program, so it needs no release build. Installed uses a real
one: on fresh roots of Debian 12 and 13 it installs, upgrades and removes reachd, and measures how long a newcomer waits for the
page.
"""

import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import threading
import time
import unittest

from support import CACHE, PROJECT, REACHD, Root, eventually, output, run

IS_RELEASE = bool(os.environ.get("BOX_ALL") or os.environ.get("BOX_RELEASE"))
ARCHITECTURE = output("dpkg", "--print-architecture").strip()
VERSION = re.search(r'static let version = "(.*)"', (PROJECT / "Sources/reachd/Program/Program.swift").read_text())[1]
TARBALL = f"reachd-{VERSION}-linux-{ARCHITECTURE}.tar.gz"
# The supported releases of Debian.
DEBIAN = {"bookworm": 12, "trixie": 13}
HOST = re.search("VERSION_CODENAME=(.*)", pathlib.Path("/etc/os-release").read_text())[1]


def package(suite):
    return f"reachd_{VERSION}-1+deb{DEBIAN[suite]}_{ARCHITECTURE}.deb"


def make_key(folder, name):
    """A secret key that is older than every commit."""
    home = folder / name
    home.mkdir(mode=0o700)
    gpg = ("gpg", "--homedir", home, "--batch", "--quiet", "--faked-system-time", "20200101T000000", "--passphrase", "")
    run(*gpg, "--quick-generate-key", f"{name} <{name}@packages.invalid>", "ed25519", "sign", "never")
    file = folder / f"{name}.key"
    file.write_bytes(subprocess.run([*map(str, gpg), "--export-secret-keys"], check=True, capture_output=True).stdout)
    run("gpgconf", "--homedir", home, "--kill", "all", check=False)
    return file


class Site:
    """A folder that a web server on the loopback interface publishes."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def release(folder, key, url, *options, check=True):
    """Runs scripts/release, and returns what it printed."""
    words = ("-o", folder, "-u", url, *(("-k", key) if key else ()), *options)
    return run(PROJECT / "scripts/release", *words, check=check, timeout=1200).stdout


def digests(folder):
    """The checksum of each file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(pathlib.Path(folder).rglob("*"))
        if path.is_file()
    }


class Release(unittest.TestCase):
    """A release of a stand-in, for this machine's release of Debian."""

    STEPS = ("-s", HOST, "tarball", "packages", "repository", "installer")

    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="reachd-release-"))
        cls.addClassCleanup(shutil.rmtree, cls.work, ignore_errors=True)
        cls.key = make_key(cls.work, "author")
        cls.site = Site(cls.work / "site")
        cls.addClassCleanup(cls.site.close)
        cls.program = cls.work / "standin"
        cls.program.write_text((PROJECT / "Tests/Packaging/standin").read_text().replace("@VERSION@", VERSION))
        cls.program.chmod(0o755)
        cls.make(cls.site.folder)

    @classmethod
    def make(cls, folder):
        return release(folder, cls.key, cls.site.url, "-p", cls.program, *cls.STEPS)

    def test_files(self):
        """The release has these files; the checksums name all but the repository's, which Release names."""
        names = {str(path.relative_to(self.site.folder)) for path in self.site.folder.rglob("*") if path.is_file()}
        listed = {TARBALL, package(HOST), "install.sh"}
        lists = [f"main/binary-{ARCHITECTURE}/Packages", f"main/binary-{ARCHITECTURE}/Packages.gz"]
        distribution = {f"dists/{HOST}/{name}" for name in ("Release", "Release.gpg", "InRelease", *lists)}
        self.assertEqual(names, listed | {"SHA256SUMS", "SHA256SUMS.asc", "key.asc"} | distribution)
        lines = (self.site.folder / "SHA256SUMS").read_text().splitlines()
        self.assertEqual({line.split("  ")[1] for line in lines}, listed)
        run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.site.folder)
        inner = (self.site.folder / f"dists/{HOST}/Release").read_text()
        for name in lists:
            content = (self.site.folder / f"dists/{HOST}" / name).read_bytes()
            self.assertIn(f"\n {hashlib.sha256(content).hexdigest()} {len(content)} {name}\n", inner)

    def test_tarball(self):
        """The tarball has the program, its papers and what a system needs to run it, owned by root."""
        with tarfile.open(self.site.folder / TARBALL) as archive:
            members = {member.name.partition("/")[2]: member for member in archive.getmembers()}
            unit = archive.extractfile(members["systemd/reachd.service"]).read()
        for name in (
            "bin/reachd", "etc/reachd/reachd.yaml", "systemd/reachd.socket", "share/man/man1/reachd.1", "LICENSE", "INSTALL",
            "share/bash-completion/completions/reachd", "share/zsh/site-functions/_reachd",
            "share/fish/vendor_completions.d/reachd.fish",
        ):  # fmt: skip
            self.assertTrue(members[name].isfile(), name)
        self.assertEqual({(member.uid, member.gid, member.mode & 0o7022) for member in members.values()}, {(0, 0, 0)})
        self.assertEqual(members["bin/reachd"].mode, 0o755)
        self.assertEqual(unit, (PROJECT / "config/reachd.service").read_bytes())

    def test_reproducible(self):
        """A second run elsewhere gives the same bytes, signatures included."""
        other = self.work / "other"
        self.make(other)
        self.assertEqual(digests(other), digests(self.site.folder))

    def test_resumed(self):
        """A step is repeated only if its inputs or its files changed."""
        folder = self.work / "resumed"
        self.assertNotIn("unchanged", self.make(folder))
        self.assertEqual(self.make(folder).count(": unchanged"), 4)
        whole = digests(folder)
        (folder / package(HOST)).write_bytes(b"half")
        said = self.make(folder)
        self.assertEqual(said.count(": unchanged"), 3)
        self.assertIn(f"package {HOST} …", said)
        self.assertEqual(digests(folder), whole)

    def test_two_architectures(self):
        """Files from a machine of another architecture join the repository and the list of checksums."""
        folder = self.work / "both"
        shutil.copytree(self.site.folder, folder)
        other = "arm64" if ARCHITECTURE != "arm64" else "amd64"
        tree = self.work / "control"
        run("dpkg-deb", "-R", folder / package(HOST), tree)
        control = tree / "DEBIAN/control"
        control.write_text(control.read_text().replace(f"Architecture: {ARCHITECTURE}", f"Architecture: {other}"))
        added = package(HOST).replace(ARCHITECTURE, other)
        run("dpkg-deb", "-Znone", "--root-owner-group", "--build", tree, folder / added)
        release(folder, self.key, self.site.url, "repository", "installer")
        for architecture, file in ((ARCHITECTURE, package(HOST)), (other, added)):
            entries = (folder / f"dists/{HOST}/main/binary-{architecture}/Packages").read_text()
            self.assertEqual(re.findall("(?m)^Filename: (.*)$", entries), [file])
        self.assertIn(f"Architectures: {' '.join(sorted((ARCHITECTURE, other)))}\n", (folder / f"dists/{HOST}/Release").read_text())
        self.assertIn(added, (folder / "SHA256SUMS").read_text())

    def test_refused(self):
        """Mistakes end with a sentence that says what to do, and unsigned files are not published."""
        folder = self.work / "refused"
        options = ("-p", self.program, "-s", HOST)
        said = release(folder, None, self.site.url, *options, "tarball", "repository")
        self.assertIn("not made, because they are signed: repeat the command with -k KEY", said)
        self.assertFalse((folder / "dists").exists())
        said = release(folder, self.program, self.site.url, *options, "installer", check=False)
        self.assertIn("is not a secret OpenPGP key", said)
        said = release(folder, self.key, self.site.url, *options, "repository", check=False)
        self.assertIn("has no package: run the step packages first", said)
        old = self.work / "old"
        old.write_text(self.program.read_text().replace(VERSION, "0.0.1"))
        old.chmod(0o755)
        said = release(folder, self.key, self.site.url, "-p", old, "tarball", check=False)
        self.assertIn(f"is reachd 0.0.1, the sources are {VERSION}: build it again", said)
        self.assertIn("unknown step", release(folder, None, self.site.url, "tarbal", check=False))
        self.assertIn("unknown release", release(folder, None, self.site.url, "-s", "buster", check=False))

    def test_apt(self):
        """apt accepts the repository by its key and downloads the package; with another key, or changed files, it does not."""
        self.assertEqual(self.apt(self.site.url, self.site.folder / "key.asc"), (self.site.folder / package(HOST)).read_bytes())
        other = self.work / "stranger.asc"
        home = self.work / "stranger"
        make_key(self.work, "stranger")
        other.write_text(output("gpg", "--homedir", home, "--batch", "--armor", "--export"))
        with self.assertRaisesRegex(AssertionError, "NO_PUBKEY|not signed|Missing key"):
            self.apt(self.site.url, other)
        changed = Site(self.work / "changed")
        self.addCleanup(changed.close)
        shutil.copytree(self.site.folder, changed.folder, dirs_exist_ok=True)
        with open(changed.folder / f"dists/{HOST}/main/binary-{ARCHITECTURE}/Packages.gz", "ab") as file:
            file.write(b"x")
        (changed.folder / f"dists/{HOST}/main/binary-{ARCHITECTURE}/Packages").unlink()
        with self.assertRaisesRegex(AssertionError, "unexpected size|Hash Sum mismatch"):
            self.apt(changed.url, self.site.folder / "key.asc")

    def apt(self, url, key):
        """Downloads the package with apt, in folders of its own, and returns its bytes."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        folder.chmod(0o755)
        for name in ("state/lists/partial", "cache/archives/partial", "etc"):
            (folder / name).mkdir(parents=True)
        # Apt's own user does not enter folders of others.
        (folder / "etc/sources.list").write_text(f"deb [arch={ARCHITECTURE} signed-by={key}] {url} {HOST} main\n")
        (folder / "status").touch()
        places = {
            "Dir::State": folder / "state", "Dir::State::status": folder / "status", "Dir::Cache": folder / "cache",
            "Dir::Etc::SourceList": folder / "etc/sources.list", "Dir::Etc::SourceParts": "/dev/null", "APT::Sandbox::User": "",
            "Dir::Etc::Preferences": "/dev/null", "Dir::Etc::PreferencesParts": "/dev/null",
        }  # fmt: skip
        options = [word for name, value in places.items() for word in ("-o", f"{name}={value}")]
        run("apt-get", *options, "--error-on=any", "update")
        run("apt-get", *options, "download", "reachd", cwd=folder)
        (file,) = folder.glob("*.deb")
        return file.read_bytes()

    # The installer

    def installer(self, *options, site=None, script=None, check=True):
        """Runs install.sh on a copy of this machine's /etc, as root of a user namespace, with a prefix."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        (folder / "systemd/system").mkdir(parents=True)
        (folder / "os-release").write_text('ID=other\nVERSION_ID="1"\n')
        self.etc, self.prefix = folder, folder / "prefix"
        return self.again(*options, site=site, script=script, check=check)

    def again(self, *options, site=None, script=None, check=True):
        enter = 'mount --bind "$0" /etc && mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /var/lib && exec sh "$@"'
        words = (script or self.site.folder / "install.sh", "--prefix", self.prefix, *(("--site", site) if site else ()), *options)
        # TMPDIR and the script stay visible: only /etc, /run and /var/lib are replaced.
        return run("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", enter, self.etc, *words, check=check).stdout

    def installed(self):
        return {str(path.relative_to(self.etc)) for path in self.etc.rglob("*") if path.is_file()} - {"os-release"}

    def test_installer(self):
        """Another distribution gets the tarball; installed again it keeps the configuration; removed, nothing else is left."""
        said = self.installer()
        self.assertIn(f"installed reachd {VERSION} from {self.site.url}", said)
        self.assertIn("http://127.0.0.1:7532/", said)
        files = self.installed()
        self.assertLessEqual(
            {"prefix/bin/reachd", "prefix/share/man/man1/reachd.1", "reachd/reachd.yaml", "systemd/system/reachd.service"}, files
        )
        self.assertFalse([name for name in files if name.endswith("-new")])
        unit = (self.etc / "systemd/system/reachd.service").read_text()
        self.assertIn(f"ExecStart={self.prefix}/bin/reachd serve", unit)
        (self.etc / "reachd/reachd.yaml").write_text("# mine\n")
        self.again()
        self.assertEqual((self.etc / "reachd/reachd.yaml").read_text(), "# mine\n")
        self.assertEqual(self.installed(), files)
        self.again("--remove")
        self.assertEqual(self.installed(), {"reachd/reachd.yaml"})
        self.again("--purge")
        self.assertEqual(self.installed(), set())

    def test_installer_refuses(self):
        """The installer changes nothing after a wrong signature or checksum, a missing file or a program that does not run."""

        def changed(name, change):
            site = Site(pathlib.Path(tempfile.mkdtemp(dir=self.work)))
            self.addCleanup(site.close)
            shutil.copytree(self.site.folder, site.folder, dirs_exist_ok=True)
            change(site.folder / name)
            return site.url

        def append(path):
            path.write_bytes(path.read_bytes() + b"x")

        broken = self.work / "broken"
        broken.write_text("#!/bin/sh\nexit 127\n")
        cases = [
            (changed("SHA256SUMS", append), "is not signed by the key [0-9A-F]{40}: do not use these files"),
            (changed("SHA256SUMS.asc", lambda path: path.unlink()), "cannot download .*/SHA256SUMS.asc"),
            (changed(TARBALL, append), f"{TARBALL} differs from its checksum"),
            (changed(TARBALL, lambda path: path.unlink()), f"cannot download .*/{TARBALL}"),
            ("http://127.0.0.1:1", "cannot download http://127.0.0.1:1/SHA256SUMS"),
        ]
        for url, sentence in cases:
            with self.subTest(sentence=sentence):
                said = self.installer(site=url, check=False)
                self.assertRegex(said, sentence)
                self.assertIn("nothing was changed", said)
                self.assertEqual(self.installed(), set())
        # A release that is signed, with a program that does not run.
        site = Site(self.work / "unable")
        self.addCleanup(site.close)
        shutil.copytree(self.site.folder, site.folder, dirs_exist_ok=True)
        tree = self.work / "unpacked"
        with tarfile.open(self.site.folder / TARBALL) as archive:
            archive.extractall(tree)
        name = TARBALL.removesuffix(".tar.gz")
        shutil.copy(broken, tree / name / "bin/reachd")
        run("tar", "-c", "-z", "-f", site.folder / TARBALL, "-C", tree, name)
        release(site.folder, self.key, self.site.url, "installer")
        said = self.installer(site=site.url, check=False)
        self.assertIn("nothing was changed: the program does not run here", said)
        self.assertEqual(self.installed(), set())

    def test_installer_is_read_whole(self):
        """A download that breaks off runs nothing: the last line calls the rest."""
        text = (self.site.folder / "install.sh").read_text()
        self.assertTrue(text.endswith('\nmain "$@"\n'))
        for line in text.splitlines()[:-1]:
            self.assertNotRegex(line, r"^(main|as_root|install_|remove)\b(?!.*\(\) \{$)")
        said = self.installer(script=PROJECT / "config/release/install.sh", check=False)
        self.assertIn("this is the script's source", said)


class Archive(unittest.TestCase):
    """scripts/image-archive with a small folder."""

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="reachd-archive-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)

    def archive(self, name, content="reachd"):
        """Writes an archive, and returns its path and digest."""
        root = self.work / name
        (root / "usr/bin").mkdir(parents=True)
        (root / "usr/bin/reachd").write_text(content)
        (root / "usr/share/doc/reachd").mkdir(parents=True)
        (root / "usr/share/doc/reachd/sbom.spdx.json").write_text(json.dumps({"packages": [{"versionInfo": VERSION}]}))
        # Another time for each, which the archive does not show.
        os.utime(root / "usr/bin/reachd", (len(name) * 10**8,) * 2)
        path = self.work / f"{name}.tar"
        said = output("fakeroot", PROJECT / "scripts/image-archive", "-l", "a.b=c", path, root,
                      env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})  # fmt: skip
        return path, said.split()[-1]

    def read(self, path, digest):
        with tarfile.open(path) as archive:
            content = archive.extractfile(f"blobs/sha256/{digest.removeprefix('sha256:')}").read()
        self.assertEqual(hashlib.sha256(content).hexdigest(), digest.removeprefix("sha256:"))
        return json.loads(content)

    def test_settings(self):
        """The image has the Dockerfile's user, command, variables, health check and labels."""
        path, digest = self.archive("one")
        manifest = self.read(path, digest)
        configuration = self.read(path, manifest["config"]["digest"])
        settings = configuration["config"]
        self.assertEqual((settings["User"], settings["Entrypoint"], settings["Cmd"]), ("65532:65532", ["/usr/bin/reachd"], ["serve"]))
        self.assertIn("REACHD_LISTEN=*:7532", settings["Env"])
        self.assertIn("REACHD_CONFIG=/etc/reachd/reachd.yaml", settings["Env"])
        self.assertEqual(settings["ExposedPorts"], {"7532/tcp": {}})
        self.assertEqual(settings["Volumes"], {"/var/lib/reachd": {}})
        self.assertEqual(settings["Healthcheck"]["Test"], ["CMD", "/usr/bin/reachd", "healthcheck"])
        self.assertEqual(settings["Healthcheck"]["Interval"], 15_000_000_000)
        labels = settings["Labels"]
        self.assertEqual((labels["org.opencontainers.image.version"], labels["a.b"]), (VERSION, "c"))
        self.assertEqual(labels["org.opencontainers.image.licenses"], "Apache-2.0")
        self.assertEqual(configuration["architecture"], ARCHITECTURE)

    def test_reproducible(self):
        """The same files give the same bytes; another file another digest."""
        one, first = self.archive("one")
        two, second = self.archive("second")
        self.assertEqual(one.read_bytes(), two.read_bytes())
        _, third = self.archive("three", "other")
        self.assertEqual(first, second)
        self.assertNotEqual(first, third)

    def test_joined(self):
        """One image for several architectures refers to each of them."""
        one, first = self.archive("one")
        two, second = self.archive("two", "other")
        joined = self.work / "joined.tar"
        digest = output(PROJECT / "scripts/image-archive", "-j", joined, one, two).split()[-1]
        index = self.read(joined, digest)
        self.assertEqual([image["digest"] for image in index["manifests"]], [first, second])
        for image in index["manifests"]:
            self.assertEqual(image["platform"], {"architecture": ARCHITECTURE, "os": "linux"})
            self.read(joined, image["digest"])


def older():
    """Builds the Debian package of 0.1.0: of its tag, or without one of the commit that recorded its event log for the tests."""
    cache = CACHE / "0.1.0"
    commit = subprocess.run(["git", "rev-parse", "--quiet", "--verify", "v0.1.0^{commit}"], cwd=PROJECT, capture_output=True, text=True)
    commit = commit.stdout.strip() or output(
        "git", "log", "--diff-filter=A", "--format=%H", "--", "Tests/ReachAPITests/*log-0.1.0.db", cwd=PROJECT
    ).strip()
    if not commit:
        raise AssertionError("the commit of 0.1.0 is not in this clone: git fetch --unshallow --tags")
    done = cache / commit
    if not done.exists():
        shutil.rmtree(cache, ignore_errors=True)
        tree = cache / "tree"
        tree.mkdir(parents=True)
        run("sh", "-c", 'git archive "$0" | tar -x -C "$1"', commit, tree, cwd=PROJECT)
        script = next(name for name in ("build-release", "release") if (tree / "scripts" / name).exists())
        environment = {**os.environ, "SOURCE_DATE_EPOCH": output("git", "log", "-1", "--format=%ct", commit, cwd=PROJECT).strip()}
        built = output(tree / "scripts" / script, cwd=tree, timeout=3600, env=environment).strip().splitlines()[-1]
        run(tree / "scripts/package-debian", "-p", built, cache, env=environment)
        shutil.rmtree(tree)
        done.touch()
    (file,) = cache.glob("*.deb")
    print(f"\n0.1.0 is {file.name} of commit {commit[:12]}", flush=True)
    return file


class Service:
    """A service in a network namespace of its own."""

    def __init__(self, words):
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(words, stdout=self.log, stderr=self.log)

    @classmethod
    def of_unit(cls, root, user="64000"):
        """Runs the program of a root folder as its unit runs it, but for systemd's mounts and its system call filter."""
        unit = next(
            path
            for path in (root.folder / place / "reachd.service" for place in ("etc/systemd/system", "usr/lib/systemd/system", "lib/systemd/system"))
            if path.exists()
        )
        command = re.search(r"(?m)^ExecStart=(.*)$", unit.read_text())[1].split()
        # What StateDirectory= and RuntimeDirectory= do.
        script = (
            'mkdir -p /run/reachd /var/lib/reachd && chmod 700 /var/lib/reachd && chown -R "$0:$0" /run/reachd /var/lib/reachd && umask 0007 && '
            'exec setpriv --reuid "$0" --regid "$0" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all '
            'env STATE_DIRECTORY=/var/lib/reachd RUNTIME_DIRECTORY=/run/reachd "$@"'
        )
        return cls(root.words("sh", "-c", script, user, *command, offline=True))

    @classmethod
    def of_image(cls, folder, settings):
        """Runs the command of an image in its unpacked layer."""
        script = 'mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; ip link set lo up; shift; exec "$@"'
        command = ("env", "-i", *settings["Env"], "/usr/sbin/chroot", "--userspec", settings["User"], folder, *settings["Entrypoint"], *settings["Cmd"])
        return cls(["unshare", "--mount", "--net", "sh", "-e", "-c", script, "sh", str(folder), *map(str, command)])

    def page(self):
        """The page, when the service serves it."""
        return eventually("the page", lambda: self.get("/", text=True) if self.lives() else None)

    def lives(self):
        if self.process.poll() is not None:
            self.log.seek(0)
            raise RuntimeError(f"reachd ended with {self.process.returncode}:\n{self.log.read()}")
        return True

    def get(self, path, *options, text=False):
        said = output("nsenter", "-t", self.process.pid, "-n", "curl", "-sS", "--max-time", "5", *options, f"http://127.0.0.1:7532{path}")
        return said if text else json.loads(said)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)
        self.log.close()


@unittest.skipUnless(IS_RELEASE, "needs a release build")
class Installed(unittest.TestCase):
    """A whole release, on fresh roots of Debian 12 and 13."""

    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="reachd-installed-"))
        cls.addClassCleanup(shutil.rmtree, cls.work, ignore_errors=True)
        # Apt's own user reads packages here.
        cls.work.chmod(0o755)
        cls.key = make_key(cls.work, "author")
        cls.site = Site(cls.work / "site")
        cls.addClassCleanup(cls.site.close)
        release(cls.site.folder, cls.key, cls.site.url, "-p", REACHD)

    def root(self, suite):
        folder = tempfile.mkdtemp(dir=self.work)
        root = Root(pathlib.Path(folder) / "root", suite)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return root

    def start(self, root):
        service = Service.of_unit(root)
        self.addCleanup(service.stop)
        self.assertIn("<title>reachd</title>", service.page())
        return service

    def install(self, root, *options):
        """The guide's line: the installer from the site, read by a shell."""
        return root.run("sh", "-c", f"curl -fsSL {self.site.url}/install.sh | sh -s -- \"$@\"", "sh", *options, timeout=580)

    def test_reproducible(self):
        """A second release of the same program has the same bytes: packages, image and signatures included."""
        second = self.work / "second"
        said = release(second, self.key, self.site.url, "-p", REACHD)
        self.assertEqual(digests(second), digests(self.site.folder))
        for line in said.splitlines():
            if "digest sha256:" in line:
                print(f"\n{line}", flush=True)

    def test_dependencies(self):
        """Each package depends on the libraries by their names in its release."""
        same = {"libidn2-0", "libpq5", "libsqlite3-0", "libyaml-0-2"}
        names = {
            "bookworm": {"libc-ares2", "libcurl4", "libgnutls30", "libmicrohttpd12", "libpsl5", "libssl3"},
            "trixie": {"libcares2", "libcurl4t64", "libgnutls30t64", "libmicrohttpd12t64", "libpsl5t64", "libssl3t64"},
        }
        for suite, wanted in names.items():
            depends = output("dpkg-deb", "-f", self.site.folder / package(suite), "Depends")
            found = {words.split()[0] for words in depends.split(",")}
            self.assertEqual(found & (same | set().union(*names.values())), same | wanted)

    def test_newcomer(self):
        """From the install line to the page; removed, the configuration stays, and purged nothing does."""
        for suite in DEBIAN:
            with self.subTest(suite=suite):
                root = self.root(suite)
                begin = time.monotonic()
                said = self.install(root)
                installed = time.monotonic()
                service = self.start(root)
                page = time.monotonic()
                print(f"\nnewcomer, Debian {DEBIAN[suite]}: install {installed - begin:.1f} s, start to page {page - installed:.1f} s", flush=True)
                self.assertIn(f"installed reachd {VERSION} from {self.site.url}", said)
                self.assertEqual(root.run("dpkg-query", "-W", "-f", "${Version}", "reachd"), package(suite).split("_")[1])
                self.assertEqual(service.get("/status")["history"]["state"], "ok")
                service.stop()
                root.run("sh", "-c", f"curl -fsSL {self.site.url}/install.sh | sh -s -- --remove")
                self.assertFalse((root.folder / "usr/bin/reachd").exists())
                self.assertTrue((root.folder / "etc/reachd/reachd.yaml").exists())
                self.assertTrue((root.folder / "var/lib/reachd/reachd.db").exists())
                root.run("sh", "-c", f"curl -fsSL {self.site.url}/install.sh | sh -s -- --purge")
                self.assertEqual([name for name in root.files() if "reachd" in name], [])

    def test_unmet(self):
        """Without the libraries' packages apt installs nothing, and the installer says so."""
        for suite in DEBIAN:
            with self.subTest(suite=suite):
                root = self.root(suite)
                (root.folder / "etc/apt/sources.list").write_text("")
                said = root.run("sh", "-c", f"curl -fsSL {self.site.url}/install.sh | sh", check=False)
                self.assertIn("apt could not install reachd, and reachd is not installed", said)
                self.assertEqual([name for name in root.files() if "reachd" in name], [])

    def test_apt_repository(self):
        """With the repository among apt's sources, apt installs reachd and its libraries by their signatures."""
        for suite in DEBIAN:
            with self.subTest(suite=suite):
                root = self.root(suite)
                # As docs/packages.md describes it.
                root.run("sh", "-e", "-c", f"""
                    curl -fsSL {self.site.url}/key.asc >/usr/share/keyrings/reachd.asc
                    . /etc/os-release
                    echo "deb [signed-by=/usr/share/keyrings/reachd.asc] {self.site.url} $VERSION_CODENAME main" >/etc/apt/sources.list.d/reachd.list
                    apt-get -q update --error-on=any
                    apt-get -q -y install reachd""", timeout=580)  # fmt: skip
                self.start(root)

    def test_image(self):
        """The image's command serves the page as the image's user, its health check agrees, and its inventory is the release's."""
        with tarfile.open(self.site.folder / f"reachd-{VERSION}.oci.tar") as archive:

            def blob(descriptor):
                return archive.extractfile("blobs/sha256/" + descriptor["digest"].removeprefix("sha256:"))

            (image,) = json.load(archive.extractfile("index.json"))["manifests"]
            (image,) = json.load(blob(image))["manifests"]
            self.assertEqual(image["platform"], {"architecture": ARCHITECTURE, "os": "linux"})
            manifest = json.load(blob(image))
            settings = json.load(blob(manifest["config"]))["config"]
            folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
            folder.chmod(0o755)
            with tarfile.open(fileobj=blob(manifest["layers"][0]), mode="r:gz") as layer:
                layer.extractall(folder, numeric_owner=True)
        inventory = self.site.folder / TARBALL.replace(".tar.gz", ".spdx.json")
        self.assertEqual((folder / "usr/share/doc/reachd/sbom.spdx.json").read_bytes(), inventory.read_bytes())
        self.assertFalse((folder / "bin/sh").exists() or (folder / "usr/bin/sh").exists())
        service = Service.of_image(folder, settings)
        self.addCleanup(service.stop)
        self.assertIn("<title>reachd</title>", service.page())
        self.assertEqual(service.get("/status")["history"]["state"], "ok")
        self.assertEqual(pathlib.Path(f"/proc/{service.process.pid}").stat().st_uid, int(settings["User"].split(":")[0]))
        check = ("nsenter", "-t", service.process.pid, "-m", "-n", "env", "-i", *settings["Env"], "/usr/sbin/chroot", folder)
        self.assertIn("healthy", output(*check, *settings["Healthcheck"]["Test"][1:]))

    def test_tarball(self):
        """The tarball's program runs on both, is upgraded and removed."""
        for suite in DEBIAN:
            with self.subTest(suite=suite):
                root = self.root(suite)
                before = root.files()
                said = root.run("sh", "-c", f"curl -fsSL {self.site.url}/install.sh | sh -s -- --tarball 2>&1 || true")
                # A fresh root lacks the libraries: the installer names them and changes nothing.
                self.assertIn("missing: libmicrohttpd.so.12", said)
                self.assertEqual(root.files(), before)
                depends = output("dpkg-deb", "-f", self.site.folder / package(suite), "Depends")
                root.run("apt-get", "-q", "update")
                root.run("apt-get", "-q", "-y", "install", *sorted({word.split()[0] for word in re.split("[,|]", depends)}), timeout=580)
                (root.folder / "etc/systemd/system").mkdir(parents=True, exist_ok=True)
                before = root.files()
                self.install(root, "--tarball")
                service = self.start(root)
                self.add(service)
                service.stop()
                self.assertIn(f"installed reachd {VERSION}", self.install(root, "--tarball"))
                service = self.start(root)
                self.assertEqual(service.get("/targets/kept")["id"], "kept")
                service.stop()
                self.install(root, "--remove")
                self.assertTrue((root.folder / "var/lib/reachd/targets.db").exists())
                self.install(root, "--purge")
                empty = {name for name in root.files() - before if (root.folder / name).is_dir()}
                self.assertEqual(root.files() - before - empty, set())

    @staticmethod
    def add(service):
        """Adds a target over HTTP."""
        body = '{"address":"127.0.0.1","probe":{"type":"tcp","port":7532,"interval":"1s"}}'
        service.get("/targets/kept", "-X", "PUT", "--json", body)
        eventually("a verdict", lambda: service.get("/targets/kept")["state"] == "up")

    def test_upgrade(self):
        """From 0.1.0: the targets of clients, the history and the changed configuration stay; purge deletes them."""
        package_of_010 = older()
        for suite in DEBIAN:
            with self.subTest(suite=suite):
                root = self.root(suite)
                before = root.files()
                shutil.copy(package_of_010, root.folder / "opt/older.deb")
                root.run("apt-get", "-q", "update")
                root.run("apt-get", "-q", "-y", "install", "/opt/older.deb", timeout=580)
                (root.folder / "opt/older.deb").unlink()
                configuration = root.folder / "etc/reachd/reachd.yaml"
                configuration.write_text("# mine\ntargets:\n  - { id: mine, address: 127.0.0.1 }\n")
                old = self.start(root)
                self.add(old)
                status = old.get("/status")
                eventually("a log on disk", lambda: old.get("/status")["history"]["state"] == "ok")
                events = old.get("/events?follow=false", text=True).count("event: state")
                old.stop()
                self.assertIn(f"installed reachd {VERSION}", self.install(root))
                self.assertEqual(root.run("dpkg-query", "-W", "-f", "${Version}", "reachd"), package(suite).split("_")[1])
                new = self.start(root)
                self.assertEqual(configuration.read_text().splitlines()[0], "# mine")
                self.assertEqual(new.get("/targets/mine")["id"], "mine")
                self.assertEqual(eventually("the target", lambda: new.get("/targets/kept"))["id"], "kept")
                eventually("a verdict", lambda: new.get("/targets/kept")["state"] == "up")
                self.assertEqual(new.get("/status")["epoch"], status["epoch"])
                first = f"{status['epoch']}-0"
                replay = new.get("/events?follow=false", "-H", f"Last-Event-ID: {first}", text=True)
                self.assertGreater(replay.count("event: state"), events)
                self.assertIn(f"id: {status['epoch']}-1\n", replay)
                new.stop()
                root.run("apt-get", "-q", "-y", "remove", "reachd")
                self.assertTrue((root.folder / "var/lib/reachd/targets.db").exists())
                self.assertEqual(configuration.read_text().splitlines()[0], "# mine")
                root.run("apt-get", "-q", "-y", "purge", "reachd")
                self.assertEqual([name for name in root.files() - before if "reachd" in name], [])
