// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension CaseTexts {
    /// Declared connections: row 13 and the values of section 4.4.
    static let connections = """
        # traffic
        ! -c 10.0.0.0/8=traffic
        base
        i route del default
        = 10.1.2.3 0x0000f reason=connection_available
        = 203.0.113.5 0x00000 reason=no_route
        i route add default via 192.0.2.1
        = 10.1.2.3 0x00002 wired
        # demand
        ! -c 10.0.0.0/8=demand
        i link set lo up
        = 10.1.2.3 0x00027 reason=connection_available
        # manual
        ! -c 10.0.0.0/8=manual
        i link set lo up
        = 10.1.2.3 0x00007 reason=connection_available
        # intervention
        ! -c 10.0.0.0/8=intervention
        i link set lo up
        = 10.1.2.3 0x0001f reason=connection_available
        # through a modem
        ! -c 10.0.0.0/8=traffic+cellular
        ! -c 11.0.0.0/8=demand+cellular -c 12.0.0.0/8=manual+cellular -c 13.0.0.0/8=intervention+cellular
        i link set lo up
        = 10.1.2.3 0x4000f reason=connection_available
        = 11.1.2.3 0x40027 reason=connection_available
        = 12.1.2.3 0x40007 reason=connection_available
        = 13.1.2.3 0x4001f reason=connection_available
        # a connection for everything serves the default path, too
        ! -c default=demand
        i link set lo up
        = default 0x00027 reason=connection_available
        = 203.0.113.5 0x00027 reason=connection_available
        = 2001:db8:9::1 0x00027 reason=connection_available
        = 127.0.0.1 0x30002 loopback
        base
        = default 0x00002 wired
        # a connection for a block does not serve the default path
        ! -c 10.0.0.0/8=traffic
        i link set lo up
        = default 0x00000 reason=no_route
        # the first connection that covers the target
        ! -c 10.1.0.0/16=manual -c 10.0.0.0/8=traffic
        i link set lo up
        = 10.1.2.3 0x00007 reason=connection_available
        = 10.2.2.3 0x0000f reason=connection_available
        # rows 3, 10 and 11 go on to row 13
        ! -c default=traffic
        base
        i route add unreachable 10.1.0.0/16; i route add prohibit 10.2.0.0/16; i route add blackhole 10.3.0.0/16
        = 10.1.0.1 0x0000f reason=connection_available
        = 10.2.0.1 0x0000f reason=connection_available
        = 10.3.0.1 0x0000f reason=connection_available
        p link set p0 down
        = 203.0.113.5 0x0000f reason=connection_available
        = default 0x0000f reason=connection_available
        p link set p0 up
        = default 0x00002 wired
        i addr del 192.0.2.2/24 dev eth0; i route add 203.0.113.0/24 dev eth0
        = 203.0.113.5 0x0000f reason=connection_available
        # rows 1, 5 and 7 do not
        ! -c default=traffic
        base
        = 192.0.2.77>203.0.113.5 0x00000 reason=local_address_not_ours
        = 203.0.113.5%eth7 0x00000 reason=no_interface
        i link set lo down
        = 192.0.2.2 0x00000 reason=loopback_down
        # row 9 does
        ! -c 203.0.113.0/24=manual
        base
        second
        = 203.0.113.5%eth1 0x00007 reason=connection_available
        # a pair is covered by its remote address
        ! -c 10.0.0.0/8=traffic
        base
        i route add unreachable 10.0.0.0/8
        = 192.0.2.2>10.1.2.3 0x0000f reason=connection_available
        # IPv6 block
        ! -c 2001:db8:a::/48=demand
        i link set lo up
        = 2001:db8:a::1 0x00027 reason=connection_available
        = 2001:db8:b::1 0x00000
        """
}
