// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension CaseTexts {
    /// Interface types, facts and rules.
    static let types = """
        # veth is wired
        base
        = 192.0.2.9 0x20002 wired
        # bridge is wired, with and without ports
        i link set lo up; i link add br0 type bridge; i link set br0 up; i addr add 192.0.2.2/24 dev br0
        = 192.0.2.9 0x20002 wired on=br0
        i link add eth0 type veth peer name p0; i link set eth0 master br0; i link set eth0 up; i link set p0 up
        = 192.0.2.9 0x20002 wired on=br0
        i link set p0 down
        = 192.0.2.9 0x00000 reason=no_carrier on=br0
        # tun is a tunnel and has carrier only while somebody holds it
        need tun
        i link set lo up; i tuntap add dev tun0 mode tun; i addr add 10.8.0.2/24 dev tun0; i link set tun0 up
        = 10.8.0.9 0x00000 reason=no_carrier on=tun0
        hold tun0
        = 10.8.0.9 0x00003 tunnel
        release
        = 10.8.0.9 0x00000 reason=no_carrier
        # tap is a tunnel, too
        need tun
        i link set lo up; i tuntap add dev tap0 mode tap; tap tap0; i addr add 10.8.0.2/24 dev tap0; i link set tap0 up
        = 10.8.0.9 0x00003 tunnel
        # ifb is other
        i link set lo up; i link add ifb9 type ifb; i addr add 10.8.0.2/24 dev ifb9; i link set ifb9 up
        = 10.8.0.9 0x20002 other
        # vxlan is a tunnel
        base
        i link add vx0 type vxlan id 7 dstport 4789 local 192.0.2.2 remote 192.0.2.9
        i addr add 10.8.0.2/24 dev vx0; i link set vx0 up
        = 10.8.0.9 0x00003 tunnel on=vx0
        # R45: a tunnel whose far end is behind a modem is WWAN, and expensive; on another uplink it is neither
        ! -t eth0=cellular
        base; second
        i link add vx0 type vxlan id 7 dstport 4789 remote 203.0.113.9
        i addr add 10.8.0.2/24 dev vx0; i link set vx0 up
        = 10.8.0.9 0x40003 tunnel on=vx0 expensive=yes
        i route add 203.0.113.9/32 via 198.18.0.1
        = 10.8.0.9 0x00003 tunnel on=vx0 expensive=no
        i route del 203.0.113.9/32
        = 10.8.0.9 0x40003 tunnel on=vx0 expensive=yes
        # R45: a rule about the tunnel decides whether it is expensive
        ! -t eth0=cellular -t vx0=tunnel,expensive
        base
        i link add vx0 type vxlan id 7 dstport 4789 remote 203.0.113.9
        i addr add 10.8.0.2/24 dev vx0; i link set vx0 up
        = 10.8.0.9 0x40003 tunnel on=vx0 expensive=yes
        # R45: a tun device, as OpenVPN lays its routes, is carried by the default route outside of it
        need tun
        ! -t eth0=cellular
        base; second
        i tuntap add dev tun0 mode tun; i addr add 10.8.0.2/24 dev tun0; i link set tun0 up; hold tun0
        i route add 0.0.0.0/1 dev tun0; i route add 128.0.0.0/1 dev tun0
        = 203.0.113.5 0x40003 tunnel on=tun0
        = default 0x40003 tunnel on=tun0
        i route add default via 198.18.0.1 metric 50
        = 203.0.113.5 0x40003 tunnel on=tun0
        i route add default via 192.0.2.1 metric 900; i route del default via 192.0.2.1 metric 0
        = 203.0.113.5 0x00003 tunnel on=tun0
        i link set eth1 down
        = 203.0.113.5 0x40003 tunnel on=tun0
        # R45: a tunnel inside a tunnel
        ! -t eth0=cellular
        base
        i link add vx0 type vxlan id 7 dstport 4789 remote 203.0.113.9
        i addr add 10.8.0.2/24 dev vx0; i link set vx0 up
        i link add vx1 type vxlan id 8 dstport 4790 remote 10.8.0.9
        i addr add 10.9.0.2/24 dev vx1; i link set vx1 up
        = 10.9.0.9 0x40003 tunnel on=vx1
        # L4: a link whose carrier means nothing is used while it is up
        need tun
        ! -t tun0=other,carrierless
        i link set lo up; i tuntap add dev tun0 mode tap; i addr add 10.8.0.2/24 dev tun0; i link set tun0 up
        = 10.8.0.9 0x20002 other on=tun0
        i link set tun0 down
        = 10.8.0.9 0x00000 reason=no_route
        # macvlan is what its lower link is
        ! -t eth0=wifi
        base
        i link add mv0 link eth0 type macvlan; i addr add 10.8.0.2/24 dev mv0; i link set mv0 up
        = 10.8.0.9 0x20002 wifi on=mv0
        # macvlan on a wire
        base
        i link add mv0 link eth0 type macvlan; i addr add 10.8.0.2/24 dev mv0; i link set mv0 up
        = 10.8.0.9 0x20002 wired on=mv0
        # 43 cellular by name
        ! -t 'wwan*=cellular'
        base
        i link set eth0 down; i link set eth0 name wwan0; i link set wwan0 up; i route add default via 192.0.2.1
        = default 0x40003 cellular on=wwan0 expensive=yes
        # 44 an alternative name gives the type, and takes it back
        ! -t altname:modem-*=cellular
        base
        = default 0x00002 wired
        i link property add dev eth0 altname modem-1
        = default 0x40003 cellular on=eth0
        i link property del dev eth0 altname modem-1
        = default 0x00002 wired
        # a plain pattern matches alternative names, too
        ! -t modem-*=cellular
        base
        i link property add dev eth0 altname modem-1
        = default 0x40003 cellular
        # by kind
        ! -t kind:veth=wifi
        base
        = default 0x00002 wifi
        # by hardware address
        ! -t mac:02:00:5e:*=wifi
        base
        i link set eth0 address 02:00:5e:00:00:01
        = default 0x00002 wifi
        # by driver
        ! -t driver:qmi_wwan=cellular -d eth0=qmi_wwan
        base
        = default 0x40003 cellular
        # the first rule wins
        ! -t eth*=wifi -t eth0=cellular
        base
        = default 0x00002 wifi
        # alternatives in one rule
        ! -t 'en*|eth?|kind:tun=wifi'
        base
        = default 0x00002 wifi
        # a rule that matches nothing
        ! -t wl*=wifi
        base
        = default 0x00002 wired
        # a rule for loopback
        ! -t lo=other
        base
        = 127.0.0.1 0x30002 other
        # 45 wifi by sysfs
        ! -s eth0/uevent:DEVTYPE=wlan
        base
        = default 0x00002 wifi
        = 192.0.2.9 0x20002 wifi
        # cellular by sysfs
        ! -s eth0/uevent:DEVTYPE=wwan
        base
        = default 0x40003 cellular expensive=yes
        # ppp by sysfs
        ! -s eth0/uevent:DEVTYPE=ppp
        base
        = default 0x00003 tunnel
        # wifi by phy80211
        ! -s eth0/phy80211/name:phy0
        base
        = default 0x00002 wifi
        # wifi by the wireless folder
        ! -s eth0/wireless/status:0
        base
        = default 0x00002 wifi
        # an unknown DEVTYPE changes nothing
        ! -s eth0/uevent:DEVTYPE=bridge
        base
        = default 0x00002 wired
        # a rule goes before sysfs
        ! -t eth0=cellular -s eth0/uevent:DEVTYPE=wlan
        base
        = default 0x40003 cellular
        # sysfs of another namespace's link of the same name (L8)
        ! -s eth0/uevent:DEVTYPE=wlan -s eth0/ifindex:9999
        base
        = default 0x00002 wired
        # modems by their drivers' names
        base
        i link set eth0 down; i link set eth0 name rmnet0; i link set rmnet0 up; i route add default via 192.0.2.1
        = default 0x40003 cellular
        # dummy
        need dummy
        i link set lo up; i link add d0 type dummy; i addr add 10.8.0.2/24 dev d0; i link set d0 up
        = 10.8.0.9 0x20002 other
        # wireguard
        need wireguard
        i link set lo up; i link add wg0 type wireguard; i addr add 10.8.0.2/24 dev wg0; i link set wg0 up
        = 10.8.0.9 0x00003 tunnel
        # vlan
        need vlan
        ! -t eth0=wifi
        base
        i link add link eth0 name eth0.7 type vlan id 7; i addr add 10.8.0.2/24 dev eth0.7; i link set eth0.7 up
        = 10.8.0.9 0x20002 wifi
        # ipvlan
        need ipvlan
        base
        i link add iv0 link eth0 type ipvlan; i addr add 10.8.0.2/24 dev iv0; i link set iv0 up
        = 10.8.0.9 0x20002 wired
        # ipip
        need ipip
        base
        i link add ip0 type ipip local 192.0.2.2 remote 192.0.2.9; i addr add 10.8.0.2/24 dev ip0; i link set ip0 up
        = 10.8.0.9 0x00003 tunnel
        # gre
        need gre
        base
        i link add gr0 type gre local 192.0.2.2 remote 192.0.2.9; i addr add 10.8.0.2/24 dev gr0; i link set gr0 up
        = 10.8.0.9 0x00003 tunnel
        # geneve
        need geneve
        base
        i link add gn0 type geneve id 7 remote 192.0.2.9; i addr add 10.8.0.2/24 dev gn0; i link set gn0 up
        = 10.8.0.9 0x00003 tunnel
        # bond
        need bond
        i link set lo up; i link add bond0 type bond; i addr add 10.8.0.2/24 dev bond0; i link set bond0 up
        = 10.8.0.9 0x00000 reason=no_carrier
        """
}
