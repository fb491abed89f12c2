// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension CaseTexts {
    /// IsDirect, IsLocalAddress, Transient, IsWWAN, and what counts as the default path.
    static let flags = """
        # broadcast and multicast are direct, and need some matching route
        base
        = 192.0.2.255 0x20002 wired
        = 255.255.255.255 0x20002 wired
        = 224.0.0.251 0x20002 wired
        = 239.1.2.3 0x20002 wired
        i route del default
        = 192.0.2.255 0x20002 wired
        = 255.255.255.255 0x00000 reason=no_route
        = 239.1.2.3 0x00000 reason=no_route
        i route add 239.0.0.0/8 dev eth0
        = 239.1.2.3 0x20002 wired
        # IPv6 multicast on a link
        base
        = ff02::fb%eth0 0x20002 wired
        # IPv4 link-local counts as direct on wired and wifi (the local-wifi idiom)
        base
        = 169.254.0.0 0x20002 wired
        = 169.254.7.7 0x20002 wired
        i route add 169.254.0.0/16 dev eth0
        = 169.254.7.7 0x20002 wired
        # … on wifi
        ! -t eth0=wifi
        base
        = 169.254.0.0 0x20002 wifi
        # … not through a tunnel or a modem
        ! -t eth0=cellular
        base
        = 169.254.0.0 0x40003 cellular
        # … and only while there is a route
        base
        i route del default
        = 169.254.0.0 0x00000 reason=no_route
        # IPv6 link-local needs an interface
        base
        = fe80::9%eth0 0x20002 wired on=eth0
        = fe80::9%eth7 0x00000 reason=no_interface
        # an IPv4-mapped address is the IPv4 address (L7)
        base
        i -6 route del default
        = ::ffff:192.0.2.9 0x20002 wired
        = ::ffff:203.0.113.5 0x00002 wired
        = ::ffff:192.0.2.2 0x30002 loopback
        = ::ffff:192.0.2.2>203.0.113.5 0x00002 wired
        = ::ffff:0.0.0.0 0x00002 wired
        # a loopback source cannot leave: the pair is its remote side
        base
        = 127.0.0.1>203.0.113.5 0x00002 wired
        = 127.0.0.1>127.0.0.1 0x30002 loopback
        = 127.0.0.1>127.0.0.2 0x30002 loopback
        = 192.0.2.2>127.0.0.1 0x30002 loopback
        # a pair with an on-link remote is direct
        base
        = 192.0.2.2>192.0.2.9 0x20002 wired
        = 2001:db8:1::2>2001:db8:1::9 0x20002 wired
        # a point-to-point link is transient and never direct
        need tun
        i link set lo up; i tuntap add dev ppp7 mode tun; hold ppp7; i addr add 10.8.0.2/24 dev ppp7; i link set ppp7 up
        i route add default dev ppp7
        = 10.8.0.9 0x00003 tunnel
        = 203.0.113.5 0x00003 tunnel
        = default 0x00003 tunnel
        # a point-to-point link that a rule calls wired stays transient and indirect
        need tun
        ! -t tun*=wired
        i link set lo up; i tuntap add dev tun0 mode tun; hold tun0; i addr add 10.8.0.2/24 dev tun0; i link set tun0 up
        = 10.8.0.9 0x00003 wired
        # cellular: transient, WWAN, expensive
        ! -t eth0=cellular
        base
        = default 0x40003 cellular expensive=yes constrained=no
        = 203.0.113.5 0x40003 cellular
        = 192.0.2.9 0x60003 cellular
        = 192.0.2.2 0x30002 loopback expensive=no
        # expensive and constrained never change the flags
        ! -t eth0=wired,expensive,constrained
        base
        = default 0x00002 wired expensive=yes constrained=yes
        = 192.0.2.9 0x20002 wired expensive=yes constrained=yes
        # a rule may say metered and leave the type to the facts
        ! -t eth0=expensive
        base
        = default 0x00002 wired expensive=yes constrained=no
        # an encapsulated route is not direct (RTA_ENCAP)
        base
        try i route add 198.51.100.0/24 encap ip id 7 dst 192.0.2.9 dev eth0
        = 198.51.100.5 0x00002 wired on=eth0
        # a gateway of the other family (RTA_VIA)
        base
        i route del default; i route add 0.0.0.0/0 via inet6 fe80::1 dev eth0
        = 203.0.113.5 0x00002 wired via=fe80::1 src=192.0.2.2
        = default 0x00002 wired
        # default: 2000::/3 counts, a /4 does not
        base
        i route del default; i -6 route del default
        i -6 route add 2000::/4 via 2001:db8:1::1 dev eth0
        = default 0x00000
        = 2001:db8:9::1 0x00002 wired
        i -6 route add 2000::/3 via 2001:db8:1::1 dev eth0
        = default 0x00002 wired families=6
        # default: one half of the IPv4 space counts, a quarter does not
        base
        i route del default; i -6 route del default; i route add 64.0.0.0/2 via 192.0.2.1
        = default 0x00000
        i route add 0.0.0.0/1 via 192.0.2.1
        = default 0x00002 wired families=4
        # default: IPv6 halves into a tunnel
        need tun
        base
        i tuntap add dev tun0 mode tun; hold tun0; i link set tun0 up; i addr add 2001:db8:8::2/64 dev tun0 nodad
        i -6 route add ::/1 dev tun0; i -6 route add 8000::/1 dev tun0
        = 2001:db8:9::1 0x00003 tunnel on=tun0
        = default 0x00002 wired on=eth0
        i route del default
        = default 0x00003 tunnel on=tun0 families=6
        # default: an unreachable placeholder with a big metric is no network (L3)
        i link set lo up
        i route add unreachable default metric 4278198272; i -6 route add unreachable default metric 4278198272
        = default 0x00000 families=-
        = 203.0.113.5 0x00000 reason=unreachable
        base
        = default 0x00002 wired families=46
        i route del default via 192.0.2.1; i -6 route del default via 2001:db8:1::1 dev eth0
        = default 0x00000
        = 203.0.113.5 0x00000 reason=unreachable
        # default: the better family wins
        base
        i route replace prohibit default
        = default 0x00002 wired families=6
        i route replace default via 192.0.2.1; i -6 route replace prohibit default metric 1024
        = default 0x00002 wired families=4 via=192.0.2.1
        # default: IPv4 wins a tie across interfaces
        base
        second
        i route replace default via 198.18.0.1
        = default 0x00002 wired on=eth1
        # default: only by loopback is no network
        i link set lo up; i addr add 192.0.2.2/32 dev lo; i route add local default dev lo
        = 203.0.113.5 0x30002 loopback
        = default 0x00000
        # default: an address without a route is no network
        base
        i route del default; i -6 route del default
        = default 0x00000 reason=no_route
        = default%eth0 0x00000 reason=no_route
        = 192.0.2.9 0x20002 wired
        # default: an ignored interface is passed over
        ! -t eth0=wired,ignored
        base
        = default 0x00000
        = 203.0.113.5 0x00002 wired
        """
}
