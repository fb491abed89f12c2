// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Forms of plain text, without types of other modules.
extension TextForm {
    /// Free text of one line.
    package static let line = TextForm(
        .init(
            words: "text",
            bounds: "text of one line, at most 256 bytes",
            expression: #"[^\u0000-\u001f\u007f]{1,256}"#,
            example: "web",
            counterexample: #""""#,
            mayLookLikeAnother: true
        ),
        limit: 256
    ) { .text($0) }

    /// Free text of any lines.
    package static let script = TextForm(
        .init(
            words: "text",
            bounds: "text of one or more lines, at most 4,096 bytes",
            expression: #"[\s\S]{1,4096}"#,
            example: "text",
            counterexample: #""""#,
            mayLookLikeAnother: true
        ),
        limit: 4_096,
        takesLines: true
    ) { .text($0) }

    /// A target's id.
    package static let identifier = TextForm(
        .init(
            words: "an id",
            bounds: "an id: letters, digits, `-`, `_`, `.` and `:`, at most 128",
            expression: "[A-Za-z0-9_.:-]{1,128}",
            example: "nas",
            counterexample: "the nas",
            mayLookLikeAnother: true
        )
    ) { text throws(Diagnostic) in
        guard isIdentifier(text) else {
            throw Diagnostic("is not an id", hint: "an id has letters, digits, -, _, . and :, at most 128 of them")
        }
        return .text(text)
    }

    /// A path in the file system, from the root.
    package static let path = TextForm(
        .init(
            words: "a path",
            bounds: "a path from the root, at most 4,095 bytes",
            expression: #"/[^\u0000-\u001f\u007f]*"#,
            example: "/etc/reachd/file",
            counterexample: "reachd/file"
        ),
        limit: 4_095,
        namesFile: { _ in true }
    ) { text throws(Diagnostic) in
        guard text.hasPrefix("/") else { throw Diagnostic("is not a path from the root", hint: "begin it with /") }
        return .text(text)
    }

    /// The path of a URL, from the root.
    package static let urlPath = TextForm(
        .init(
            words: "a path such as /reachd",
            bounds: "the path of a URL from the root, at most 128 bytes",
            expression: "/|(/[A-Za-z0-9._~-]+)+",
            example: "/reachd",
            counterexample: "reachd/"
        )
    ) { text throws(Diagnostic) in
        guard text == "/" || isURLPath(text) else {
            throw Diagnostic(
                "is not a path that requests can begin with",
                hint: "write /reachd: segments of letters, digits, -, ., _ and ~, at most 128 bytes"
            )
        }
        return .text(text)
    }

    /// The permissions of a file.
    package static let fileMode = TextForm(
        .init(
            words: "permissions such as 0660",
            bounds: "permissions in octal digits, with `6` or `7` for the owner",
            expression: "0?[67][0-7]{2}",
            example: #""0660""#,
            counterexample: "rw-rw----",
            mayLookLikeAnother: true
        )
    ) { text throws(Diagnostic) in
        guard (3...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let mode = UInt32(text, radix: 8), mode <= 0o777
        else { throw Diagnostic("is not the permissions of a file", hint: "write octal digits: 0660") }
        guard mode & 0o600 == 0o600 else { throw Diagnostic("excludes the service's own user", hint: "write 0660") }
        return .text(text)
    }

    /// A time of day.
    package static let timeOfDay = TextForm(
        .init(
            words: "a time of day such as 03:30",
            bounds: "a time of day, `HH:MM`",
            expression: "([01][0-9]|2[0-3]):[0-5][0-9]",
            example: #""03:30""#,
            counterexample: #""3:30""#
        )
    ) { text throws(Diagnostic) in
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = UInt8(parts[0]), hour < 24,
            let minute = UInt8(parts[1]), minute < 60
        else { throw Diagnostic("is not a time of day", hint: "write 03:30") }
        return .text(text)
    }

    /// A date or a date-time.
    package static let moment = TextForm(
        .init(
            words: "a date such as 2027-03-01, or a date-time such as 2027-03-01T12:00:00Z",
            bounds: "a date, or a date-time (RFC 3339)",
            expression: "[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ].+)?",
            example: "2027-03-01",
            counterexample: "tomorrow"
        )
    ) { text throws(Diagnostic) in
        guard let time = TimestampText.milliseconds(text) else {
            throw Diagnostic("is not a date", hint: "write 2027-03-01 or 2027-03-01T12:00:00Z")
        }
        return .time(milliseconds: time)
    }

    /// A port or a range of ports.
    package static let portRange = TextForm(
        .init(
            words: "a port such as 443 or a range such as 8000-8999",
            bounds: "a port from 1 to 65535, or two with `-` between them",
            expression: "[0-9]+(-[0-9]+)?",
            example: "8000-8999",
            counterexample: "0",
            mayLookLikeAnother: true
        )
    ) { text throws(Diagnostic) in
        guard ports(text) != nil else {
            throw Diagnostic("is neither a port nor a range of ports", hint: "write 443 or 8000-8999")
        }
        return .text(text)
    }

    /// Whether a text is a URL path that every client and proxy sends unchanged, without a slash at its end.
    package static func isURLPath(_ text: String) -> Bool {
        guard text.first == "/", text.utf8.count <= 128 else { return false }
        return text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy { segment in
            !segment.isEmpty && segment != "." && segment != ".."
                && segment.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                        || "-._~".utf8.contains(byte)
                }
        }
    }

    /// The ports of a text; nil for an invalid text.
    package static func ports(_ text: String) -> ClosedRange<UInt16>? {
        let bounds = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(part) ?? 0 : 0
        }
        guard let first = bounds.first, let last = bounds.last, first > 0, first <= last else { return nil }
        return first...last
    }

    /// Whether a text can be a target's id.
    package static func isIdentifier(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x3a).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            }
    }
}
