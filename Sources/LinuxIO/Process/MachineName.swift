// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// The name of this machine.
package enum MachineName {
    /// The name as the kernel has it, often without its domain. Any thread.
    package static var current: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
        let name = String(
            decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
        return name.isEmpty ? "localhost" : name
    }

    /// The name with its domain, as `hostname --fqdn` finds it without a name server; nil where it has none. Reads `/etc/hosts`.
    /// Any thread.
    package static var full: String? {
        let hosts = (try? FileContents.read("/etc/hosts", limit: 1 << 16)) ?? []
        return full(of: current, hosts: String(decoding: hosts, as: UTF8.self))
    }

    /// The name with its domain: the name itself, or the one that `/etc/hosts` has for it.
    package static func full(of name: String, hosts: String) -> String? {
        if isFull(name) { return name }
        for line in hosts.split(whereSeparator: \.isNewline) {
            let names = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).dropFirst().map(String.init)
            guard names.contains(name), let found = names.first(where: { $0.hasPrefix("\(name).") && isFull($0) })
            else {
                continue
            }
            return found
        }
        return nil
    }

    private static func isFull(_ name: String) -> Bool {
        name.utf8.count <= 253 && name.split(separator: ".").count > 1
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
    }
}
