// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import LinuxIO

/// The pins of a server (S1): duplicates are merged, and the order is irrelevant.
///
/// Malformed pins are rejected when they are added (S19), so every pin in the set can match.
public struct PinSet: Sendable, Hashable {
    /// The pins.
    public private(set) var pins: Set<Pin>
    /// The date by which the owner wants the pins reviewed, in seconds since 1970; nil when none is set.
    public var reviewDate: Int64?

    /// Creates an empty set.
    public init() {
        pins = []
    }

    /// Creates a set of certificates.
    ///
    /// - Parameter certificates: The DER of each, or PEM texts of any number.
    /// - Throws: ``TrustError`` when one is not a certificate (S19).
    public init(certificates: some Sequence<[UInt8]>) throws(TrustError) {
        self.init()
        for bytes in certificates { try insert(certificates: bytes) }
    }

    /// Creates a set from texts.
    ///
    /// - Parameter texts: Each `sha256/…` (RFC 7469), or the path of a file or a directory with certificates.
    /// - Throws: ``TrustError`` when a text is neither, or its certificates cannot be read.
    public init(_ texts: some Sequence<String>) throws(TrustError) {
        self.init()
        for text in texts { try insert(text) }
    }

    /// Returns the certificates bundled with a program (S3): every `.cer` file of a directory, without subdirectories.
    ///
    /// - Parameter directory: The directory; nil for the program's own, which is the main bundle's on Linux.
    /// - Throws: ``TrustError`` when the directory cannot be read, or a file is not a certificate (S19).
    public static func bundled(in directory: String? = nil) throws(TrustError) -> PinSet {
        var pins = PinSet()
        let directory = directory ?? CertificateDirectory.ofProgram
        for file in try CertificateDirectory.files(in: directory, extensions: ["cer"]) {
            try pins.insert(CertificateChain(files: [file]))
        }
        return pins
    }

    /// The number of pins.
    public var count: Int { pins.count }

    /// Whether the set is empty.
    public var isEmpty: Bool { pins.isEmpty }

    /// The pinned keys, including those of pinned certificates (S4).
    public var publicKeys: Set<PublicKeyDigest> { Set(pins.map(\.publicKey)) }

    /// The pinned certificates (DER).
    public var certificates: Set<[UInt8]> { Set(pins.compactMap(\.certificate)) }

    /// Returns the expiry of the pins, in seconds since 1970: the ``reviewDate``, otherwise, in the certificate mode,
    /// the end of the last certificate.
    ///
    /// - Parameter mode: The pinning mode; pinned keys outlive their certificates (S4).
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
    /// - Throws: ``TrustError`` when there is no certificate, or one is malformed (S19).
    public mutating func insert(certificates bytes: [UInt8]) throws(TrustError) {
        try insert(CertificateChain(reading: [bytes]))
    }

    /// Adds a pin in text form: `sha256/…`, or the path of a file or a directory.
    ///
    /// - Throws: ``TrustError`` when it is none of these.
    public mutating func insert(_ text: String) throws(TrustError) {
        if text.hasPrefix("sha256/") {
            guard let digest = PublicKeyDigest(text) else {
                throw TrustError(.malformedPin, "\(text.prefix(80)) is not sha256/ and the Base64 of 32 bytes")
            }
            insert(Pin(publicKey: digest))
        } else if CertificateDirectory.isDirectory(text) {
            let files = try CertificateDirectory.files(in: text)
            guard !files.isEmpty else { throw TrustError(.noCertificate, "no certificates in \(text)") }
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
            else { throw TrustError(.malformedPin, "the key of a certificate cannot be read") }
            let notAfter = unsafe CertificateReader.validity(of: certificate)?.notAfter
            pins.insert(Pin(publicKey: digest, certificate: encoding, notAfter: notAfter))
        }
    }
}

/// Coded as a list of texts: `sha256/…` of a key, or the Base64 of a certificate's DER.
extension PinSet: Codable {
    private enum Key: String, CodingKey {
        case pins
        case reviewDate
    }

    /// Decodes a set of pins; malformed pins are rejected as by the initializers.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: Key.self)
        for text in try values.decode([String].self, forKey: .pins) {
            if text.hasPrefix("sha256/") {
                try insert(text)
            } else if let bytes = Base64.bytes(text) {
                try insert(certificates: bytes)
            } else {
                throw TrustError(.malformedPin, "a pin is neither sha256/… nor Base64")
            }
        }
        reviewDate = try values.decodeIfPresent(Int64.self, forKey: .reviewDate)
    }

    /// Encodes a set of pins.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        let texts = pins.map { pin in pin.certificate.map(Base64.text) ?? pin.publicKey.description }
        try values.encode(texts.sorted(), forKey: .pins)
        try values.encodeIfPresent(reviewDate, forKey: .reviewDate)
    }
}

/// A pinned certificate or public key.
public struct Pin: Sendable, Hashable {
    /// The digest of the key, or of the certificate's key (S4).
    public let publicKey: PublicKeyDigest
    /// The certificate (DER); nil when only its key is pinned.
    public let certificate: [UInt8]?
    /// The end of the certificate's validity, in seconds since 1970. A pinned key outlives it (S4).
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

    /// Returns whether both pin the same certificate, or the same key.
    public static func == (left: Pin, right: Pin) -> Bool {
        left.publicKey == right.publicKey && left.certificate == right.certificate
    }

    /// Hashes the key only: policies are looked up for each handshake, and certificates are long.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(publicKey)
    }
}
