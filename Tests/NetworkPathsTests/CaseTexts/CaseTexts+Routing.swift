// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension CaseTexts {
    /// Policy rules, other tables, next-hop objects, multipath.
    static let routing = """
        # a rule by mark, for the whole engine
        ! -m 42
        base
        second
        i rule add fwmark 42 lookup 100; i route add default via 198.18.0.1 table 100
        = 203.0.113.5 0x00002 wired on=eth1 via=198.18.0.1
        = default 0x00002 wired on=eth1
        # a rule by mark, for one target
        base
        second
        i rule add fwmark 42 lookup 100; i route add default via 198.18.0.1 table 100
        = 203.0.113.5 0x00002 wired on=eth0
        = 203.0.113.5 0x00002 wired on=eth1 mark=42
        = 203.0.113.5 0x00002 wired on=eth0 mark=43
        = default 0x00002 wired on=eth1 mark=42
        # a rule by mark that refuses
        base
        i rule add fwmark 7 prohibit; i -6 rule add fwmark 7 prohibit
        = 203.0.113.5 0x00000 reason=prohibited mark=7
        = 2001:db8:9::1 0x00000 reason=prohibited mark=7
        = default 0x00000 mark=7
        = default 0x00002 wired
        # wg-quick: the default in another table, by absence of a mark
        need tun
        base
        i tuntap add dev wg0 mode tun; hold wg0; i addr add 10.9.0.2/32 dev wg0; i link set wg0 up
        i route add default dev wg0 table 51820
        i rule add not fwmark 51820 lookup 51820; i rule add lookup main suppress_prefixlength 0
        = default 0x00003 tunnel on=wg0
        = 203.0.113.5 0x00003 tunnel on=wg0
        = 192.0.2.9 0x20002 wired
        = 203.0.113.5 0x00002 wired on=eth0 mark=51820
        i link del wg0
        = 203.0.113.5 0x00002 wired on=eth0
        = 203.0.113.5 0x00002 wired on=eth0 mark=51820
        # a rule by destination
        base
        second
        i rule add to 203.0.113.0/24 lookup 100; i route add default via 198.18.0.1 table 100
        = 203.0.113.5 0x00002 wired on=eth1
        = 203.0.114.5 0x00002 wired on=eth0
        i rule del to 203.0.113.0/24 lookup 100
        = 203.0.113.5 0x00002 wired on=eth0
        # a rule for another user is not ours
        need uid 60000
        base
        i rule add uidrange 60000-60001 to 203.0.113.0/24 prohibit
        = 203.0.113.5 0x00002 wired
        # a rule for our user is ours
        base
        = 203.0.114.5 0x00002 wired
        i rule add uidrange 0-0 to 203.0.114.0/24 prohibit
        = 203.0.114.5 0x00000 reason=prohibited
        # an IPv6 rule by source
        base
        second
        i addr add 2001:db8:2::2/64 dev eth1 nodad; i -6 route del default
        i -6 rule add from 2001:db8:2::2 lookup 100; i -6 route add default via 2001:db8:2::1 dev eth1 table 100
        = 2001:db8:9::1 0x00000
        = 2001:db8:2::2>2001:db8:9::1 0x00002 wired on=eth1
        = 2001:db8:1::2>2001:db8:9::1 0x00000
        # without the main table nothing is left
        base
        = 203.0.113.5 0x00002 wired
        i rule del lookup main; i rule del lookup default
        = 203.0.113.5 0x00000 reason=no_route
        = default 0x00002 families=6
        = 192.0.2.2 0x30002 loopback
        # a next-hop object
        base
        i nexthop add id 1 via 192.0.2.1 dev eth0; i route replace default nhid 1
        = 203.0.113.5 0x00002 wired via=192.0.2.1
        = default 0x00002 wired
        i nexthop del id 1
        = 203.0.113.5 0x00000 reason=no_route
        # a next-hop object, and only its number in the table entry
        base
        x sysctl -qw net.ipv4.nexthop_compat_mode=0
        i nexthop add id 1 via 192.0.2.1 dev eth0; i route replace default nhid 1
        = 203.0.113.5 0x00002 wired via=192.0.2.1
        = 203.0.113.5%eth0 0x00002 wired
        = default 0x00002 wired
        p link set p0 down
        = 203.0.113.5 0x00000
        # a group of next-hop objects with a dead member
        base
        second
        i nexthop add id 1 via 192.0.2.1 dev eth0; i nexthop add id 2 via 198.18.0.1 dev eth1
        i nexthop add id 10 group 1/2; i route replace default nhid 10
        p link set p0 down
        = 203.0.113.1 0x00002 wired on=eth1
        = 203.0.113.2 0x00002 wired on=eth1
        = 203.0.113.3 0x00002 wired on=eth1
        = 203.0.113.4 0x00002 wired on=eth1
        = default 0x00002 wired on=eth1
        # the same with only the group's number in the table entry
        base
        second
        x sysctl -qw net.ipv4.nexthop_compat_mode=0
        i nexthop add id 1 via 192.0.2.1 dev eth0; i nexthop add id 2 via 198.18.0.1 dev eth1
        i nexthop add id 10 group 1/2; i route replace default nhid 10
        p link set p0 down
        = 203.0.113.1 0x00002 wired on=eth1
        = 203.0.113.2 0x00002 wired on=eth1
        = 203.0.113.3 0x00002 wired on=eth1
        = 203.0.113.4 0x00002 wired on=eth1
        # an IPv6 next-hop object moves
        base
        second
        i addr add 2001:db8:2::2/64 dev eth1 nodad
        i nexthop add id 1 via 2001:db8:1::1 dev eth0; i -6 route del default; i -6 route add default nhid 1
        = 2001:db8:9::1 0x00002 wired on=eth0
        i nexthop replace id 1 via 2001:db8:2::1 dev eth1
        = 2001:db8:9::1 0x00002 wired on=eth1 via=2001:db8:2::1
        # a metric decides
        base
        second
        i route add default via 198.18.0.1 metric 50
        = 203.0.113.5 0x00002 wired on=eth0
        i route replace default via 192.0.2.1 metric 100; i route del default via 192.0.2.1 metric 0
        = 203.0.113.5 0x00002 wired on=eth1
        # a host route
        base
        second
        i route add 203.0.113.99 via 198.18.0.1
        = 203.0.113.99 0x00002 wired on=eth1
        = 203.0.113.98 0x00002 wired on=eth0
        # a bound default in its own table
        base
        second
        i rule add oif eth1 lookup 100; i route add default via 198.18.0.1 table 100
        = default%eth1 0x00002 wired on=eth1
        = 203.0.113.5%eth1 0x00002 wired on=eth1 via=198.18.0.1
        = 203.0.113.5 0x00002 wired on=eth0
        # an on-link gateway outside every prefix
        base
        i route replace default via 203.0.113.254 dev eth0 onlink
        = default 0x00002 wired via=203.0.113.254
        # multipath over one interface
        base
        i route replace default nexthop via 192.0.2.1 dev eth0 nexthop via 192.0.2.3 dev eth0
        = 203.0.113.5 0x00002 wired on=eth0
        = default 0x00002 wired on=eth0
        # vrf
        need vrf
        i link add red type vrf table 7; i link set red up
        """
}
