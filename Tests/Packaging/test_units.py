# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The systemd units, checked with systemd's tools."""

import configparser
import pathlib
import re
import tempfile
import unittest

from support import PROJECT, REACHD, output, run

# The maximum exposure level of systemd-analyze security, from 0 (safe) to 10 (unsafe).
EXPOSURE = 1.5


class Units(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ("reachd.service", "reachd.socket"):
            text = (PROJECT / "config" / name).read_text().replace("/usr/bin/reachd", str(REACHD))
            (pathlib.Path(self.folder.name) / name).write_text(text)
        self.service = pathlib.Path(self.folder.name) / "reachd.service"

    def test_verify(self):
        """systemd-analyze verify finds no fault."""
        for name in ("reachd.service", "reachd.socket"):
            said = output("systemd-analyze", "verify", "--man=no", self.service.parent / name)
            self.assertEqual([line for line in said.splitlines() if "reachd" in line], [])

    def test_security(self):
        """systemd-analyze security finds little exposure."""
        report = run("systemd-analyze", "security", "--offline=true", "--no-pager", self.service).stdout
        score = float(re.search(r"Overall exposure level for reachd.service: ([0-9.]+)", report)[1])
        print(f"\nsystemd-analyze security: exposure {score} (bound {EXPOSURE})", flush=True)
        self.assertLessEqual(score, EXPOSURE)

    def test_promises(self):
        """The unit has the settings that the documents state."""
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str
        parser.read(PROJECT / "config/reachd.service")
        service = parser["Service"]
        self.assertEqual(service["Type"], "notify")
        self.assertEqual(service["WatchdogSec"], "30s")
        for key in ("DynamicUser", "NoNewPrivileges", "MemoryDenyWriteExecute", "RestrictNamespaces"):
            self.assertEqual(service[key], "yes", key)
        self.assertEqual(service["StateDirectory"], "reachd")
        self.assertEqual(service["AmbientCapabilities"], "")
        self.assertIn("AF_NETLINK", service["RestrictAddressFamilies"])
        parser.read(PROJECT / "config/reachd.socket")
        self.assertEqual(parser["Socket"]["ListenStream"], "127.0.0.1:7532")
