// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Schema

/// The settings of one kind of probe, with everything that other modules need to know about the kind.
protocol ProbeSettings: Hashable, Sendable {
    /// The description of the kind.
    static var description: ProbeKindDescription { get }

    /// Reads the settings of a declaration.
    ///
    /// - Returns: nil when the declaration is invalid; it then contains the diagnostics.
    init?(_ declaration: inout ProbeDeclaration)

    /// The probed port; nil where there is none.
    var askedPort: UInt16? { get }

    /// The probe's name in ``TargetPolicy``; by default the kind's.
    var policyKind: TargetPolicy.Kind { get }

    /// Whether the probe may use TLS.
    var mayUseTLS: Bool { get }

    /// The host to connect to instead of the target: a proxy.
    var proxyHost: ProbeHost? { get }

    /// Returns the same probe for a target that a scrape names (``ProbeModule``).
    ///
    /// - Parameters:
    ///   - hasPort: Whether the settings set the port, and not only the target may.
    ///   - hostname: The host name of the request, where it is not the target's own.
    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind

    /// Creates the probe of one address.
    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt
}

extension ProbeSettings {
    var policyKind: TargetPolicy.Kind { TargetPolicy.Kind(Self.description.name) }
    var mayUseTLS: Bool { false }
    var proxyHost: ProbeHost? { nil }
}

/// The description of a kind, from which configuration, commands, page and documents are generated.
package struct ProbeKindDescription: Sendable {
    /// The source of a probe's port.
    package enum Port: Sendable, Hashable {
        /// The kind has no ports.
        case none
        /// The probe or the target must set it.
        case needed
        /// This port, unless the probe or the target sets another.
        case standard(UInt16)
        /// The port of the URL.
        case url
    }

    /// A key that a form must prompt for, besides the target and the port.
    package struct Question: Sendable, Hashable {
        /// The path of the key in the probe, outermost first.
        package let path: [String]
        /// The label of the input.
        package let label: String
        /// The initial value of the input.
        package let defaultValue: String

        package init(_ path: [String], _ label: String, defaultValue: String = "") {
            self.path = path
            self.label = label
            self.defaultValue = defaultValue
        }
    }

    /// The name in configuration, API and metrics.
    package let name: String
    /// The names in other programs, for hints.
    package let synonyms: [String]
    /// The name for people: `HTTP`.
    package let label: String
    /// The condition that a success shows, for people: `a port accepts connections`.
    package let title: String
    /// The schemes of `reachd check`; the second is that of the kind over TLS.
    package let schemes: [String]
    /// The names in ``TargetPolicy``.
    package let policies: [String]
    /// The source of a probe's port.
    package let port: Port
    /// The kind's own keys of a probe.
    package let fields: [Field]
    /// The kind's own keys of `expect`.
    package let expectations: [Field]
    /// The keys that a form must prompt for.
    package let questions: [Question]
    /// The facts in its answers.
    package let facts: [Fact<ProbeAnswers>]

    /// Creates a description; omitted values are derived from the name.
    package init(
        _ name: String,
        synonyms: [String] = [],
        label: String? = nil,
        title: String,
        schemes: [String]? = nil,
        policies: [String]? = nil,
        port: Port,
        fields: [Field] = [],
        expectations: [Field] = [],
        questions: [Question] = [],
        answer: (any ProbeAnswer.Type)? = nil
    ) {
        self.name = name
        self.synonyms = synonyms
        self.label = label ?? name.uppercased()
        self.title = title
        self.schemes = schemes ?? [name]
        self.policies = policies ?? [name]
        self.port = port
        self.fields = fields
        self.expectations = expectations
        self.questions = questions
        facts = answer?.generalFacts ?? []
    }
}

/// The services that all probes of a runner share. On the loop's thread.
struct ProbeServices {
    let echo: EchoService
    let tls: TLSService
    let http: HTTPServices
    var opened: ConnectionHandler?

    /// Closes every socket; a second call does nothing.
    func close() {
        echo.close()
        http.close()
    }
}
