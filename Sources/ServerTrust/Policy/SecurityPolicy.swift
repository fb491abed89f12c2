// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Decides whether a server's certificates are acceptable, and why: AFNetworking's AFSecurityPolicy (S1–S34).
///
/// A value type (S6). Names are the original's where it has one. Differences from the original:
///
/// - equality compares values, not identity (S6);
/// - a pin that is not a certificate is rejected when it is added, neither skipped nor a crash (S4, S19);
/// - ``TrustCompatibility/strict`` closes S17, and is the default;
/// - of a chain without an anchor, only the part counts in which each certificate was signed by the next, and the next
///   may sign (S14): issuers are found by name, and anybody can forge a name;
/// - Apple's further requirements (S22): a missing server purpose is accepted, because Linux does not distinguish
///   preinstalled authorities from added ones; lifetimes are checked on request; certificate transparency, block lists
///   and revocation are not checked;
/// - NSURLSession's session rules (S26, S29, S31, S32) have no counterpart: every handshake of a probe queries its
///   policy (S28), and every policy starts from ``default``.
///
/// ```swift
/// var policy = try SecurityPolicy(pinningMode: .publicKey, pins: PinSet(["sha256/…", "sha256/…"]))
/// let verdict = policy.evaluate(chain, domain: "example.org", at: now, anchors: try .system())
/// if !verdict.isAccepted { print(verdict.faults) }
/// ```
public struct SecurityPolicy: Sendable, Hashable {
    /// The pinning mode (S1); immutable.
    public let pinningMode: PinningMode
    /// The pins (S1). The pinned keys are always derived from them (S4, S5).
    public private(set) var pins: PinSet
    /// Whether certificates that do not lead to a CA are acceptable (S1). The effect depends on the mode; see
    /// ``TruthTable``.
    public var allowInvalidCertificates = false
    /// Whether the server's certificate must be valid for the domain (S1).
    public var validatesDomainName = true
    /// The rules for cases where the original's are dangerous (S17).
    public var compatibility = TrustCompatibility.strict
    /// The purpose that certificates are checked for; nil (S8): server if ``validatesDomainName``, otherwise any.
    public var purpose: TrustPurpose?
    /// Whether the common name counts as a host name when the certificate has no DNS name; not so in RFC 9525 and at
    /// Apple (S23).
    public var allowsCommonName = false
    /// Whether weak keys and signatures are acceptable (S22).
    public var allowsWeakCertificates = false
    /// Whether certificates that are valid for longer than Apple allows are rejected (S22).
    public var limitsLifetime = false
    /// Whether a pin mismatch is only reported and the server accepted nevertheless.
    public var reportsPinsOnly = false

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - pinningMode: The pinning mode.
    ///   - pins: The pins; without pins, a mode other than ``PinningMode/none`` rejects every server (S20).
    /// - Throws: ``TrustError`` with ``TrustError/Code/certificateNeeded`` when certificates are pinned and a pin is
    ///   not one.
    public init(pinningMode: PinningMode, pins: PinSet = PinSet()) throws(TrustError) {
        self.pinningMode = pinningMode
        self.pins = pins
        try check(pins)
    }

    private init() {
        pinningMode = .none
        pins = PinSet()
    }

    /// The default policy (S2, S26): no pins, full validation.
    public static var `default`: SecurityPolicy { SecurityPolicy() }

    /// The policy that accepts every server (T7) and reports its faults.
    public static var permissive: SecurityPolicy {
        var policy = SecurityPolicy()
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        // Check as a server's certificate, so that all faults are reported.
        policy.purpose = .server
        return policy
    }

    /// Changes the pins.
    ///
    /// - Throws: As ``init(pinningMode:pins:)``; the pins are then unchanged.
    public mutating func setPins(_ pins: PinSet) throws(TrustError) {
        try check(pins)
        self.pins = pins
    }

    /// Checks that the policy can be applied to a URL: pins require TLS (S27). Call it when an HTTP client is given the
    /// policy.
    ///
    /// - Parameter url: The URL; its scheme must be `https` in lower case.
    /// - Throws: ``TrustError`` with ``TrustError/Code/invalidSecurityPolicy``.
    public func requireSecure(url: String?) throws(TrustError) {
        guard pinningMode != .none, url?.hasPrefix("https:") != true else { return }
        let place = url.map { "\($0)" } ?? "a client without a base URL"
        throw TrustError(
            .invalidSecurityPolicy,
            "Invalid Security Policy: pinning mode \(pinningMode.name) requires an https URL, not \(place)"
        )
    }

    /// The purpose that certificates are checked for.
    public var effectivePurpose: TrustPurpose { purpose ?? (validatesDomainName ? .server : .any) }

    private func check(_ pins: PinSet) throws(TrustError) {
        guard pinningMode == .certificate, pins.pins.contains(where: { $0.certificate == nil }) else { return }
        throw TrustError(.certificateNeeded, "pinning mode certificate needs certificates, not sha256/ digests")
    }
}

/// Coded as the original archives itself (S6): the mode as a number, the flags and the pins under their names; the
/// added properties are optional.
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

    /// Decodes a policy; an invalid one is rejected as by the initializers.
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

    /// Encodes a policy.
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

/// The pinning mode (S1); the raw values are the original's.
public enum PinningMode: Int, Sendable, Hashable, CaseIterable, Codable {
    /// Nothing is pinned: the chain must lead to a CA.
    case none = 0
    /// The chain must contain a pinned public key.
    case publicKey = 1
    /// The chain must lead to a pinned certificate.
    case certificate = 2

    /// The name in the configuration, on the command line and in responses.
    public var name: String {
        switch self {
        case .none: "none"
        case .publicKey: "public_key"
        case .certificate: "certificate"
        }
    }

    /// - Parameter name: The name in the configuration.
    public init?(name: String) {
        guard let mode = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = mode
    }
}

/// The rules for cases where the original's are dangerous.
public enum TrustCompatibility: String, Sendable, Hashable, CaseIterable, Codable {
    /// With pinned keys and invalid certificates allowed, a certificate for another host is rejected (S17 closed).
    case strict
    /// AFNetworking's table including S17: such a certificate is accepted for any host.
    case afnetworking
}

/// The purpose that certificates are checked for (S8).
public enum TrustPurpose: String, Sendable, Hashable, CaseIterable, Codable {
    /// A TLS server: checks extended key usage, key usage, and the strength of keys and signatures (S22).
    case server
    /// Any certificate (plain X.509, S21).
    case any
}
