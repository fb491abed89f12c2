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
        self.interface, self.second_interface = f"uplink{number}", f"second{number}"
        run("ip", "netns", "add", name)
        for link, network in ((self.interface, "10.1"), (self.second_interface, "10.2")):
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
    """Rules for packets that arrive here, and for those that leave."""

    def __init__(self, table, arriving=(), leaving=()):
        self.table = table
        commands = [f"add table inet {table}"]
        for chain, hook, rules in (("arriving", "input", arriving), ("leaving", "output", leaving)):
            commands.append(f"add chain inet {table} {chain} {{ type filter hook {hook} priority 0; }}")
            commands += [f"add rule inet {table} {chain} {rule}" for rule in rules]
        run("nft", "; ".join(commands))

    def repair(self):
        run("nft", f"delete table inet {self.table}")


class LossyDatabase(Rules):
    """Drops a part of all packets to and from the database's port."""

    def __init__(self, percent):
        drop = f"numgen random mod 100 < {percent} drop"
        super().__init__("loss", [f"tcp dport 5432 {drop}", f"tcp sport 5432 {drop}"])


class Drop(Rules):
    """Drops what a location sends to addresses."""

    def __init__(self, interface, addresses):
        super().__init__("carrier", [f"iifname {interface} ip daddr {addresses} drop"])


#: The directions of a partition, as the node that is cut off sees them: what it sends is dropped, or what it would receive.
DIRECTIONS = ("both", "sent", "received")


class Partition(Rules):
    """Drops all packets of some links, in one direction or in both."""

    def __init__(self, interfaces, direction="both"):
        names = f"{{ {', '.join(interfaces)} }}"
        super().__init__("partition", [f"iifname {names} drop"] if direction != "received" else [],
                         [f"oifname {names} drop"] if direction != "sent" else [])


class DatabasePartition(Rules):
    """Drops the packets between the database and the nodes that know it by an address of their own."""

    def __init__(self, addresses, direction="both"):
        names = f"{{ {', '.join(addresses)} }}"
        super().__init__("partition", [f"ip daddr {names} tcp dport 5432 drop"] if direction != "received" else [],
                         [f"ip saddr {names} tcp sport 5432 drop"] if direction != "sent" else [])
