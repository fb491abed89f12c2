// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where the system's settings for names are read.
package struct ResolverConfigurationFiles: Sendable, Hashable {
    /// Name servers, search domains and `ndots`, `resolv.conf(5)`.
    package var resolvConf: String
    /// Names with fixed addresses, `hosts(5)`.
    package var hosts: String
    /// Which of the two is asked, and which first, `nsswitch.conf(5)`, line `hosts:`.
    package var nameServiceSwitch: String

    /// Creates a set of paths; the defaults are the system's.
    package init(
        resolvConf: String = "/etc/resolv.conf",
        hosts: String = "/etc/hosts",
        nameServiceSwitch: String = "/etc/nsswitch.conf"
    ) {
        self.resolvConf = resolvConf
        self.hosts = hosts
        self.nameServiceSwitch = nameServiceSwitch
    }

    /// All of them.
    package var all: [String] { [resolvConf, hosts, nameServiceSwitch] }
}
