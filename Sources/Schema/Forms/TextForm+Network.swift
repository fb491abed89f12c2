// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Forms of hosts, addresses and interfaces.
extension TextForm {
    /// A host name, or an address.
    package static let host = TextForm(
        .init(
            words: "a host name",
            bounds: "a host name, or an IP address",
            expression: #"[^\u0000-\u002c/:-@\[-\^`{-\u007f]+|[0-9A-Fa-f:.]+"#,
            example: "example.org",
            counterexample: "https://example.org:8443/",
            mayLookLikeAnother: true
        )
    ) { text throws(Diagnostic) in try HostText.read(text) }

    /// An IP address, with optional `%interface`.
    package static let address = TextForm(
        .init(
            words: "an IP address",
            bounds: "an IP address, optionally followed by `%INTERFACE`",
            expression: #"[0-9A-Fa-f:.]+(%[^\u0000-\u0020\u007f/:]{1,127})?"#,
            example: "192.0.2.10",
            counterexample: "192.0.2.0/24"
        )
    ) { text throws(Diagnostic) in try AddressText.read(text) }

    /// An address block, or `default`.
    package static let coverage = TextForm(
        .init(
            words: "an address block such as 10.0.0.0/8, or default",
            bounds: "an address block such as `10.0.0.0/8`, an address, or `default` for all",
            expression: "default|[0-9A-Fa-f:.]+(/[0-9]+)?",
            example: "10.0.0.0/8",
            counterexample: "10.1.2.3/8"
        )
    ) { text throws(Diagnostic) in try AddressText.readCoverage(text) }

    /// The name of a network interface.
    package static let interfaceName = TextForm(
        .init(
            words: "the name of an interface",
            bounds: "the name of an interface, or an alternative name",
            expression: #"[^\u0000-\u0020\u007f/:]{1,127}"#,
            example: "eth0",
            counterexample: "eth 0",
            mayLookLikeAnother: true
        )
    ) { text throws(Diagnostic) in
        guard AddressText.isInterfaceName(text) else {
            throw Diagnostic("is not the name of an interface: at most 127 bytes, no space, / or :")
        }
        return .text(text)
    }
}
