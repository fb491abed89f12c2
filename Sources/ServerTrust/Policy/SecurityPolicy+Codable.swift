// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
