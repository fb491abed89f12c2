# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Routers and hosts as network namespaces, with reachd in the namespace of this process.

    here - r1 - r2 - r3 - hosts            up to 200 addresses in four networks
     |     |  \\  |  \\   |
     |   near1  r2b  near2                 hosts behind r1 only, and behind r2 only; r2b is a second path from r1 to r3
     +--- b1 ---+                          a second uplink
"""
import subprocess
import sys

#: Each link: number, the end nearer to reachd, the farther end. Its networks and addresses have the number.
LINKS = {1: ("here", "r1"), 2: ("r1", "r2"), 3: ("r2", "r3"), 9: ("r1", "near1"), 10: ("r2", "near2")}
SECOND_UPLINK = {4: ("here", "b1"), 5: ("b1", "r2")}
EQUAL_PATH = {6: ("r1", "r2b"), 7: ("r2b", "r3")}

#: Settings of each namespace. The rates of ICMP errors are the kernel's defaults, as on real routers.
SETTINGS = """
for set in all default; do
    echo 0 >/proc/sys/net/ipv4/conf/$set/rp_filter
    echo 0 >/proc/sys/net/ipv6/conf/$set/accept_dad
    echo 1 >/proc/sys/net/ipv6/conf/$set/keep_addr_on_down
done
echo 1 >/proc/sys/net/ipv4/fib_multipath_hash_policy
echo 1 >/proc/sys/net/ipv6/fib_multipath_hash_policy
"""
FORWARDING = "echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding"

PORT = 80


def run(*words, text=None):
    result = subprocess.run(words, input=text, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(f"{' '.join(words)}: {result.stderr.strip()}")


class Network:
    def __init__(self, family, count, has_second_uplink=False, has_equal_paths=False):
        self.family, self.count = family, count
        self.links = LINKS | (SECOND_UPLINK if has_second_uplink else {}) | (EQUAL_PATH if has_equal_paths else {})
        self.names = {name for ends in self.links.values() for name in ends} | {"hosts"}
        self.listeners = []
        #: The addresses behind r3, each network in turn, and those of the others by the router that they are behind.
        self.hosts = [self.host(1 + index % 4, 10 + index // 4) for index in range(count)]
        self.near = {"r1": [self.link_address(9, 2)], "r2": [self.link_address(10, 2)]}
        for name in sorted(self.names):
            if name == "here":
                run("sh", "-c", SETTINGS)
            else:
                run("ip", "netns", "add", name)
                self.shell(name, SETTINGS + (FORWARDING if name[0] in "rb" else ""))
                self.ip(name, "link set lo up")
        for number, ends in self.links.items():
            self.connect(number, *ends)
        self.connect_hosts()
        self.add_routes(has_second_uplink, has_equal_paths)
        for name in ("hosts", "near1", "near2"):
            self.listeners.append(subprocess.Popen(["ip", "netns", "exec", name, sys.executable, "-B",
                                                    f"{sys.path[0]}/listener.py", str(PORT)]))

    # Addresses

    def link_address(self, number, end):
        """The address of a link's nearer (1) or farther (2) end."""
        return f"10.9.{number}.{end}" if self.family == 4 else f"2001:db8:9:{number}::{end}"

    def link_network(self, number):
        return f"10.9.{number}.0/24" if self.family == 4 else f"2001:db8:9:{number}::/64"

    def host(self, network, number):
        return f"10.80.{network}.{number}" if self.family == 4 else f"2001:db8:80{network}::{number}"

    @property
    def host_networks(self):
        return [f"10.80.{number}.0/24" if self.family == 4 else f"2001:db8:80{number}::/64" for number in range(1, 5)]

    def addresses(self, router):
        """A router's addresses, any of which may be the source of its ICMP errors."""
        return [self.link_address(number, side) for number, ends in self.links.items() for side in (1, 2) if ends[side - 1] == router]

    # Links and routes

    def ip(self, name, *commands):
        """Runs commands of ip(8) in a namespace."""
        where = [] if name == "here" else ["-n", name]
        run("ip", *where, f"-{self.family}", "-batch", "-", text="\n".join(commands))

    def interface(self, name, other):
        if name == "here":
            return "eth1" if other == "b1" else "eth0"
        return f"to-{other}"

    def connect(self, number, *ends):
        places = [[self.interface(end, other)] + ([] if end == "here" else ["netns", end]) for end, other in (ends, ends[::-1])]
        run("ip", "link", "add", *places[0], "type", "veth", "peer", "name", *places[1])
        length = 24 if self.family == 4 else 64
        for end, other, side in ((ends[0], ends[1], 1), (ends[1], ends[0], 2)):
            device = self.interface(end, other)
            self.ip(end, f"address add {self.link_address(number, side)}/{length} dev {device}", f"link set {device} up")

    def connect_hosts(self):
        """The hosts are addresses without a network of their own, so that each can be removed alone."""
        run("ip", "link", "add", "to-hosts", "netns", "r3", "type", "veth", "peer", "name", "to-r3", "netns", "hosts")
        router, host = ("10.80.0.1/24", "10.80.0.2/24") if self.family == 4 else ("2001:db8:80::1/64", "2001:db8:80::2/64")
        self.ip("r3", f"address add {router} dev to-hosts", "link set to-hosts up",
                *[f"route add {network} dev to-hosts" for network in self.host_networks])
        self.ip("hosts", f"address add {host} dev to-r3", "link set to-r3 up",
                *[f"address add {address} dev to-r3" for address in self.hosts],
                f"route add default via {router.split('/')[0]}")

    def add_routes(self, has_second_uplink, has_equal_paths):
        end = self.link_address
        self.ip("here", f"route add default via {end(1, 2)} metric 100")
        hosts = f"nexthop via {end(2, 2)} nexthop via {end(6, 2)}" if has_equal_paths else f"via {end(2, 2)}"
        self.ip("r1", *[f"route add {network} {hosts}" for network in self.host_networks],
                *[f"route add {self.link_network(number)} via {end(2, 2)}" for number in (3, 10)])
        self.ip("r2", *self.routes_of_r2, *[f"route add {self.link_network(number)} via {end(2, 1)}" for number in (1, 9)])
        self.ip("r3", self.default_of_r3)
        for name, number in (("near1", 9), ("near2", 10)):
            self.ip(name, f"route add default via {end(number, 1)}")
        if has_equal_paths:
            self.ip("r2b", *[f"route add {network} via {end(7, 2)}" for network in self.host_networks],
                    f"route add {self.link_network(1)} via {end(6, 1)}")
        if has_second_uplink:
            self.ip("here", f"route add default via {end(4, 2)} metric 200")
            self.ip("b1", f"route add default via {end(5, 2)}")
            self.ip("r2", f"route add {self.link_network(4)} via {end(5, 1)}")
            self.ip("r1", f"route add {self.link_network(4)} via {end(2, 2)}")

    @property
    def routes_of_r2(self):
        return [f"route add {network} via {self.link_address(3, 2)}" for network in self.host_networks]

    @property
    def default_of_r3(self):
        return f"route replace default via {self.link_address(3, 1)}"

    # Packets

    def rules(self, name, *rules):
        """Rules for the packets that a namespace forwards; `accept_all` removes them."""
        self.nft(name, "add table inet fault", "add chain inet fault rules { type filter hook forward priority 0; }",
                 *[f"add rule inet fault rules {rule}" for rule in rules])

    def accept_all(self, name):
        self.nft(name, "delete table inet fault")

    def shell(self, name, script):
        run("ip", "netns", "exec", name, "sh", "-c", script)

    def nft(self, name, *commands):
        run(*([] if name == "here" else ["ip", "netns", "exec", name]), "nft", "; ".join(commands))

    def to_hosts(self, field="daddr"):
        """The expression for packets to the hosts, or from them."""
        return f"{'ip' if self.family == 4 else 'ip6'} {field} {{ {', '.join(self.host_networks)} }}"

    def reports(self):
        """How many ICMP errors "destination unreachable" have arrived here."""
        if self.family == 6:
            with open("/proc/self/net/snmp6") as file:
                return next(int(line.split()[1]) for line in file if line.startswith("Icmp6InDestUnreachs"))
        with open("/proc/self/net/snmp") as file:
            names, values = (line.split() for line in file if line.startswith("Icmp:"))
        return int(values[names.index("InDestUnreachs")])

    @staticmethod
    def sent():
        """How many packets this machine has sent by its uplinks."""
        with open("/proc/self/net/dev") as file:
            rows = [line.replace(":", " ").split() for line in file]
        return sum(int(row[10]) for row in rows if row[0] in ("eth0", "eth1"))

    def close(self):
        for process in self.listeners:
            process.kill()
            process.wait()
