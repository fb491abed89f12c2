# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Shared by the tests of the packages."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
# The program in the packages: a release build with --all, else the debug build.
REACHD = pathlib.Path(os.environ["REACHD"])
# The cache of large files.
CACHE = pathlib.Path(os.environ["BOX_CACHE"])


def run(*command, check=True, timeout=240, **options):
    """Runs a command; a failure shows its output."""
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, **options
    )
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")
    return done


def output(*command, **options):
    return run(*command, **options).stdout


def eventually(what, condition, limit=30):
    """Waits until a condition is true, and returns its value."""
    end = time.monotonic() + limit
    while True:
        try:
            if value := condition():
                return value
            last = "it was not so"
        except (AssertionError, OSError, ValueError, KeyError) as error:
            last = error
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not in {limit} s: {last}")
        time.sleep(0.1)


class Namespaces:
    """The namespaces of a process."""

    def __init__(self, pid):
        self.pid = pid

    def output(self, *command, kinds=("-n",), **options):
        return output("nsenter", "-t", self.pid, *kinds, *command, **options)

    def get(self, path, port=7532):
        """Returns a response of the service in the namespaces."""
        return json.loads(self.output("curl", "-sS", "--max-time", "5", f"http://127.0.0.1:{port}{path}"))

    def status(self):
        """/proc/PID/status of the process."""
        lines = pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


class Engine:
    """podman with separate storage."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        # podman requests more than this machine permits.
        ulimits = json.dumps(["nofile=4096:4096", "nproc=4096:4096"])
        configuration = self.folder / "containers.conf"
        configuration.write_text(
            f'[containers]\ndefault_ulimits = {ulimits}\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'
        )
        os.environ["CONTAINERS_CONF"] = str(configuration)

    def command(self, *words):
        places = ("--root", self.folder / "storage", "--runroot", self.folder / "run", "--tmpdir", self.folder / "tmp")
        return ["podman", *map(str, places), *map(str, words)]

    def __call__(self, *words, **options):
        return output(*self.command(*words), **options)


class Root:
    """A fresh root folder of a release of Debian: minbase, ca-certificates and curl. Commands run in it as root."""

    def __init__(self, folder, suite):
        """Creates the folder. The packages come from a mirror the first time; later the archive in the cache is unpacked."""
        self.folder = pathlib.Path(folder)
        archive = CACHE / f"fresh-{suite}-{output('dpkg', '--print-architecture').strip()}.tar"
        if not archive.exists():
            run("mmdebstrap", "--quiet", "--format=tar", "--variant=minbase", "--include=ca-certificates,curl", "--aptopt=Acquire::Check-Valid-Until \"false\"",
                suite, f"{archive}.new", *filter(None, [os.environ.get("DEBIAN_MIRROR")]), timeout=580)  # fmt: skip
            os.rename(f"{archive}.new", archive)
        self.folder.mkdir()
        run("tar", "-C", self.folder, "-x", "-f", archive, "--exclude=./dev/*")
        shutil.copy("/etc/resolv.conf", self.folder / "etc/resolv.conf")

    def words(self, *command, offline=False):
        """The command that runs another one in the folder, without a network but loopback if `offline`."""
        script = 'for place in proc sys dev; do mount --rbind "/$place" "$0/$place"; done; mount -t tmpfs tmpfs "$0/run"; '
        if offline:
            script += "ip link set lo up; "
        clean = ("env", "-i", "HOME=/root", "LANG=C.UTF-8", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        spaces = ("--mount", *(("--net",) if offline else ()))
        return ["unshare", *spaces, "sh", "-e", "-c", script + 'exec chroot "$0" "$@"', str(self.folder), *clean, *map(str, command)]

    def run(self, *command, **options):
        return run(*self.words(*command), **options).stdout

    def files(self):
        """Every file and folder, except those of the package manager, of the shared folders and of logs."""
        others = re.compile(
            r"(proc|sys|dev|run|tmp)(/|$)|var/(log|cache|lib/(dpkg|apt|systemd))(/|$)|etc/(machine-id|resolv.conf|ld.so.cache)$|root/"
        )
        found = set()
        for folder, folders, files in os.walk(self.folder):
            place = os.path.relpath(folder, self.folder)
            found |= {os.path.normpath(f"{place}/{name}") for name in folders + files}
        return {name for name in found if not others.match(name)}
