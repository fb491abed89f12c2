// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// The declaration of a probe that its settings are read from, with the diagnostics.
package struct ProbeDeclaration {
    /// The probe's mapping.
    package let object: ValidatedMapping
    /// The host to probe.
    package let host: ProbeHost
    /// The timeout of a run.
    package let timeout: Duration
    /// The diagnostics, attributed to the probe's target.
    package var problems: MappingDiagnostics

    let pinReader: PinReader
    /// The probe's port, otherwise the target's.
    let givenPort: UInt16?
    private let hasPort: Bool

    /// Creates a declaration without diagnostics.
    ///
    /// - Parameters:
    ///   - target: The mapping of the target that has the probe.
    ///   - pinReader: Reads each file of pins once.
    package init(
        _ object: ValidatedMapping,
        of target: ValidatedMapping,
        host: ProbeHost,
        timeout: Duration,
        pinReader: PinReader = PinReader(),
        problems: MappingDiagnostics
    ) {
        self.object = object
        self.host = host
        self.timeout = timeout
        self.pinReader = pinReader
        self.problems = problems
        givenPort = (object.integer("port") ?? target.integer("port")).flatMap(UInt16.init(exactly:))
        hasPort = object.has("port") || target.has("port")
    }

    /// The probe's `expect` mapping.
    var expectation: ValidatedMapping? { object.object("expect") }

    /// Returns the port; reports a missing one and returns nil.
    mutating func port(defaultValue: UInt16? = nil) -> UInt16? {
        if let port = givenPort ?? defaultValue { return port }
        // An invalid port is reported already.
        if !hasPort { problems.add(.missingKey, at: "probe", "the probe needs a port") }
        return nil
    }

    /// Reports a problem of a key of the probe.
    mutating func complain(_ code: ConfigurationDiagnostic.Code, at key: String, _ words: String, hint: String? = nil) {
        problems.add(code, in: "probe", at: key, words, hint: hint)
    }

    /// Reports a problem of a key of a mapping in the probe.
    mutating func complain(
        _ code: ConfigurationDiagnostic.Code,
        in section: String,
        at key: String,
        _ words: String,
        hint: String? = nil
    ) {
        problems.add(code, in: "probe", section, at: key, words, hint: hint)
    }
}
