// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The path that is probed, chosen from those of a host's rules.
enum KubernetesPath {
    /// Characters of regular expressions that are no part of a literal path.
    private static let special = Array("()[]{}*+?^$|\\".utf8)

    /// The path of a host: `/` if a rule covers it, else the shortest one. A regular expression counts with its literal beginning.
    static func choose(_ paths: [KubernetesRoutes.Path]) -> String {
        let candidates = paths.map(text)
        if candidates.isEmpty || candidates.contains("/") { return "/" }
        return candidates.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) } ?? "/"
    }

    /// The literal text of a path, or of its beginning.
    static func text(_ path: KubernetesRoutes.Path) -> String {
        guard path.isPattern else { return isPath(path.text) ? path.text : "/" }
        var bytes = Array(path.text.utf8)
        if bytes.first == UInt8(ascii: "^") { bytes.removeFirst() }
        guard let end = bytes.firstIndex(where: special.contains) else {
            // A trailing dot of `/app.` may be any character; nothing shorter is better.
            let text = String(decoding: bytes, as: UTF8.self)
            return isPath(text) ? text : "/"
        }
        var beginning = bytes[..<end]
        // Before a group the text is whole: `/api(/|$)(.*)`. Other characters change what precedes them: `/v[12]`, `/api/?`.
        if bytes[end] != UInt8(ascii: "("), bytes[end] != UInt8(ascii: "$") {
            while let last = beginning.last, last != UInt8(ascii: "/") { beginning.removeLast() }
        }
        let text = String(decoding: beginning, as: UTF8.self)
        return isPath(text) ? text : "/"
    }

    /// Whether a text can be the path of a URL as it is, with a query.
    static func isPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= 1_024
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !forbidden.contains($0) }
    }

    private static let forbidden = Array("\"<>\\^`{|}#".utf8)
}
