// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where names are looked up, in order: the line `hosts:` of `nsswitch.conf(5)`.
///
/// Only the hosts file and the name servers are known here; other modules are passed over, as are the actions in
/// brackets. `resolve` means systemd-resolved, which answers as a name server too.
struct NameSources: Equatable {
    enum Source: Equatable {
        case hosts
        case servers
    }

    let order: [Source]

    /// The defaults.
    static let standard = NameSources(order: [.hosts, .servers])

    /// Reads a file's bytes; a file without the line, or with no module that is known, means ``standard``.
    init(parsing file: [UInt8]) {
        var order: [Source] = []
        for line in file.split(separator: UInt8(ascii: "\n")) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
            }
            guard let first = words.first, first.elementsEqual("hosts:".utf8) else { continue }
            for word in words.dropFirst() {
                let source: Source
                switch String(decoding: word, as: UTF8.self) {
                case "files": source = .hosts
                case "dns", "resolve": source = .servers
                default: continue
                }
                if !order.contains(source) { order.append(source) }
            }
            break
        }
        self.order = order.isEmpty ? Self.standard.order : order
    }

    private init(order: [Source]) {
        self.order = order
    }
}

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
