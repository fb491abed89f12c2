// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The forms of text that the configuration knows; each has one function that reads it.
public enum TextForm: String, Sendable, CaseIterable {
    /// Free text of one line.
    case line
    /// A target's id.
    case identifier
    /// A host name, or an address.
    case host
    /// An IP address, with `%interface` if wanted.
    case address
    /// An address block, or `default`.
    case coverage
    /// The name of a network interface.
    case interfaceName = "interface_name"
    /// The alternatives of an interface rule.
    case interfacePatterns = "interface_patterns"
    /// Where to listen.
    case listenAddress = "listen_address"
    /// A path in the file system, from the root.
    case path
    /// A path in the file system, from the root, or `none`.
    case pathOrNone = "path_or_none"
    /// The path of a URL, from the root.
    case urlPath = "url_path"
    /// The permissions of a file.
    case fileMode = "file_mode"
    /// Free text of any lines.
    case script
    /// A regular expression.
    case pattern
    /// A time of day.
    case timeOfDay = "time_of_day"
    /// A port, or the first and the last of some.
    case portRange = "port_range"
    /// A date, or a moment of one.
    case moment
    /// What a server is known by.
    case pin

    /// What is wanted, in words.
    var words: String {
        switch self {
        case .line: "text"
        case .identifier: "an id"
        case .host: "a host name"
        case .address: "an IP address"
        case .coverage: "an address block such as 10.0.0.0/8, or default"
        case .interfaceName: "the name of an interface"
        case .interfacePatterns: "a pattern for interfaces such as wl*"
        case .listenAddress: "an address such as 127.0.0.1:7532 or unix:/run/reachd.sock"
        case .path: "a path"
        case .pathOrNone: "a path, or none"
        case .urlPath: "a path such as /reachd"
        case .fileMode: "permissions such as 0660"
        case .script: "text"
        case .pattern: "a regular expression"
        case .timeOfDay: "a time of day such as 03:30"
        case .portRange: "a port such as 443 or a range such as 8000-8999"
        case .moment: "a date such as 2027-03-01, or a date-time such as 2027-03-01T12:00:00Z"
        case .pin: "a pin such as sha256/… or the path of certificates"
        }
    }
}
