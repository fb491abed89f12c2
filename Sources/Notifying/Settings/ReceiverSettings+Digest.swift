// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

extension ReceiverSettings {
    /// A digest of the definition: equal on all nodes whose version of reachd and whose definition are the same. Secrets in files are
    /// not part of it, only the files' paths.
    package var digest: String {
        let digest = SHA256.digest(of: Array(StableDescription.text(of: self).utf8)) ?? []
        return digest.prefix(16).map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0\(text)" : text
        }
        .joined()
    }
}

/// The text of a value's parts, the same in each process: unlike a standard description, sets and dictionaries have an order.
enum StableDescription {
    /// Definitions are not deeper; it only bounds the recursion.
    private static let maximumDepth = 32

    static func text(of value: Any, depth: Int = 0) -> String {
        let mirror = Mirror(reflecting: value)
        guard depth < maximumDepth, !mirror.children.isEmpty else { return quote("\(value)") }
        var parts = mirror.children.map { child in
            "\(child.label ?? ""):\(text(of: child.value, depth: depth + 1))"
        }
        switch mirror.displayStyle {
        case .set, .dictionary: parts.sort()
        default: break
        }
        return "(\(parts.joined(separator: ",")))"
    }

    /// Texts of two parts are not read as others: each has its length.
    private static func quote(_ text: String) -> String { "\(text.utf8.count)=\(text)" }
}
