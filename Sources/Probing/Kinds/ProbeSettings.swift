// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Schema

/// The settings of one kind of probe, which say all that the other rooms have to know of the kind.
protocol ProbeSettings: Hashable, Sendable {
    /// What the kind says of itself.
    static var description: ProbeKindDescription { get }

    /// Reads the settings of a declaration.
    ///
    /// - Returns: nil when something was wrong; the declaration has the complaints.
    init?(_ declaration: inout ProbeDeclaration)

    /// The port that is asked; nil where there is none.
    var askedPort: UInt16? { get }

    /// The name that ``TargetPolicy`` has for the probe; the kind's when there is only one.
    var policyKind: TargetPolicy.Kind { get }

    /// Whether TLS may be spoken with what is asked.
    var mayUseTLS: Bool { get }

    /// Another host than the target to connect to: a proxy.
    var proxyHost: ProbeHost? { get }

    /// The same question to a target that a scrape names (``ProbeModule``).
    ///
    /// - Parameters:
    ///   - hasPort: whether the settings name the port, and not only the target may.
    ///   - hostname: the name that the target is asked for, where it is another than its own.
    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind

    /// The probe of one address.
    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt
}

extension ProbeSettings {
    var policyKind: TargetPolicy.Kind { TargetPolicy.Kind(Self.description.name) }
    var mayUseTLS: Bool { false }
    var proxyHost: ProbeHost? { nil }
}

/// What a kind of probe says of itself; configuration, commands, page and documents are made of it.
package struct ProbeKindDescription: Sendable {
    /// Whether a probe has a port.
    package enum Port: Sendable, Hashable {
        /// It has none.
        case none
        /// The probe or the target has to name it.
        case needed
        /// This one, unless the probe or the target names another.
        case standard(UInt16)
        /// The one of its URL.
        case url
    }

    /// A key that a form has to ask for, besides the target and the port.
    package struct Question: Sendable, Hashable {
        /// Where the answer stands in the probe, from the outside in.
        package let path: [String]
        /// The label of the input.
        package let label: String
        /// What the input has at first.
        package let defaultValue: String

        package init(_ path: [String], _ label: String, defaultValue: String = "") {
            self.path = path
            self.label = label
            self.defaultValue = defaultValue
        }
    }

    /// The name in configuration, interface and metrics.
    package let name: String
    /// What other programs call it, for hints.
    package let synonyms: [String]
    /// The name for people: `HTTP`.
    package let label: String
    /// What it shows, for people: `a port takes connections`.
    package let title: String
    /// The schemes of `reachd check`; a second one is that of the kind over TLS.
    package let schemes: [String]
    /// The names that ``TargetPolicy`` has for it.
    package let policies: [String]
    /// Whether a probe has a port.
    package let port: Port
    /// Its own keys of a probe.
    package let fields: [Field]
    /// Its own keys of `expect`.
    package let expectations: [Field]
    /// What a form has to ask for.
    package let questions: [Question]
    /// What its answers say.
    package let facts: [Fact<ProbeAnswers>]

    /// Describes a kind; what is left out follows from the name.
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

/// What all probes of a runner share. On the loop's thread.
struct ProbeServices {
    let echo: EchoService
    let tls: TLSService
    let http: HTTPServices

    /// Closes every socket; a second call does nothing.
    func close() {
        echo.close()
        http.close()
    }
}
