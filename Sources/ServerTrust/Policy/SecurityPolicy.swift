// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Whether a server's certificates are acceptable: AFNetworking's security policy (AFSecurityPolicy, S1–S34), and what it
/// says about why.
///
/// A value: copies are copies (S6). The names are the original's where it has one. It differs from the original in this:
///
/// - equality is that of values, and not of identity (S6);
/// - a pin that is no certificate is refused when it is put in, and neither skipped nor a crash (S4, S19);
/// - ``TrustCompatibility/strict`` closes S17, and is the default;
/// - the part of a chain that leads to no anchor counts as far as each certificate was signed by the next, which may
///   sign (S14): issuers are found by their names, which anybody can write;
/// - of what Apple's systems ask beyond that (S22): a server's purpose may be missing, since Linux has no line between the
///   authorities that came with the system and those that its owner added; lifetimes are looked at on request;
///   certificate transparency, block lists and revocation are not;
/// - what concerns sessions of NSURLSession (S26, S29, S31, S32) has no counterpart: every handshake of a probe asks its
///   policy (S28), and every one begins with ``default``.
///
/// ```swift
/// var policy = try SecurityPolicy(pinningMode: .publicKey, pins: PinSet(["sha256/…", "sha256/…"]))
/// let verdict = policy.evaluate(chain, domain: "example.org", at: now, anchors: try .system())
/// if !verdict.isAccepted { print(verdict.faults) }
/// ```
public struct SecurityPolicy: Sendable, Hashable {
    /// What is pinned (S1); it does not change.
    public let pinningMode: PinningMode
    /// The pins (S1). Their keys go with them at once (S4, S5).
    public private(set) var pins: PinSet
    /// Whether certificates that lead to no authority are acceptable (S1). What it means differs between the modes: see
    /// the table of ``TruthTable``.
    public var allowInvalidCertificates = false
    /// Whether the server's certificate has to be for the domain (S1).
    public var validatesDomainName = true
    /// Whose rules hold where the original's are dangerous (S17).
    public var compatibility = TrustCompatibility.strict
    /// What the certificates are judged as; nil: as S8 has it, a server's if ``validatesDomainName``, otherwise any.
    public var purpose: TrustPurpose?
    /// Whether a common name counts as a host name when there is no DNS name in the certificate; RFC 9525 and Apple say
    /// no (S23).
    public var allowsCommonName = false
    /// Whether weak keys and signatures are acceptable (S22).
    public var allowsWeakCertificates = false
    /// Whether certificates that are valid for longer than Apple accepts are refused (S22).
    public var limitsLifetime = false
    /// Whether a pin that is missing is told and the server accepted all the same.
    public var reportsPinsOnly = false

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - pinningMode: What is pinned.
    ///   - pins: The pins; with none, a mode other than ``PinningMode/none`` rejects everybody (S20).
    /// - Throws: ``TrustError`` with ``TrustError/Code/certificateNeeded`` when certificates are pinned and a pin is none.
    public init(pinningMode: PinningMode, pins: PinSet = PinSet()) throws(TrustError) {
        self.pinningMode = pinningMode
        self.pins = pins
        try check(pins)
    }

    private init() {
        pinningMode = .none
        pins = PinSet()
    }

    /// The policy that everybody starts with (S2, S26): nothing pinned, everything validated.
    public static var `default`: SecurityPolicy { SecurityPolicy() }

    /// The policy that accepts every server (T7), and says what is wrong with it.
    public static var permissive: SecurityPolicy {
        var policy = SecurityPolicy()
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        // As a server's, so that everything that is wrong is told.
        policy.purpose = .server
        return policy
    }

    /// Changes the pins.
    ///
    /// - Throws: As ``init(pinningMode:pins:)``; the pins are the old ones then.
    public mutating func setPins(_ pins: PinSet) throws(TrustError) {
        try check(pins)
        self.pins = pins
    }

    /// Makes sure that the policy is for a URL: pins have no meaning without TLS (S27). Whoever hands a policy to a
    /// client of HTTP asks when it does so.
    ///
    /// - Parameter url: The URL; its scheme has to be `https`, written so.
    /// - Throws: ``TrustError`` with ``TrustError/Code/invalidSecurityPolicy``.
    public func requireSecure(url: String?) throws(TrustError) {
        guard pinningMode != .none, url?.hasPrefix("https:") != true else { return }
        let place = url.map { "\($0)" } ?? "a client without a base URL"
        throw TrustError(
            .invalidSecurityPolicy,
            "Invalid Security Policy: pins by \(pinningMode.name) need https, and not \(place)"
        )
    }

