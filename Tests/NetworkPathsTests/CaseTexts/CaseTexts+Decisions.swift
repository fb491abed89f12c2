// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension CaseTexts {
    /// Each row of the decision table that the kernel lets one provoke (row 6 has no such way).
    static let decisions = """
        # row 1: the local address of a pair is nobody's
        base
        = 192.0.2.77>203.0.113.5 0x00000 reason=local_address_not_ours on=-
        = 192.0.2.77> 0x00000 reason=local_address_not_ours
        = 2001:db8:1::77> 0x00000 reason=local_address_not_ours
        = 203.0.113.5>192.0.2.9 0x00000 reason=local_address_not_ours
        # row 2: local-only
        base
        = 192.0.2.2> 0x30002 loopback on=lo
        = 127.0.0.1> 0x30002 loopback
        = 2001:db8:1::2> 0x30002 loopback
        = 192.0.2.2>192.0.2.2 0x30002 loopback
        # row 2: the address goes away and comes back
        base
        = 192.0.2.2> 0x30002 loopback
        i addr del 192.0.2.2/24 dev eth0
        = 192.0.2.2> 0x00000 reason=local_address_not_ours
        i addr add 192.0.2.2/24 dev eth0
        = 192.0.2.2> 0x30002 loopback
        # row 3: refusals of IPv6 routes
        base
        i -6 route add unreachable 2001:db8:a1::/48; i -6 route add blackhole 2001:db8:a2::/48
        i -6 route add prohibit 2001:db8:a3::/48; i -6 route add throw 2001:db8:a4::/48
        = 2001:db8:a1::1 0x00000 reason=unreachable on=-
        = 2001:db8:a2::1 0x00000 reason=blackhole on=-
        = 2001:db8:a3::1 0x00000 reason=prohibited on=-
        = 2001:db8:a4::1 0x00000 reason=no_route on=-
        = 2001:db8:a5::1 0x00002 wired
        # row 3: a refusal inside a reachable block, and a hole in a refusal
        base
        i route add unreachable 203.0.113.0/24; i route add 203.0.113.128/25 via 192.0.2.1
        = 203.0.113.5 0x00000 reason=unreachable
        = 203.0.113.200 0x00002 wired
        i route del unreachable 203.0.113.0/24
        = 203.0.113.5 0x00002 wired
        # row 3: a throw only leaves its own table
        base
        i route add throw 10.4.0.0/16 table 100; i rule add lookup 100 priority 100
        = 10.4.0.1 0x00002 wired
        # row 3: rules refuse as routes do
        base
        i rule add to 10.1.0.0/16 unreachable; i rule add to 10.2.0.0/16 blackhole; i rule add to 10.3.0.0/16 prohibit
        i -6 rule add to 2001:db8:a1::/48 unreachable; i -6 rule add to 2001:db8:a2::/48 blackhole
        i -6 rule add to 2001:db8:a3::/48 prohibit
        = 10.1.0.1 0x00000
        = 10.2.0.1 0x00000 reason=blackhole
        = 10.3.0.1 0x00000 reason=prohibited
        = 2001:db8:a1::1 0x00000
        = 2001:db8:a2::1 0x00000 reason=blackhole
        = 2001:db8:a3::1 0x00000 reason=prohibited
        = 10.5.0.1 0x00002 wired
        # row 4: a blackhole next-hop object
        base
        i nexthop add id 5 blackhole; i route add 10.1.0.0/16 nhid 5
        i -6 nexthop add id 6 blackhole; i -6 route add 2001:db8:a1::/48 nhid 6
        = 10.1.0.1 0x00000 reason=blackhole
        = 2001:db8:a1::1 0x00000
        # row 5: the bound interface is missing, comes and goes
        base
        = default%eth1 0x00000 reason=no_interface on=-
        = 203.0.113.5%eth1 0x00000 reason=no_interface on=-
        = 2001:db8:9::1%eth1 0x00000 reason=no_interface
        second
        i route add default via 198.18.0.1 dev eth1 metric 200
        = default%eth1 0x00002 wired on=eth1
        = 203.0.113.5%eth1 0x00002 wired on=eth1 via=198.18.0.1
        i link del eth1
        = default%eth1 0x00000 reason=no_interface
        = 203.0.113.5%eth1 0x00000 reason=no_interface
        # row 7: own addresses with loopback down
        base
        = 192.0.2.2 0x30002 loopback
        i link set lo down
        = 192.0.2.2 0x00000 reason=loopback_down
        = 192.0.2.2> 0x00000
        = 192.0.2.9 0x20002 wired
        = default 0x00002 wired
        i link set lo up
        = 192.0.2.2 0x30002 loopback
        # row 8: AnyIP
        base
        i route add local 198.51.100.0/24 dev lo
        = 198.51.100.7 0x30002 loopback
        = 198.51.100.7> 0x30002 loopback
        = 198.51.100.7>203.0.113.5 0x00002 wired on=eth0
        i -6 route add local 2001:db8:77::/48 dev lo
        = 2001:db8:77::5 0x30002 loopback
        # row 8: an IPv6 anycast address
        base
        x sysctl -qw net.ipv6.conf.all.forwarding=1
        = 2001:db8:1:: 0x30002 loopback
        # row 9: bound, IPv4, and only an invented on-link route
        base
        second
        = 203.0.113.5%eth1 0x00000 reason=no_route
        = 203.0.113.5%eth0 0x00002 wired on=eth0
        = 198.18.0.9%eth1 0x20002 wired on=eth1
        = 198.18.0.9%eth0 0x00002 wired on=eth0
        = 192.0.2.9%eth1 0x00000 reason=no_route
        = 2001:db8:9::1%eth1 0x00000 reason=no_route
        = default%eth1 0x00000 reason=no_route
        = default%eth0 0x00002 wired on=eth0
        # row 9: a bound target follows a route that comes and goes
        base
        second
        = 203.0.113.5%eth1 0x00000
        i route add default via 198.18.0.1 dev eth1 metric 300
        = 203.0.113.5%eth1 0x00002 wired via=198.18.0.1
        = 203.0.113.5 0x00002 wired via=192.0.2.1
        i route del default via 198.18.0.1 dev eth1 metric 300
        = 203.0.113.5%eth1 0x00000 reason=no_route
        # row 10: no carrier, and one without the other
        base
        second
        p link set p1 down
        = 198.18.0.9 0x00000 reason=no_carrier on=eth1
        = 192.0.2.9 0x20002 wired
        = 198.18.0.2 0x30002 loopback
        # row 10: dormant (802.1X unfinished) is a link that is down
        i link set lo up; i link add eth0 type veth peer name p0
        i link set eth0 mode dormant; i link set eth0 up; i link set p0 up; i addr add 192.0.2.2/24 dev eth0
        = 192.0.2.9 0x00000 reason=link_down on=eth0
        # row 10: a dead better route hides a live worse one (L4), for both families
        base
        second
        i addr add 2001:db8:2::2/64 dev eth1 nodad
        i route add default via 198.18.0.1 metric 500; i -6 route add default via 2001:db8:2::1 dev eth1 metric 2000
        p link set p0 down
        = 203.0.113.5 0x00000 reason=no_carrier on=eth0
        = default 0x00000 reason=no_carrier
        = 203.0.113.5%eth1 0x00002 wired on=eth1
        # row 10: unless the kernel is told to pass dead routes over
        base
        second
        x sysctl -qw net.ipv4.conf.eth0.ignore_routes_with_linkdown=1
        i route add default via 198.18.0.1 metric 500
        p link set p0 down
        = 203.0.113.5 0x00002 wired on=eth1
        = default 0x00002 wired on=eth1
        # row 10: a setting that comes after the loss
        base
        second
        i route add default via 198.18.0.1 metric 500
        p link set p0 down
        = 203.0.113.5 0x00000 reason=no_carrier
        x sysctl -qw net.ipv4.conf.eth0.ignore_routes_with_linkdown=1
        = 203.0.113.5 0x00002 wired on=eth1
        x sysctl -qw net.ipv4.conf.eth0.ignore_routes_with_linkdown=0
        = 203.0.113.5 0x00000 reason=no_carrier
        # row 10: all next hops dead, then one lives
        base
        second
        i route replace default nexthop via 192.0.2.1 nexthop via 198.18.0.1
        i -6 route del default
        p link set p0 down; p link set p1 down
        = 203.0.113.1 0x00000 reason=no_carrier
        = default 0x00000 reason=no_carrier
        p link set p1 up
        = 203.0.113.1 0x00002 wired on=eth1
        = default 0x00002 wired on=eth1
        # row 10: IPv6 multipath with one dead next hop
        base
        second
        i addr add 2001:db8:2::2/64 dev eth1 nodad
        i -6 route del default
        i -6 route add default nexthop via 2001:db8:1::1 dev eth0 nexthop via 2001:db8:2::1 dev eth1
        p link set p0 down
        = 2001:db8:9::1 0x00002 wired on=eth1
        = 2001:db8:9::2 0x00002 wired on=eth1
        = 2001:db8:9::3 0x00002 wired on=eth1
        = 2001:db8:9::4 0x00002 wired on=eth1
        # row 11: a route and no source address
        i link set lo up; i link add eth0 type veth peer name p0; i link set eth0 up; i link set p0 up
        i route add default dev eth0
        = 203.0.113.5 0x00000 reason=no_source_address on=eth0
        i addr add 192.0.2.2/24 dev eth0
        = 203.0.113.5 0x20002 wired
        i addr del 192.0.2.2/24 dev eth0
        = 203.0.113.5 0x00000
        # row 11: only a link-local source behind an IPv6 gateway
        base
        i addr del 2001:db8:1::2/64 dev eth0; i -6 route replace default via fe80::1 dev eth0
        i route del default
        = 2001:db8:9::1 0x00000 reason=no_source_address
        = fe80::9%eth0 0x20002 wired
        = default 0x00000
        i addr add 2001:db8:1::2/64 dev eth0 nodad
        = 2001:db8:9::1 0x00002 wired via=fe80::1 src=2001:db8:1::2
        = default 0x00002 wired
        # row 11: a global address on another interface will do as a source
        base
        i addr del 2001:db8:1::2/64 dev eth0; i addr add 2001:db8:7::1/128 dev lo nodad
        i -6 route replace default via fe80::1 dev eth0
        = 2001:db8:9::1 0x00002 wired src=2001:db8:7::1
        # row 12: a plain path, every field
        base
        = 203.0.113.5 0x00002 wired on=eth0 via=192.0.2.1 src=192.0.2.2 families=4 expensive=no constrained=no
        = 192.0.2.9 0x20002 wired on=eth0 via=- src=192.0.2.2 families=4
        # row 12: the kernel's choice of a source
        base
        i addr add 192.0.2.200/24 dev eth0; i route replace default via 192.0.2.1 src 192.0.2.200
        = 203.0.113.5 0x00002 wired src=192.0.2.200
        = 192.0.2.9 0x20002 wired src=192.0.2.2
        """
}
