// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// As a list of texts: `sha256/…` of a key, the Base64 of a certificate's DER.
extension PinSet: Codable {
    private enum Key: String, CodingKey {
        case pins
        case reviewDate
    }

    /// Reads a set of pins; what it cannot be made of is refused as its initializers refuse it.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: Key.self)
        for text in try values.decode([String].self, forKey: .pins) {
            if text.hasPrefix("sha256/") {
                try insert(text)
            } else if let bytes = Base64.decode(text) {
                try insert(certificates: bytes)
            } else {
                throw TrustError(.malformedPin, "a pin that is no Base64")
            }
        }
        reviewDate = try values.decodeIfPresent(Int64.self, forKey: .reviewDate)
    }

    /// Writes a set of pins.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        let texts = pins.map { pin in pin.certificate.map(Base64.encode) ?? pin.publicKey.description }
        try values.encode(texts.sorted(), forKey: .pins)
        try values.encodeIfPresent(reviewDate, forKey: .reviewDate)
    }
}
