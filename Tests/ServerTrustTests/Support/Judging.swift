// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import ServerTrust

/// The dates at which certificates of the fixtures begin and end, in seconds since 1970.
enum FixtureDate {
    /// 2025-01-01: nearly all begin.
    static let beginning: Int64 = 1_735_689_600
    /// 2025-06-01: `expired` and `expired-intermediate` end.
    static let june2025: Int64 = 1_748_736_000
    /// 2026-01-01: `short-lived` begins.
    static let shortLivedBegins: Int64 = 1_767_225_600
    /// 2026-04-01: `short-lived` ends.
    static let shortLivedEnds: Int64 = 1_775_001_600
    /// 2124-01-01: `not-yet-valid` begins.
    static let notYetValidBegins: Int64 = 4_859_740_800
    /// 2125-01-01: nearly all end.
    static let end: Int64 = 4_891_363_200
    /// 2125-01-02: the roots end.
    static let endOfRoots: Int64 = 4_891_449_600

    static let all = [
        beginning, june2025, shortLivedBegins, shortLivedEnds, notYetValidBegins, end, endOfRoots,
    ]
}

extension Fixture {
    /// The names of all certificates.
    static func names() throws -> [String] {
        try CertificateDirectory.files(in: folder, extensions: ["pem"]).map {
            String($0.dropFirst(folder.count).dropLast(4))
        }
    }

    /// The DER of a certificate.
    static func der(_ name: String) throws -> [UInt8] {
        guard let encoding = try chain(name).encodings.first else { throw TrustError(.noCertificate, name) }
        return encoding
    }

    /// What a certificate says.
    static func certificate(_ name: String) throws -> Certificate {
        guard let description = try chain(name).descriptions.first else { throw TrustError(.noCertificate, name) }
        return description
    }

    /// The text of a certificate.
    static func pem(_ name: String) throws -> [UInt8] { try FileContents.read(path(name), limit: 1 << 16) }

    /// Certificates as pins.
    static func pins(_ names: String...) throws -> PinSet { try PinSet(names.map { path($0) }) }

    /// The digests of certificates' keys as pins.
    static func keyPins(_ names: String...) throws -> PinSet {
        try PinSet(names.flatMap { try pins($0).publicKeys.map(\.description) })
    }
}

/// A policy with some of it changed.
func makePolicy(
    _ mode: PinningMode = .none,
    pins: PinSet = PinSet(),
    _ change: (inout SecurityPolicy) -> Void = { _ in }
) throws -> SecurityPolicy {
    var policy = try SecurityPolicy(pinningMode: mode, pins: pins)
    change(&policy)
    return policy
}

/// What a policy says of fixtures.
func judge(
    _ names: [String],
    _ policy: SecurityPolicy = .default,
    for domain: String? = "good.test",
    anchors: [String] = ["root"],
    at time: Int64 = Fixture.time
) throws -> TrustVerdict {
    let chain = try CertificateChain(files: names.map { Fixture.path($0) })
    let trusted = try TrustAnchors(files: anchors.map { Fixture.path($0) })
    return try policy.evaluate(chain, domain: domain, at: time, anchors: trusted)
}

extension TrustVerdict {
    /// The codes of the faults that decide.
    var codes: [TrustFault.Code] { faults.map(\.code) }
    /// The codes of those that do not.
    var toleratedCodes: [TrustFault.Code] { tolerated.map(\.code) }
    /// The codes with their places, `expired@1`.
    var places: [String] { faults.map { "\($0.code.rawValue)@\($0.depth)" } }
}

extension Certificate {
    /// The common name of its subject.
    var commonName: String {
        subject.split(separator: ",").first { $0.hasPrefix("CN=") }.map { String($0.dropFirst(3)) } ?? ""
    }
}
