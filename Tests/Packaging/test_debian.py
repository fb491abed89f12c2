# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The Debian package: its content, and its installation, upgrade and removal on Debian with and without systemd."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from support import CACHE, PROJECT, REACHD, Namespaces, eventually, output, run

IS_RELEASE = bool(os.environ.get("BOX_ALL"))
ARCHITECTURE = output("dpkg", "--print-architecture").strip()


def package(folder):
    """Builds the package."""
    # The debug build uses Swift's shared libraries, which no Debian package provides.
    environment, program = dict(os.environ), REACHD
    if not IS_RELEASE:
        environment["SHLIBDEPS"] = "--ignore-missing-info"
        # Half a minute of compression shows nothing here.
        environment["DPKG_DEB_COMPRESSOR_TYPE"] = "none"
        program = pathlib.Path(folder) / "stripped"
        run("strip", "-o", program, REACHD)
    said = output(PROJECT / "scripts/package-debian", "-p", program, folder, env=environment)
    return pathlib.Path(said.strip().splitlines()[-1])


def later(old):
    """The same package with a higher version."""
    folder = old.parent / "later"
    run("dpkg-deb", "-R", old, folder)
    control = folder / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^(Version: .*)-1$", r"\1-2", control.read_text()))
    new = old.parent / "later.deb"
    run("dpkg-deb", "-Znone", "--build", folder, new)
    return new


def setUpModule():
    global folder, made
    folder = pathlib.Path(tempfile.mkdtemp(prefix="reachd-debian-"))
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    made = package(folder)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.package = made

    def field(self, name):
        return output("dpkg-deb", "-f", self.package, name).strip()

    def test_control(self):
        """Name, version and architecture; the package depends on the packages of its shared libraries."""
        version = output(REACHD, "--version").split()[-1]
        self.assertEqual(self.package.name, f"reachd_{version}-1_{ARCHITECTURE}.deb")
        self.assertEqual((self.field("Package"), self.field("Architecture")), ("reachd", ARCHITECTURE))
        depends = self.field("Depends")
        for library in ("libc6", "libcurl4", "libgnutls30", "libmicrohttpd12", "libpq5", "libsqlite3-0", "libssl3", "libyaml-0-2", "libc-ares2"):
            self.assertRegex(depends, rf"\b{library}\b")
        self.assertNotIn("-dev", depends)

    def test_files(self):
        """All files are in place and owned by root; the configuration is the only conffile."""
        listing = {}
        for line in output("dpkg-deb", "-c", self.package).splitlines():
            words = line.split()
            listing[words[5].removeprefix(".")] = words
        for path in (
            "/usr/bin/reachd",
            "/etc/reachd/reachd.yaml",
            "/lib/systemd/system/reachd.service",
            "/lib/systemd/system/reachd.socket",
            "/usr/share/bash-completion/completions/reachd",
            "/usr/share/zsh/vendor-completions/_reachd",
            "/usr/share/fish/vendor_completions.d/reachd.fish",
            "/usr/share/doc/reachd/copyright",
            "/usr/share/doc/reachd/changelog.gz",
            "/usr/share/doc/reachd/changelog.Debian.gz",
            "/usr/share/doc/reachd/examples/compose/compose.yaml",
            "/usr/share/doc/reachd/examples/kubernetes/deployment.yaml",
        ):
            self.assertIn(path, listing)
        if (PROJECT / "docs/man/reachd.1").exists():
            self.assertIn("/usr/share/man/man1/reachd.1.gz", listing)
        self.assertEqual({words[1] for words in listing.values()}, {"root/root"})
        self.assertFalse([path for path, words in listing.items() if re.search("[sStT]", words[0]) or words[0][8] == "w" != words[0][0]])
        with tempfile.TemporaryDirectory() as folder:
            run("dpkg-deb", "-R", self.package, folder)
            control = pathlib.Path(folder, "DEBIAN")
            self.assertEqual((control / "conffiles").read_text().split(), ["/etc/reachd/reachd.yaml"])
            for script in ("postinst", "postrm", "prerm"):
                run("sh", "-n", control / script)
            run("bash", "-n", pathlib.Path(folder, "usr/share/bash-completion/completions/reachd"))

    @unittest.skipUnless(IS_RELEASE, "needs a release build")
    def test_lintian(self):
        """lintian finds neither errors nor warnings."""
        said = run("lintian", "--no-cfg", "--pedantic", "--allow-root", self.package, check=False).stdout
        found = [line for line in said.splitlines() if re.match("[EW]: ", line)]
        if not (PROJECT / "docs/man/reachd.1").exists():
            found = [line for line in found if "no-manual-page" not in line]
        self.assertEqual(found, [])

    @unittest.skipUnless(IS_RELEASE, "needs a release build, to save time")
    def test_reproducible(self):
        """The package is reproducible."""
        with tempfile.TemporaryDirectory() as another:
            self.assertEqual(package(another).read_bytes(), self.package.read_bytes())


