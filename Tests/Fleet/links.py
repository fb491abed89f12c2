# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Locations as network namespaces, whose links to this one are cut."""
import subprocess


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


class Location:
    """A namespace with an uplink to this one and a second link, which only the database uses."""

    def __init__(self, name, number):
        self.name = name
        #: This namespace's addresses, as the location reaches them by its uplink and by its second link.
        self.uplink, self.second = f"10.1.{number}.1", f"10.2.{number}.1"
        self.interface = f"uplink{number}"
        run("ip", "netns", "add", name)
        for link, network in ((self.interface, "10.1"), (f"second{number}", "10.2")):
            run("ip", "link", "add", link, "type", "veth", "peer", "name", link, "netns", name)
            run("ip", "address", "add", f"{network}.{number}.1/30", "dev", link)
            run("ip", "link", "set", link, "up")
            run("ip", "-n", name, "address", "add", f"{network}.{number}.2/30", "dev", link)
            run("ip", "-n", name, "link", "set", link, "up")
        self.address = f"10.2.{number}.2"
        run("ip", "-n", name, "link", "set", "lo", "up")
        run("ip", "-n", name, "route", "add", "default", "via", self.uplink)

    @property
    def prefix(self):
        return ["ip", "netns", "exec", self.name]

    def cut(self):
        run("ip", "link", "set", self.interface, "down")

    def repair(self):
        run("ip", "link", "set", self.interface, "up")


def accept_everywhere(network):
    """This namespace answers for all addresses of a network."""
    run("ip", "route", "add", "local", network, "dev", "lo")


class Rules:
    """Rules for packets that arrive here."""

    def __init__(self, table, *rules):
        self.table = table
        run("nft", f"add table inet {table}; add chain inet {table} in {{ type filter hook input priority 0; }}; "
            + "; ".join(f"add rule inet {table} in {rule}" for rule in rules))

    def repair(self):
        run("nft", f"delete table inet {self.table}")


class LossyDatabase(Rules):
    """Drops a part of all packets to and from the database's port."""

    def __init__(self, percent):
        drop = f"numgen random mod 100 < {percent} drop"
        super().__init__("loss", f"tcp dport 5432 {drop}", f"tcp sport 5432 {drop}")


class Drop(Rules):
    """Drops what a location sends to addresses."""

    def __init__(self, interface, addresses):
        super().__init__("carrier", f"iifname {interface} ip daddr {addresses} drop")
