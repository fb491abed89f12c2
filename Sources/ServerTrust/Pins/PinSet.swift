// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

/// What a server may be known by (S1): equal pins are one, and their order means nothing.
///
/// What cannot be understood is refused when it is put in (S19), so that every pin in here can fit.
public struct PinSet: Sendable, Hashable {
    /// The pins.
    public private(set) var pins: Set<Pin>
    /// When somebody has to have looked after the pins again, in seconds since 1970, as their owner says; nil: nobody said.
    public var reviewDate: Int64?

    /// Creates an empty set.
    public init() {
        pins = []
    }

    /// Creates a set of certificates.
    ///
    /// - Parameter certificates: The DER of each, or PEM texts of any number.
    /// - Throws: ``TrustError`` when one is no certificate (S19).
    public init(certificates: some Sequence<[UInt8]>) throws(TrustError) {
        self.init()
        for bytes in certificates { try insert(certificates: bytes) }
    }

    /// Creates a set of what people write.
    ///
    /// - Parameter texts: Each `sha256/…` (RFC 7469), or the path of a file or a directory with certificates.
    /// - Throws: ``TrustError`` when one is none of these.
    public init(_ texts: some Sequence<String>) throws(TrustError) {
        self.init()
        for text in texts { try insert(text) }
    }

    /// The certificates that go with a program (S3): every `.cer` file of a directory, and not of those below it.
    ///
    /// - Parameter directory: The directory; nil for the program's own, which is where a main bundle is on Linux.
    /// - Throws: ``TrustError`` when it cannot be read, or one of the files is no certificate (S19).
    public static func bundled(in directory: String? = nil) throws(TrustError) -> PinSet {
        var pins = PinSet()
        let directory = directory ?? CertificateDirectory.ofProgram
        for file in try CertificateDirectory.files(in: directory, extensions: ["cer"]) {
            try pins.insert(CertificateChain(files: [file]))
        }
        return pins
    }

    /// How many there are.
    public var count: Int { pins.count }

    /// Whether there is none.
    public var isEmpty: Bool { pins.isEmpty }

    /// The keys that are pinned, of certificates too (S4).
    public var publicKeys: Set<PublicKeyDigest> { Set(pins.map(\.publicKey)) }

    /// The certificates that are pinned (DER).
    public var certificates: Set<[UInt8]> { Set(pins.compactMap(\.certificate)) }

    /// When the pins are of no more use, in seconds since 1970: the ``reviewDate``, otherwise, where the certificates
    /// themselves have to be valid, the end of the last of them.
    ///
    /// - Parameter mode: Keys outlive their certificates (S4).
    public func expiry(in mode: PinningMode) -> Int64? {
        reviewDate ?? (mode == .certificate ? pins.compactMap(\.notAfter).max() : nil)
    }

    /// Adds a pin.
    public mutating func insert(_ pin: Pin) {
        pins.insert(pin)
    }

    /// Adds certificates.
    ///
    /// - Parameter bytes: The DER of one, or a PEM text of any number.
    /// - Throws: ``TrustError`` when there is none, or something that is none (S19).
    public mutating func insert(certificates bytes: [UInt8]) throws(TrustError) {
        try insert(CertificateChain(reading: [bytes]))
    }

    /// Adds what somebody wrote: `sha256/…`, or the path of a file or a directory.
    ///
    /// - Throws: ``TrustError`` when it is none of these.
    public mutating func insert(_ text: String) throws(TrustError) {
        if text.hasPrefix("sha256/") {
            guard let digest = PublicKeyDigest(text) else {
                throw TrustError(.malformedPin, "\(text.prefix(80)) is no sha256/ with the Base64 of 32 bytes")
            }
            insert(Pin(publicKey: digest))
        } else if CertificateDirectory.isDirectory(text) {
            let files = try CertificateDirectory.files(in: text)
            guard !files.isEmpty else { throw TrustError(.noCertificate, "there is no certificate in \(text)") }
            for file in files { try insert(CertificateChain(files: [file])) }
        } else {
            try insert(CertificateChain(files: [text]))
        }
    }

    private mutating func insert(_ chain: CertificateChain) throws(TrustError) {
        for index in 0..<chain.count {
            guard let certificate = unsafe reachd_tls_chain_certificate(chain.certificates, index),
                let digest = unsafe CertificateReader.publicKeyDigest(of: certificate),
                let encoding = unsafe CertificateReader.encoding(of: certificate)
            else { throw TrustError(.malformedPin, "a certificate whose key cannot be read") }
            let notAfter = unsafe CertificateReader.validity(of: certificate)?.notAfter
            pins.insert(Pin(publicKey: digest, certificate: encoding, notAfter: notAfter))
        }
    }
}

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

/// A certificate or a public key that a server may be known by.
public struct Pin: Sendable, Hashable {
    /// The digest of the key, a certificate's own (S4).
    public let publicKey: PublicKeyDigest
    /// The certificate (DER); nil when only its key is pinned.
    public let certificate: [UInt8]?
    /// Until when the certificate is valid, in seconds since 1970. A key that is pinned outlives it (S4).
    public let notAfter: Int64?

    /// Pins a key.
    public init(publicKey: PublicKeyDigest) {
        self.publicKey = publicKey
        certificate = nil
        notAfter = nil
    }

    init(publicKey: PublicKeyDigest, certificate: [UInt8], notAfter: Int64?) {
        self.publicKey = publicKey
        self.certificate = certificate
        self.notAfter = notAfter
    }

    /// Two pins of one certificate or of one key are one.
    public static func == (left: Pin, right: Pin) -> Bool {
        left.publicKey == right.publicKey && left.certificate == right.certificate
    }

    /// Feeds the key alone: policies are looked up for each handshake, and certificates are long.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(publicKey)
    }
}
