# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""What breaks in a network, and what reachd should say of it."""
import dataclasses
import time
import typing


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault, how it ends, and the wanted result. Ranges are the least and the greatest number."""

    begin: typing.Callable
    end: typing.Callable
    #: Words of which the incident's title or subject must have one: the element at fault, or the neighbour that observations
    #: cannot tell from it.
    names: typing.Callable
    #: The targets that fail: all `hosts` behind r3, `all` with those behind nearer routers, or the `first` host.
    affected: str = "hosts"
    #: Their state and cause, and the incident's severity.
    state: str = "unreachable (path)"
    severity: str = "unreachable"
    incidents: tuple = (1, 1)
    #: Messages until the fault ends, and in all.
    messages: tuple = (1, 1)
    total: tuple = (2, 2)
    critical: tuple = (0, 0)
    #: How many targets show it: fewer leave more than one explanation.
    least: int = 1
    #: How long the fault lasts at least, in seconds.
    lasts: float = 0
    #: What happens once the verdicts have settled: `restart` or `again`.
    then: str = ""
    #: Whether each of them must fail: some are only lossy, or back before the verdict.
    is_certain: bool = True
    network: dict = dataclasses.field(default_factory=dict)


def around(*routers):
    """The words of an incident that name one of some routers."""
    return lambda network: [address for router in routers for address in network.addresses(router)]


def forward(router, rule):
    """A rule for what a router forwards; its end accepts all again."""
    return {"begin": lambda network: network.rules(router, rule(network)), "end": lambda network: network.accept_all(router)}


def dropped(**more):
    return Fault(**forward("r2", lambda network: f"{network.to_hosts()} drop"), names=around("r2", "r3"), **more)


def remove_routes(network):
    network.ip("r2", *[command.replace("add", "del") for command in network.routes_of_r2])


def mend_link(network):
    network.ip("r3", "link set to-r2 up", network.default_of_r3)


def circulate(network):
    network.ip("r3", *[f"route del {to} dev to-hosts" for to in network.host_networks],
               *[f"route add {to} via {network.link_address(3, 1)}" for to in network.host_networks])


def straighten(network):
    network.ip("r3", *[f"route del {to} via {network.link_address(3, 1)}" for to in network.host_networks],
               *[f"route add {to} dev to-hosts" for to in network.host_networks])


def remove_host(network):
    network.ip("hosts", f"address del {network.hosts[0]}/{32 if network.family == 4 else 128} dev to-r3")


def find_soon(router, device):
    """Has a router give up after 0.3 s to find a neighbour, so that its report is there before a probe's timeout."""
    def change(network):
        network.shell(router, f"echo 100 >/proc/sys/net/ipv{network.family}/neigh/{device}/retrans_time_ms")
        network.ip(router, f"neighbour flush dev {device}")
    return change


def both(*steps):
    return lambda network: [step(network) for step in steps]


def return_with_loss(network):
    """The link is back, and the first packets are lost for a second, as by an ARP queue, spanning tree or a late firewall."""
    network.rules("r1", "drop")
    network.ip("r1", "link set to-here up")
    time.sleep(1)
    network.accept_all("r1")


def change_gateway(network):
    """The first gateway dies: it answers neither ARP nor anything else. Its route is withdrawn when targets have failed for it."""
    network.nft("r1", "add table arp fault", "add chain arp fault rules { type filter hook input priority 0; policy drop; }",
                "add table inet fault",
                "add chain inet fault received { type filter hook prerouting priority -300; }",
                "add rule inet fault received iifname to-here drop",
                "add chain inet fault sent { type filter hook postrouting priority 0; }", "add rule inet fault sent oifname to-here drop")
    time.sleep(8)
    network.ip("here", f"route del default via {network.link_address(1, 2)}")


def cut_link(*more):
    return Fault(begin=both(lambda network: network.ip("r3", "link set to-r2 down"), *more), end=mend_link, names=around("r2", "r3"),
                 lasts=12)


def dead_host(*more):
    return Fault(begin=both(remove_host, *more), end=lambda network: network.ip("hosts", f"address add {network.hosts[0]} dev to-r3"),
                 names=lambda network: ["t1 ", network.hosts[0]], affected="first", state="down (target)", severity="down",
                 critical=(1, 1), lasts=20)


FAULTS = {
    "drop": dropped(),
    "reject": Fault(**forward("r2", lambda network: f"{network.to_hosts()} reject with icmpx admin-prohibited"), names=around("r2")),
    "no-route": Fault(begin=remove_routes, end=lambda network: network.ip("r2", *network.routes_of_r2), names=around("r2")),
    # r2 sees no carrier: its ARP fails, and it reports "host unreachable" of what it should forward. At its usual rate that takes
    # longer than a fast probe.
    "dead-link": cut_link(),
    "dead-link-reported": cut_link(find_soon("r2", "to-r3")),
    "loop": Fault(begin=circulate, end=straighten, names=around("r2", "r3")),
    # r3 sends to the host in vain until the neighbour expires; then its ARP fails, and it reports "host unreachable".
    "dead-host": dead_host(),
    "dead-host-reported": dead_host(find_soon("r3", "to-hosts")),
    "way-back": Fault(**forward("r2", lambda network: "iifname to-r3 drop"), names=around("r2", "r3")),
    # r3 still answers traces: as far as this machine can see, packets end behind r3, and a host alone may be dead.
    "answers-lost": Fault(**forward("r2", lambda network: f"{network.to_hosts('saddr')} drop"), names=around("r2", "r3"), least=2),
    "equal-paths": Fault(**forward("r2b", lambda network: f"{network.to_hosts()} drop"), names=around("r1", "r2", "r2b", "r3"),
                         incidents=(0, 1), messages=(0, 6), total=(0, 6), is_certain=False, lasts=25, network={"has_equal_paths": True}),
    "restart": dropped(then="restart"),
    "own-link": Fault(begin=lambda network: network.ip("r1", "link set to-here down"), end=return_with_loss,
                      names=lambda network: ["eth0"], affected="all", state="unreachable (local_network)"),
    # The kernel reports nothing of a connection whose packets it drops; the gateway answers echo requests.
    "own-firewall": Fault(begin=lambda network: network.nft("here", "add table inet fault",
                                                            "add chain inet fault sent { type filter hook output priority 0; }",
                                                            "add rule inet fault sent tcp dport 80 drop"),
                          end=lambda network: network.accept_all("here"), names=lambda network: ["firewall"], affected="all",
                          state="unreachable (local_network)"),
    "long-drop": dropped(lasts=375),
    "twice": dropped(then="again", messages=(3, 3), total=(4, 4)),
    "gateway-change": Fault(begin=change_gateway, end=lambda network: None,
                            names=lambda network: [network.link_address(1, 2), "eth0"], affected="all", state="up",
                            incidents=(0, 1), messages=(0, 2), total=(0, 2), is_certain=False, lasts=12,
                            network={"has_second_uplink": True}),
}
