// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension CaseTexts {
    /// L1–L8 and section 3.3: links, carrier, addresses.
    static let links = """
        # L1 the zero address is the default path, also with no network at all
        = 0.0.0.0 0x00000 reason=no_route
        = :: 0x00000 reason=no_route
        i link set lo up
        = 0.0.0.0 0x00000 reason=no_route
        = :: 0x00000 reason=no_route
        # L2 a fresh namespace: not even localhost
        = 127.0.0.1 0x00000
        = ::1 0x00000
        i link set lo up
        = 127.0.0.1 0x30002 loopback
        = ::1 0x30002 loopback
        i link set lo down
        = 127.0.0.1 0x00000
        = ::1 0x00000
        # L4 carrier comes and goes
        base
        = 192.0.2.9 0x20002 wired
        p link set p0 down
        = 192.0.2.9 0x00000 reason=no_carrier
        p link set p0 up
        = 192.0.2.9 0x20002 wired
        = 2001:db8:1::9 0x20002 wired
        # L5 down and up: the connected route returns, the default does not
        base
        = default 0x00002 wired
        i link set eth0 down
        = 203.0.113.5 0x00000 reason=no_route
        = 192.0.2.9 0x00000 reason=no_route
        = 192.0.2.2 0x30002 loopback
        i link set eth0 up
        = 192.0.2.9 0x20002 wired
        = 203.0.113.5 0x00000 reason=no_route
        = 2001:db8:1::2> 0x00000 reason=local_address_not_ours
        i route add default via 192.0.2.1
        = default 0x00002 wired families=4
        # L5 an address takes its default route along
        base
        i -6 route del default
        = default 0x00002 wired
        i addr del 192.0.2.2/24 dev eth0
        = default 0x00000 reason=no_route
        = 192.0.2.2 0x00000 reason=no_route
        = 192.0.2.9 0x00000 reason=no_route
        # L6 multipath with a hop on a link that is down
        base
        second
        i route replace default nexthop via 192.0.2.1 nexthop via 198.18.0.1
        i link set eth0 down
        = 203.0.113.1 0x00002 wired on=eth1
        = 203.0.113.2 0x00002 wired on=eth1
        = 203.0.113.3 0x00002 wired on=eth1
        # L7 an IPv6 address that somebody else has: duplicate detection failed
        base
        p addr add 2001:db8:5::2/64 dev p0 nodad
        i addr add 2001:db8:5::2/64 dev eth0
        later
        = 2001:db8:5::2>2001:db8:9::1 0x00000 reason=local_address_not_ours
        # IPv6 switched off on a link, and on again
        base
        = 2001:db8:9::1 0x00002 wired
        x sysctl -qw net.ipv6.conf.eth0.disable_ipv6=1
        = 2001:db8:9::1 0x00000 reason=no_route
        = 2001:db8:1::2 0x00000
        = ::1 0x30002 loopback
        = 192.0.2.9 0x20002 wired
        x sysctl -qw net.ipv6.conf.eth0.disable_ipv6=0
        i addr add 2001:db8:1::2/64 dev eth0 nodad
        = 2001:db8:1::9 0x20002 wired
        # IPv6 switched off everywhere
        base
        x sysctl -qw net.ipv6.conf.all.disable_ipv6=1
        = default 0x00002 wired families=4
        = ::1 0x00000
        = 2001:db8:9::1 0x00000
        # a link is deleted and made again under its name
        base
        second
        = 198.18.0.9 0x20002 wired on=eth1
        i link del eth1
        = 198.18.0.9 0x00002 wired on=eth0
        second
        = 198.18.0.9 0x20002 wired on=eth1
        # a link gets another name
        base
        second
        = 198.18.0.9 0x20002 wired on=eth1
        i link set eth1 down; i link set eth1 name lan0; i link set lan0 up
        = 198.18.0.9 0x20002 wired on=lan0
        = 198.18.0.9%eth1 0x00000 reason=no_interface
        = 198.18.0.9%lan0 0x20002 wired
        # a link moves to another namespace
        base
        second
        = 198.18.0.9%eth1 0x20002 wired
        i link set eth1 netns $P
        = 198.18.0.9%eth1 0x00000 reason=no_interface
        # both addresses of a pair change sides
        base
        i addr add 192.0.2.3/24 dev eth0
        = 192.0.2.3>192.0.2.2 0x30002 loopback
        i addr del 192.0.2.3/24 dev eth0
        = 192.0.2.3>192.0.2.2 0x00000 reason=local_address_not_ours
        # a secondary address is as good as the first
        base
        i addr add 192.0.2.77/24 dev eth0
        = 192.0.2.77>203.0.113.5 0x00002 wired src=192.0.2.77
        = 192.0.2.77 0x30002 loopback
        """
}
