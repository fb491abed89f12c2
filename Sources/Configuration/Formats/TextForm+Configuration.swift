// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Schema

/// Forms that only the service's own settings have.
extension TextForm {
    /// An address to listen on.
    static let listenAddress = TextForm(
        .init(
            words: "an address such as 127.0.0.1:7532 or unix:/run/reachd.sock",
            bounds: "`ADDRESS:PORT`, `[IPV6]:PORT`, `*:PORT`, `unix:/PATH`, `systemd` or `systemd:NAME`",
            expression:
                #"unix:/.*[^/]|systemd(:[!-9;-~]{1,255})?|([*]|localhost|[0-9.]+|\[[0-9A-Fa-f:.]+\])?:[0-9]+"#,
            example: #""[::1]:7532""#,
            counterexample: "7532"
        )
    ) { text throws(Diagnostic) in .special(try ListenSettings.Source(reading: text)) }

    /// The patterns of an interface rule.
    static let interfacePatterns = TextForm(
        .init(
            words: "a pattern for interfaces such as wl*",
            bounds: "globs with `*` and `?`, separated by `|`",
            expression: #"[^\u0000-\u001f\u007f]{1,1024}"#,
            example: "wl*",
            counterexample: #""wl*||""#,
            mayLookLikeAnother: true
        )
    ) { text throws(Diagnostic) in
        guard text.utf8.count <= 1_024, let patterns = InterfaceRule.patterns(from: text) else {
            let subjects = InterfaceRule.Pattern.Subject.allCases.map { "\($0.rawValue):" }
            throw Diagnostic(
                "is not a pattern for interfaces",
                hint: "write globs separated by |, with nothing or \(subjects.formatted(last: "or")) before each"
            )
        }
        return .special(patterns)
    }

    /// A path in the file system, from the root, or `none`.
    static let pathOrNone = TextForm(
        .init(
            words: "a path, or none",
            bounds: "a path from the root, at most 4,095 bytes, or `none`",
            expression: #"none|/[^\u0000-\u001f\u007f]*"#,
            example: "/etc/reachd/file",
            counterexample: "reachd/file"
        ),
        limit: 4_095
    ) { text throws(Diagnostic) in
        guard text == StateFileSetting.noneWord || text.hasPrefix("/") else {
            let hint = "begin it with /, or write \(StateFileSetting.noneWord)"
            throw Diagnostic("is not a path from the root", hint: hint)
        }
        return .text(text)
    }

    /// The path of files, absolute or relative, with wildcards in its last part.
    static let filePattern = TextForm(
        .init(
            words: "a path of files such as targets.d/*.yaml",
            bounds: "a path with `*`, `?` and `[…]` in the last part only, at most 4,095 bytes",
            expression: #"([^*?\[\u0000-\u001f\u007f]*/)?[^/\u0000-\u001f\u007f]+"#,
            example: "targets.d/*.yaml",
            counterexample: "*/targets.yaml"
        ),
        limit: 4_095,
        namesFile: { _ in true }
    ) { text throws(Diagnostic) in
        guard !text.hasSuffix("/") else {
            throw Diagnostic("is a folder", hint: "write \(text)*.yaml for the files in it")
        }
        guard let slash = text.lastIndex(of: "/"), FilePattern.hasWildcard(text[..<slash]) else { return .text(text) }
        throw Diagnostic("has a wildcard before its last /")
    }
}
