// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How a ``PathEngine`` sees the machine.
public struct PathEngineOptions: Sendable, Hashable {
    /// Interface rules, the first match wins (linux-paths section 5).
    public var interfaceRules: [InterfaceRule] = []
    /// Connections that could be made while there is no route (linux-paths section 4.4).
    public var connections: [DeclaredConnection] = []
    /// The firewall mark for requests that name none.
    public var mark: UInt32?
    /// Where sysfs is mounted; interface types fall back to netlink's facts where it is missing.
    public var sysfsRoot: String = "/sys"
    /// The wanted netlink receive buffer, in bytes.
    public var receiveBuffer: Int = 8 << 20
    /// The resolver's files, watched for changes.
    public var resolverFiles: ResolverFiles = .init()

    /// The files that name resolution depends on.
    public struct ResolverFiles: Sendable, Hashable {
        /// The resolver configuration.
        public var configuration = "/etc/resolv.conf"
        /// The hosts file.
        public var hosts = "/etc/hosts"
        /// Which of the two is asked, and which first.
        public var nameServiceSwitch = "/etc/nsswitch.conf"
        /// Further files whose change means a new resolver state: systemd-resolved's stub hides its uplink's servers.
        public var watched = ["/run/systemd/resolve/resolv.conf"]

        /// All of them.
        var all: [String] { [configuration, hosts, nameServiceSwitch] + watched }

        /// The system's own files.
        public init() {}
    }

    /// Creates options for the machine as it is.
    public init() {}
}