@unittest.skipUnless(IS_RELEASE, "needs a release build")
class Machine(unittest.TestCase):
    """The package in a fresh Debian of this release."""

    # Files that the package manager and a running system write.
    OTHERS = re.compile(
        r"^/(proc|sys|dev|run|tmp)(/|$)|^/var/(log|cache|tmp|lib/(dpkg|apt|systemd))(/|$)|^/etc/(machine-id|resolv.conf|ld.so.cache|"
        r"hostname|\.updated|systemd/system/default.target.wants)|^/var/\.updated$|^/root/"
    )

    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="reachd-machine-"))
        cls.addClassCleanup(shutil.rmtree, cls.work, ignore_errors=True)
        cls.first, cls.second = made, later(made)
        depends = output("dpkg-deb", "-f", cls.first, "Depends")
        libraries = ",".join(sorted({word.split()[0] for word in re.split("[,|]", depends)}))
        codename = re.search("VERSION_CODENAME=(.*)", pathlib.Path("/etc/os-release").read_text())[1]
        cls.archive = CACHE / f"{codename}-{ARCHITECTURE}.tar"
        record = CACHE / f"{codename}-{ARCHITECTURE}.packages"
        if not (cls.archive.exists() and record.exists() and record.read_text() == libraries):
            run("mmdebstrap", "--variant=minbase", f"--include=systemd,systemd-sysv,dbus,{libraries}", codename, cls.archive, timeout=280)
            record.write_text(libraries)

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        run("tar", "-C", self.root, "-xf", self.archive)
        for name, file in (("first.deb", self.first), ("second.deb", self.second)):
            shutil.copy(file, self.root / "opt" / name)
        self.before = self.files()

    def files(self):
        """Every file and folder of the machine, except those that other programs write."""
        found = set()
        for folder, folders, files in os.walk(self.root):
            place = "/" + os.path.relpath(folder, self.root).removeprefix(".")
            place = place.rstrip("/")
            found |= {f"{place}/{name}" for name in files + folders if not self.OTHERS.match(f"{place}/{name}")}
        return found

    def test_without_systemd(self):
        """In a chroot without systemd: installed, run, removed and purged, and nothing is left."""

        def inside(*command):
            script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
            return output("unshare", "--mount", "sh", "-c", script, self.root, *command, timeout=60,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"})  # fmt: skip

        inside("dpkg", "-i", "/opt/first.deb")
        self.assertTrue((self.root / "etc/systemd/system/multi-user.target.wants/reachd.service").is_symlink())
        self.assertIn("valid", inside("reachd", "validate", "/etc/reachd/reachd.yaml"))
        inside("dpkg", "-r", "reachd")
        self.assertTrue((self.root / "etc/reachd/reachd.yaml").exists())
        inside("dpkg", "-P", "reachd")
        self.assertEqual(self.files() - self.before, set())
        self.assertEqual(self.before - self.files(), set())

    def boot(self):
        """Boots the machine in separate namespaces, and returns them."""
        log = open(self.work / "console", "w")
        self.nspawn = subprocess.Popen(
            ["systemd-nspawn", "--register=no", "--keep-unit", "--quiet", "--boot", "--private-network",
             "--console=read-only", "--link-journal=no", "-M", f"reachd-box-{os.getpid()}", "-D", str(self.root)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
        self.addCleanup(log.close)
        self.addCleanup(self.halt)
        self.init = int(eventually("an init", lambda: output("pgrep", "-P", self.nspawn.pid)).split()[0])
        eventually("a booted machine", lambda: self.inside("systemctl", "is-system-running", check=False).strip() == "running")

    def halt(self):
        if self.nspawn.poll() is None:
            # The signal for systemd to power off.
            os.kill(self.init, signal.SIGRTMIN + 4)
            try:
                self.nspawn.wait(30)
            except subprocess.TimeoutExpired:
                self.nspawn.kill()
                self.nspawn.wait()

    def inside(self, *command, **options):
        """Runs a command in the machine."""
        return output("nsenter", "-t", self.init, "-m", "-u", "-i", "-n", "-p", "-C", *command,
                      env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}, **options)  # fmt: skip

    def property(self, name):
        return self.inside("systemctl", "show", "--value", "-p", name, "reachd.service").strip()

    def get(self, path):
        return Namespaces(self.init).get(path)

    def drop_in(self, unit, text):
        folder = self.root / f"etc/systemd/system/{unit}.d"
        folder.mkdir(exist_ok=True)
        (folder / "test.conf").write_text(text)
        self.inside("systemctl", "daemon-reload")

    def service_process(self):
        """The process id of the service on this machine."""
        return int(eventually("a process", lambda: next(
            folder.name for folder in pathlib.Path("/proc").glob("[0-9]*")
            if self.is_service(folder)
        )))  # fmt: skip

    def is_service(self, folder):
        try:
            same = os.readlink(folder / "ns/uts") == os.readlink(f"/proc/{self.init}/ns/uts") or os.readlink(
                folder / "ns/net"
            ) == os.readlink(f"/proc/{self.init}/ns/net")
            return same and (folder / "comm").read_text().strip() == "reachd" and b"serve" in (folder / "cmdline").read_bytes()
        except OSError:
            return False

    def test_with_systemd(self):
        """With systemd: hardening, watchdog, socket activation, upgrade, removal and purge."""
        self.boot()
        self.before = self.files()
        self.inside("dpkg", "-i", "/opt/first.deb")
        self.assertEqual(self.inside("systemctl", "is-active", "reachd.service").strip(), "active")
        self.assertEqual(self.inside("systemctl", "is-enabled", "reachd.service").strip(), "enabled")
        self.assertEqual(self.inside("systemctl", "is-enabled", "reachd.socket", check=False).strip(), "disabled")
        self.assertIn("watching", self.property("StatusText"))
        self.assertEqual(self.property("WatchdogUSec"), "30s")
        self.inside("reachd", "healthcheck")
        self.assertEqual(self.get("/status")["history"]["state"], "ok")

        # Privileges.
        status = Namespaces(self.service_process()).status()
        self.assertNotEqual(status["Uid"].split()[0], "0")
        for capabilities in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[capabilities], 16), 0)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        self.assertTrue((self.root / "var/lib/private/reachd/reachd.db").exists())

        # The system call filter permits the kernel's events and a probe.
        for words in ("link add eth0 type veth peer name far0", "address add 192.0.2.2/24 dev eth0", "link set far0 up", "link set eth0 up", "route add default via 192.0.2.1"):
            output("nsenter", "-t", self.init, "-n", "ip", *words.split())
        eventually("the new route", lambda: any(t["state"] == "up" for t in self.get("/targets")["targets"] if t["kind"] == "default"))

        # A changed configuration, and a faulty one.
        file = self.root / "etc/reachd/reachd.yaml"
        shipped = file.read_text()
        mine = "# mine\ntargets:\n  - { id: self, address: 127.0.0.1, probe: { type: tcp, port: 7532, interval: 1s } }\n"
        file.write_text(mine)
        self.inside("systemctl", "reload", "reachd")
        eventually("a probed target", lambda: self.get("/targets/self")["state"] == "up")
        file.write_text("tragets: []\n")
        self.inside("systemctl", "restart", "reachd", check=False)
        # Longer than systemd waits before a restart.
        time.sleep(3)
        told = self.inside("systemctl", "show", "reachd", "-p", "ExecMainStatus,NRestarts,ActiveState")
        self.assertEqual(set(told.split()), {"ExecMainStatus=78", "NRestarts=0", "ActiveState=failed"})
        file.write_text(mine)
        self.inside("systemctl", "restart", "reachd")

        # A secret that only the service can read.
        (self.root / "etc/reachd/token").write_text("hush-hush-hush-hush-hush-hush-hush\n")
        (self.root / "etc/reachd/token").chmod(0o600)
        file.write_text(mine + "access: { tokens: [ { name: me, token_file: '${CREDENTIALS_DIRECTORY}/token', scopes: [ read ] } ] }\n")
        self.drop_in("reachd.service", "[Service]\nLoadCredential=token:/etc/reachd/token\n")
        self.inside("systemctl", "restart", "reachd")
        self.assertEqual(self.get("/status")["status"], 401)
        (self.root / "etc/reachd/token").unlink()
        file.write_text(mine)

        # The watchdog restarts a service that hangs.
        self.drop_in("reachd.service", "[Service]\nWatchdogSec=2s\n")
        self.inside("systemctl", "restart", "reachd")
        epoch = self.get("/status")["epoch"]
        time.sleep(3)
        self.assertEqual(self.property("NRestarts"), "0")
        os.kill(self.service_process(), signal.SIGSTOP)
        eventually("a restart by the watchdog", lambda: self.property("NRestarts") == "1" and self.property("ActiveState") == "active")
        eventually("a service", lambda: self.get("/livez"))
        self.assertEqual(self.get("/status")["epoch"], epoch)

        # The socket.
        self.drop_in("reachd.service", "[Service]\nEnvironment=REACHD_LISTEN=systemd\n")
        self.inside("systemctl", "stop", "reachd.service")
        self.inside("systemctl", "enable", "--now", "reachd.socket")
        self.assertEqual(self.inside("systemctl", "is-active", "reachd.service", check=False).strip(), "inactive")
        self.assertEqual(self.get("/livez")["status"], "ok")
        # The service responds before it is ready.
        eventually("an active service", lambda: self.property("ActiveState") == "active")
        eventually("the targets", lambda: self.get("/targets/self")["id"])
        # No client is refused during a restart.
        process = self.service_process()
        os.kill(process, signal.SIGKILL)
        eventually("its end", lambda: not pathlib.Path(f"/proc/{process}").exists())
        self.assertEqual(self.get("/livez")["status"], "ok")
        eventually("an active service", lambda: self.property("ActiveState") == "active")
        shutil.rmtree(self.root / "etc/systemd/system/reachd.service.d")
        self.inside("systemctl", "disable", "--now", "reachd.socket")
        self.inside("systemctl", "daemon-reload")
        self.inside("systemctl", "restart", "reachd.service")

        # An upgrade: another process, the same configuration and log.
        process = self.property("MainPID")
        self.inside("dpkg", "-i", "/opt/second.deb")
        self.assertEqual(self.inside("systemctl", "is-active", "reachd.service").strip(), "active")
        self.assertNotEqual(self.property("MainPID"), process)
        self.assertEqual(file.read_text(), mine)
        self.assertEqual(self.get("/status")["epoch"], epoch)
        eventually("the targets", lambda: self.get("/targets/self")["id"])

        # Removed: the changed configuration and the log stay. Installed again, they are there.
        self.inside("dpkg", "-r", "reachd")
        self.assertEqual(self.inside("systemctl", "is-active", "reachd.service", check=False).strip(), "inactive")
        self.assertEqual(file.read_text(), mine)
        self.assertTrue((self.root / "var/lib/private/reachd/reachd.db").exists())
        self.inside("dpkg", "-i", "/opt/second.deb")
        self.assertEqual(self.get("/status")["epoch"], epoch)
        self.assertNotEqual(shipped, mine)

        # Removed while the socket is enabled, and purged: nothing is left.
        self.inside("systemctl", "enable", "reachd.socket")
        self.inside("dpkg", "-P", "reachd")
        self.assertIn("could not be found", self.inside("systemctl", "status", "reachd.service", check=False))
        self.assertEqual(self.files() - self.before, set())
        self.assertEqual(self.inside("systemctl", "--failed", "--no-legend", "--plain").strip(), "")
        print(f"\nsystemd {json.dumps(self.inside('systemctl', '--version').split()[1])}: booted, installed, watched, activated, upgraded, purged")
        self.halt()
