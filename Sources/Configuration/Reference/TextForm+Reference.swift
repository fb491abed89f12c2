// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a form of text looks like, for people and for editors.
extension TextForm {
    /// A regular expression that every text of this form matches, of those that are written without a variable. It is no
    /// narrower than the function that reads the form, and wider where only a program can tell.
    var expression: String {
        switch self {
        case .line: #"[^\u0000-\u001f\u007f]{1,256}"#
        case .identifier: "[A-Za-z0-9_.:-]{1,128}"
        case .host: "[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]+"
        case .address: #"[0-9A-Fa-f:.]+(%[^\u0000-\u0020\u007f/:]{1,127})?"#
        case .coverage: "default|[0-9A-Fa-f:.]+(/[0-9]+)?"
        case .interfaceName: #"[^\u0000-\u0020\u007f/:]{1,127}"#
        case .interfacePatterns: #"[^\u0000-\u001f\u007f]{1,1024}"#
        case .listenAddress:
            #"unix:/.*[^/]|systemd(:[!-9;-~]{1,255})?|([*]|localhost|[0-9.]+|\[[0-9A-Fa-f:.]+\])?:[0-9]+"#
        case .path: #"/[^\u0000-\u001f\u007f]*"#
        case .pathOrNone: #"none|/[^\u0000-\u001f\u007f]*"#
        case .urlPath: "/|(/[A-Za-z0-9._~-]+)+"
        case .fileMode: "0?[67][0-7]{2}"
        case .script: #"[\s\S]{1,4096}"#
        case .pattern: #"[^\u0000-\u001f\u007f]{1,1024}"#
        case .timeOfDay: "([01][0-9]|2[0-3]):[0-5][0-9]"
        case .portRange: "[0-9]+(-[0-9]+)?"
        case .moment: "[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ].+)?"
        case .pin: "/.*|sha256/[A-Za-z0-9+/]{43}="
        }
    }

    /// Whether YAML may take a text of this form for a number or a boolean, which makes no difference to reachd.
    var mayLookLikeAnother: Bool {
        switch self {
        case .line, .identifier, .host, .interfaceName, .interfacePatterns, .script, .pattern, .fileMode, .portRange:
            true
        case .address, .coverage, .listenAddress, .path, .pathOrNone, .urlPath, .timeOfDay, .moment, .pin: false
        }
    }

    /// What a text of this form may be, in words, with its bounds.
    var bounds: String {
        switch self {
        case .line: "text of one line, at most 256 bytes"
        case .identifier: "an id: letters, digits, `-`, `_`, `.` and `:`, at most 128"
        case .host: "a host name, or an IP address"
        case .address: "an IP address, with `%INTERFACE` after it if wanted"
        case .coverage: "an address block such as `10.0.0.0/8`, an address, or `default` for all"
        case .interfaceName: "the name of an interface, or an alternative name"
        case .interfacePatterns: "globs with `*` and `?`, alternatives between `|`"
        case .listenAddress: "`ADDRESS:PORT`, `[IPV6]:PORT`, `*:PORT`, `unix:/PATH`, `systemd` or `systemd:NAME`"
        case .path: "a path from the root, at most 4,095 bytes"
        case .pathOrNone: "a path from the root, at most 4,095 bytes, or `none`"
        case .urlPath: "the path of a URL from the root, at most 128 bytes"
        case .fileMode: "permissions in octal digits, with `6` or `7` for the owner"
        case .script: "text of any lines, at most 4,096 bytes"
        case .pattern:
            "a regular expression (RE2 syntax; `.` is a byte, `^` and `$` match at every line), at most 1,024 bytes"
        case .timeOfDay: "a time of day, `HH:MM`"
        case .portRange: "a port from 1 to 65535, or two with `-` between them"
        case .moment: "a date, or a date-time (RFC 3339)"
        case .pin: "`sha256/` and the Base64 of 32 bytes, or a path from the root"
        }
    }

    /// A text of this form, as YAML has it.
    var example: String {
        switch self {
        case .line: "web"
        case .identifier: "nas"
        case .host: "example.org"
        case .address: "192.0.2.10"
        case .coverage: "10.0.0.0/8"
        case .interfaceName: "eth0"
        case .interfacePatterns: "wl*"
        case .listenAddress: #""[::1]:7532""#
        case .path, .pathOrNone: "/etc/reachd/file"
        case .urlPath: "/reachd"
        case .fileMode: #""0660""#
        case .script: "text"
        case .pattern: #""^ok""#
        case .timeOfDay: #""03:30""#
        case .portRange: "8000-8999"
        case .moment: "2027-03-01"
        case .pin: "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        }
    }

    /// A text that is none of this form, as YAML has it: something that people write.
    var counterexample: String {
        switch self {
        case .line, .script: #""""#
        case .identifier: "the nas"
        case .host: "https://example.org:8443/"
        case .address: "192.0.2.0/24"
        case .coverage: "10.1.2.3/8"
        case .interfaceName: "eth 0"
        case .interfacePatterns: #""wl*||""#
        case .listenAddress: "7532"
        case .path, .pathOrNone: "reachd/file"
        case .urlPath: "reachd/"
        case .fileMode: "rw-rw----"
        case .pattern: #""(""#
        case .timeOfDay: #""3:30""#
        case .portRange: "0"
        case .moment: "tomorrow"
        case .pin: "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        }
    }
}
