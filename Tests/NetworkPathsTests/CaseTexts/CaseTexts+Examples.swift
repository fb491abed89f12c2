// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension CaseTexts {
    /// The examples of linux-paths section 10, with reasons added.
    static let examples = """
        # 01 empty namespace, loopback down
        = default 0x00000 reason=no_route
        = 127.0.0.1 0x00000
        = ::1 0x00000
        # 02 loopback only
        i link set lo up
        = default 0x00000 reason=no_route families=-
        = 127.0.0.1 0x30002 loopback on=lo
        = 127.9.9.9 0x30002 loopback
        = ::1 0x30002 loopback
        = 203.0.113.5 0x00000 reason=no_route
        # 03 one wired uplink
        base
        = default 0x00002 wired families=46
        = 0.0.0.0 0x00002 wired
        = :: 0x00002 wired
        = 203.0.113.5 0x00002 wired on=eth0 via=192.0.2.1 src=192.0.2.2 families=4
        = 192.0.2.9 0x20002 wired via=- src=192.0.2.2
        = 192.0.2.2 0x30002 loopback
        = 2001:db8:9::1 0x00002 wired via=2001:db8:1::1 src=2001:db8:1::2 families=6
        = 2001:db8:1::9 0x20002 wired
        = 2001:db8:1::2 0x30002 loopback
        # 05 address but no default route
        base
        i route del default; i -6 route del default
        = default 0x00000 reason=no_route
        = 203.0.113.5 0x00000 reason=no_route
        = 224.0.0.251 0x00000 reason=no_route
        = 192.0.2.9 0x20002 wired
        # 06 carrier lost: routes stay in the table, nothing leaves
        base
        p link set p0 down
        = default 0x00000 reason=no_carrier on=eth0
        = 203.0.113.5 0x00000 reason=no_carrier on=eth0
        = 192.0.2.9 0x00000 reason=no_carrier
        = 2001:db8:1::9 0x00000 reason=no_carrier
        = 192.0.2.2 0x30002 loopback
        # 07 carrier comes back: no route event tells
        base
        p link set p0 down
        = default 0x00000
        = 203.0.113.5 0x00000
        p link set p0 up
        = default 0x00002 wired
        = 203.0.113.5 0x00002 wired
        # 08 administratively down: IPv4 routes vanish silently, own IPv4 address still answers, own IPv6 does not
        base
        = default 0x00002 wired
        i link set eth0 down
        = default 0x00000
        = 192.0.2.9 0x00000
        = 192.0.2.2 0x30002 loopback
        = 2001:db8:1::2 0x00000
        # 10 IPv4 unreachable, blackhole, prohibit, throw
        base
        i route add unreachable 10.1.0.0/16; i route add blackhole 10.2.0.0/16
        i route add prohibit 10.3.0.0/16; i route add throw 10.4.0.0/16
        = 10.1.0.1 0x00000 reason=unreachable
        = 10.2.0.1 0x00000 reason=blackhole
        = 10.3.0.1 0x00000 reason=prohibited
        = 10.4.0.1 0x00000 reason=no_route
        = 10.5.0.1 0x00002 wired
        # 14 default route without a gateway: direct by address, but the default path is never direct
        base
        i route replace default dev eth0
        = 203.0.113.5 0x20002 wired
        = default 0x00002 wired
        # 15 two half-default routes into a tunnel (OpenVPN def1)
        need tun
        base
        i tuntap add dev tun0 mode tun; hold tun0; i addr add 10.8.0.2 peer 10.8.0.1 dev tun0; i link set tun0 up
        i route add 0.0.0.0/1 dev tun0; i route add 128.0.0.0/1 dev tun0; i route add 203.0.113.99 via 192.0.2.1
        = default 0x00003 tunnel
        = 203.0.113.5 0x00003 tunnel on=tun0
        = 203.0.113.99 0x00002 wired
        = 10.8.0.1 0x00003 tunnel
        = 192.0.2.9 0x20002 wired
        # 20 multipath with one dead next hop: reachable whichever way the hash falls
        base
        second
        i route replace default nexthop via 192.0.2.1 nexthop via 198.18.0.1
        p link set p0 down
        = 203.0.113.1 0x00002 wired on=eth1
        = 203.0.113.2 0x00002 wired on=eth1
        = 203.0.113.3 0x00002 wired on=eth1
        = 203.0.113.4 0x00002 wired on=eth1
        = default 0x00002 wired on=eth1
        # 26 policy rule by source: only the pair sees the second table
        base
        second
        i route del default
        i rule add from 198.18.0.2 lookup 100; i route add default via 198.18.0.1 table 100
        = 203.0.113.5 0x00000
        = 198.18.0.2>203.0.113.5 0x00002 wired on=eth1 via=198.18.0.1
        = 192.0.2.2>203.0.113.5 0x00000
        # 31 pair: the local address must be ours
        base
        = 192.0.2.2>203.0.113.5 0x00002 wired
        = 192.0.2.77>203.0.113.5 0x00000 reason=local_address_not_ours
        i addr add 192.0.2.77/32 dev eth0
        = 192.0.2.77>203.0.113.5 0x00002 wired src=192.0.2.77
        = 2001:db8:1::2>2001:db8:9::1 0x00002 wired
        = 2001:db8:1::77>2001:db8:9::1 0x00000 reason=local_address_not_ours
        # 34 IPv6-only network: default path yes, IPv4 literal no
        base
        i addr flush dev eth0 scope global; i addr add 2001:db8:1::2/64 dev eth0 nodad
        i -6 route replace default via 2001:db8:1::1 dev eth0; i route flush table main
        = default 0x00002 wired families=6
        = 0.0.0.0 0x00002 wired
        = 203.0.113.5 0x00000
        # 35 IPv6 address still tentative (a link-local source does not count), then usable
        base
        i -6 route del default; i addr del 2001:db8:1::2/64 dev eth0
        x sysctl -qw net.ipv6.conf.eth0.dad_transmits=8
        i addr add 2001:db8:5::2/64 dev eth0; i -6 route add default via 2001:db8:5::1 dev eth0
        = 2001:db8:5::2> 0x00000 reason=local_address_not_ours
        = 2001:db8:9::1 0x00000 reason=no_source_address
        later
        = 2001:db8:5::2 0x30002 loopback
        = 2001:db8:9::1 0x00002 wired src=2001:db8:5::2
        # 42 wifi by configured name
        ! -t 'wl*=wifi'
        base
        i link set eth0 down; i link set eth0 name wlan0; i link set wlan0 up; i route add default via 192.0.2.1
        = default 0x00002 wifi
        = 192.0.2.9 0x20002 wifi
        # 46 point-to-point peer is not direct
        need tun
        base
        i tuntap add dev tun0 mode tun; hold tun0; i addr add 10.8.0.2 peer 10.8.0.1 dev tun0; i link set tun0 up
        = 10.8.0.1 0x00003 tunnel
        = 10.8.0.2 0x30002 loopback
        # 60 default moves to another interface: flags alike, interface not
        base
        second
        = default 0x00002 wired on=eth0
        i route replace default via 198.18.0.1; i -6 route del default
        = default 0x00002 wired on=eth1
        """
}