    /// What the certificates are judged as.
    public var effectivePurpose: TrustPurpose { purpose ?? (validatesDomainName ? .server : .any) }

    private func check(_ pins: PinSet) throws(TrustError) {
        guard pinningMode == .certificate, pins.pins.contains(where: { $0.certificate == nil }) else { return }
        throw TrustError(.certificateNeeded, "to pin certificates a certificate is needed, not the digest of a key")
    }
}

/// As the original archives itself (S6): the mode as a number, the switches and the pins under their names; and ours,
/// which may be missing.
extension SecurityPolicy: Codable {
    private enum Key: String, CodingKey {
        case pinningMode = "SSLPinningMode"
        case allowInvalidCertificates
        case validatesDomainName
        case pins = "pinnedCertificates"
        case compatibility
        case purpose
        case allowsCommonName
        case allowsWeakCertificates
        case limitsLifetime
        case reportsPinsOnly
    }

    /// Reads a policy; what it cannot be made of is refused as its initializers refuse it.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self = try SecurityPolicy(
            pinningMode: values.decode(PinningMode.self, forKey: .pinningMode),
            pins: values.decodeIfPresent(PinSet.self, forKey: .pins) ?? PinSet()
        )
        allowInvalidCertificates = try values.decode(Bool.self, forKey: .allowInvalidCertificates)
        validatesDomainName = try values.decode(Bool.self, forKey: .validatesDomainName)
        compatibility = try values.decodeIfPresent(TrustCompatibility.self, forKey: .compatibility) ?? .strict
        purpose = try values.decodeIfPresent(TrustPurpose.self, forKey: .purpose)
        allowsCommonName = try values.decodeIfPresent(Bool.self, forKey: .allowsCommonName) ?? false
        allowsWeakCertificates = try values.decodeIfPresent(Bool.self, forKey: .allowsWeakCertificates) ?? false
        limitsLifetime = try values.decodeIfPresent(Bool.self, forKey: .limitsLifetime) ?? false
        reportsPinsOnly = try values.decodeIfPresent(Bool.self, forKey: .reportsPinsOnly) ?? false
    }

    /// Writes a policy.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(pinningMode, forKey: .pinningMode)
        try values.encode(allowInvalidCertificates, forKey: .allowInvalidCertificates)
        try values.encode(validatesDomainName, forKey: .validatesDomainName)
        try values.encode(pins, forKey: .pins)
        try values.encode(compatibility, forKey: .compatibility)
        try values.encodeIfPresent(purpose, forKey: .purpose)
        try values.encode(allowsCommonName, forKey: .allowsCommonName)
        try values.encode(allowsWeakCertificates, forKey: .allowsWeakCertificates)
        try values.encode(limitsLifetime, forKey: .limitsLifetime)
        try values.encode(reportsPinsOnly, forKey: .reportsPinsOnly)
    }
}

/// What a server's certificates are compared with (S1); the numbers are the original's.
public enum PinningMode: Int, Sendable, Hashable, CaseIterable, Codable {
    /// Nothing is pinned: the chain has to lead to an authority.
    case none = 0
    /// A pinned public key has to be in the chain.
    case publicKey = 1
    /// The chain has to lead to a pinned certificate.
    case certificate = 2

    /// Its name in the configuration, on the command line and in answers.
    public var name: String {
        switch self {
        case .none: "none"
        case .publicKey: "public_key"
        case .certificate: "certificate"
        }
    }

    /// - Parameter name: Its name in the configuration.
    public init?(name: String) {
        guard let mode = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = mode
    }
}

/// Whose rules hold where the original's are dangerous.
public enum TrustCompatibility: String, Sendable, Hashable, CaseIterable, Codable {
    /// Pinned keys with invalid certificates allowed do not excuse a certificate for another host (S17 closed).
    case strict
    /// AFNetworking's table, S17 included: such a certificate is taken whatever host it is for.
    case afnetworking
}

/// What certificates are judged as (S8).
public enum TrustPurpose: String, Sendable, Hashable, CaseIterable, Codable {
    /// A TLS server's: extended key usage and key usage, strength of keys and signatures count (S22).
    case server
    /// Any certificate (plain X.509, S21).
    case any
}
