// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where the system's settings for names are read.
public struct ResolverConfigurationFiles: Sendable, Hashable {
    /// Name servers, search domains and `ndots`, `resolv.conf(5)`.
    public var resolvConf: String
    /// Names with fixed addresses, `hosts(5)`.
    public var hosts: String
    /// Which of the two is asked, and which first, `nsswitch.conf(5)`, line `hosts:`.
    public var nameServiceSwitch: String

    /// Creates a set of paths; the defaults are the system's.
    public init(
        resolvConf: String = "/etc/resolv.conf",
        hosts: String = "/etc/hosts",
        nameServiceSwitch: String = "/etc/nsswitch.conf"
    ) {
        self.resolvConf = resolvConf
        self.hosts = hosts
        self.nameServiceSwitch = nameServiceSwitch
    }

    /// All of them.
    public var all: [String] { [resolvConf, hosts, nameServiceSwitch] }
}
