// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// What the settings of a probe are read from, and what was wrong with it.
package struct ProbeDeclaration {
    /// The probe's mapping.
    package let object: ValidatedMapping
    /// What is asked.
    package let host: ProbeHost
    /// The time for a run.
    package let timeout: Duration
    /// What is wrong, as complaints of the target that has the probe.
    package var problems: TargetDiagnostics

    let pinReader: PinReader
    /// The probe's own port, or the target's.
    let givenPort: UInt16?
    private let hasPort: Bool

    /// Creates a declaration without complaints.
    ///
    /// - Parameters:
    ///   - target: the mapping of the target that has the probe.
    ///   - pinReader: reads each file of pins once.
    package init(
        _ object: ValidatedMapping,
        of target: ValidatedMapping,
        host: ProbeHost,
        timeout: Duration,
        pinReader: PinReader = PinReader(),
        problems: TargetDiagnostics
    ) {
        self.object = object
        self.host = host
        self.timeout = timeout
        self.pinReader = pinReader
        self.problems = problems
        givenPort = (object.integer("port") ?? target.integer("port")).flatMap(UInt16.init(exactly:))
        hasPort = object.has("port") || target.has("port")
    }

    /// What counts as an answer.
    var expectation: ValidatedMapping? { object.object("expect") }

    /// The port; nil where there has to be one and is none.
    mutating func port(defaultValue: UInt16? = nil) -> UInt16? {
        if let port = givenPort ?? defaultValue { return port }
        // What is no port was complained of already.
        if !hasPort { problems.add(.missingKey, at: "probe", "the probe needs a port") }
        return nil
    }

    /// Reports what is wrong with a key of the probe.
    mutating func complain(_ code: ConfigurationDiagnostic.Code, at key: String, _ words: String, hint: String? = nil) {
        problems.add(code, in: "probe", at: key, words, hint: hint)
    }

    /// Reports what is wrong with a key of a mapping in the probe.
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
