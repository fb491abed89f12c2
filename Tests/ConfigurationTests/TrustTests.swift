// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import Schema
import ServerTrust
import TestSupport
import Testing

@testable import Configuration

@Suite("Trust settings of probes") struct TrustTests {
    static let certificates = String(CertificateFixture.folder.dropLast())

    static let key = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    static let otherKey = "sha256/AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
    static let pins = "pins: [\(key), \(otherKey)]"

    private struct Other: Error {}

    private func request(_ probe: String) throws -> ProbeRequest {
        let target = try #require(try load("targets: [{host: a, probe: {\(probe)}}]").targets.first)
        guard case .ask(let request)? = target.probe?.method else { throw Other() }
        return request
    }

    private func tls(_ keys: String, _ type: String = "type: tls") throws -> TLSSettings {
        switch try request("\(type), tls: {\(keys)}").kind {
        case .tls(let settings): settings.tls
        case .http(let settings): settings.tls
        case .tcp(let settings): try #require(settings.startTLS?.tls)
        case .grpc(let settings): try #require(settings.tls)
        default: throw Other()
        }
    }

    private func policy(_ keys: String) throws -> SecurityPolicy { try tls(keys).policy }

    @Test("S2, S26: nothing written is the default policy, and insecure_skip_verify the permissive")
    func plain() throws {
        #expect(try tls("") == TLSSettings())
        #expect(try policy("") == .default)
        #expect(try policy("insecure_skip_verify: true") == .permissive)
        #expect(
            try policy(
                "insecure_skip_verify: false, pin_report_only: false, backup_pin: required, allow_invalid: false, "
                    + "verify_hostname: true, compatibility: strict, common_name: false, weak_certificates: false, "
                    + "lifetime_limits: false"
            ) == .default
        )
    }

    @Test("every key of the policy")
    func keys() throws {
        var policy = try self.policy("verify_hostname: false")
        #expect(!policy.validatesDomainName && policy.effectivePurpose == .any)
        policy = try self.policy("verify_hostname: false, purpose: server")
        #expect(policy.purpose == .server)
        #expect(try self.policy("purpose: any").purpose == .any)
        #expect(try self.policy("compatibility: afnetworking").compatibility == .afnetworking)
        #expect(try self.policy("common_name: true").allowsCommonName)
        #expect(try self.policy("weak_certificates: true").allowsWeakCertificates)
        // The servers of that time have certificates of that time, unless somebody says otherwise.
        #expect(try self.policy("min_version: '1.1'").allowsWeakCertificates)
        #expect(try !self.policy("min_version: '1.1', weak_certificates: false").allowsWeakCertificates)
        #expect(try !self.policy("min_version: '1.2'").allowsWeakCertificates)
        #expect(try self.policy("lifetime_limits: true").limitsLifetime)
        #expect(try self.policy("allow_invalid: true, verify_hostname: false").allowInvalidCertificates)
        policy = try self.policy("insecure_skip_verify: true, purpose: any, lifetime_limits: true")
        #expect(policy.purpose == .any && policy.limitsLifetime && policy.allowInvalidCertificates)
        let settings = try tls("server_name: b.example, verify_name: c.example")
        #expect(settings.serverName == "b.example" && settings.verifiedName == "c.example")
        #expect(try tls("verify_name: 192.0.2.1").verifiedName == "192.0.2.1")
    }

    @Test("a backup pin is in another file, or a separate key: pins of one file are used together")
    func backups() throws {
        let folder = try TemporaryFolder()
        let chain = try ["leaf", "intermediate"].map { try text("\(Self.certificates)/\($0).pem") }.joined()
        let file = try folder.write(chain, to: "chain.pem")
        #expect(diagnostics("targets: [{host: a, probe: {type: tls, tls: {pins: '\(file)'}}}]").count == 1)
        #expect(diagnostics("targets: [{host: a, probe: {type: tls, tls: {pins: ['\(file)', '\(file)']}}}]").count == 1)
        #expect(try policy("pins: ['\(file)', \(Self.key)]").pins.count == 3)
        #expect(try policy("pins: '\(file)', backup_pin: waived").pins.count == 2)
        _ = try folder.write(try text("\(Self.certificates)/leaf-other-key.pem"), to: "next.pem")
        #expect(try policy("pins: '\(folder.path)'").pins.count == 3)
    }

    @Test("S1: pinned keys, in every kind that speaks TLS")
    func pinnedKeys() throws {
        for type in ["type: tls", "type: http", "type: grpc, port: 1", "type: tcp, port: 25, starttls: smtp"] {
            let policy = try tls(Self.pins, type).policy
            #expect(policy.pinningMode == .publicKey)
            #expect(Set(policy.pins.publicKeys.map(\.description)) == [Self.key, Self.otherKey])
            #expect(!policy.reportsPinsOnly && policy.pins.reviewDate == nil)
        }
        let policy = try self.policy(
            "pins: \(Self.key), backup_pin: waived, pin_mode: public_key, pin_report_only: true, allow_invalid: false"
        )
        #expect(policy.pins.count == 1 && policy.reportsPinsOnly)
        #expect(try self.policy("\(Self.pins), allow_invalid: true").allowInvalidCertificates)
    }

    @Test("pinned certificates: files in PEM and DER, and a directory; their keys are pinned as well (S4)")
    func pinnedCertificates() throws {
        let folder = Self.certificates
        let policy = try self.policy("pins: ['\(folder)/leaf.pem', '\(folder)/root.cer'], pin_mode: certificate")
        #expect(policy.pinningMode == .certificate)
        #expect(policy.pins.count == 2 && policy.pins.publicKeys.count == 2)
        #expect(policy.pins.certificates.count == 2)
        let pinned = try TemporaryFolder()
        try pinned.write(try text("\(folder)/leaf.pem"), to: "pins/a.pem")
        try pinned.write(try text("\(folder)/root.pem"), to: "pins/b.crt")
        try pinned.write("nothing", to: "pins/notes.txt")
        #expect(try self.policy("pins: '\(pinned.path)/pins'").pins.publicKeys == policy.pins.publicKeys)
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try BoundedFile.read(path, maximum: 1 << 20), as: UTF8.self)
    }

    @Test("pins_review is a date or a moment, in UTC")
    func reviewDate() throws {
        #expect(try policy("\(Self.pins), pins_review: 2027-03-01").pins.reviewDate == 1_803_859_200)
        #expect(
            try policy("\(Self.pins), pins_review: '2027-03-01T01:00:00+01:00'").pins.reviewDate == 1_803_859_200
        )
    }

    @Test("how long certificates and pins have to last")
    func expiry() throws {
        let expect =
            "expect: {certificate_days: 1, leaf_days: 2, sent_days: 3, verified_chain_days: 4, pin_days: 5}"
        let request = try request("type: tls, tls: {\(Self.pins), pins_review: 2027-03-01}, \(expect)")
        #expect(request.expiry == ExpiryBounds(certificate: 1, leaf: 2, earliestSent: 3, verifiedChain: 4, pins: 5))
        #expect(try self.request("type: tls").expiry == ExpiryBounds())
        let certificates = "pins: '\(Self.certificates)/leaf.pem', backup_pin: waived, pin_mode: certificate"
        #expect(
            try self.request("type: tls, tls: {\(certificates)}, expect: {pin_days: 5}").expiry
                == ExpiryBounds(pins: 5)
        )
    }

    @Test("the files of pins are read again with the configuration, and another pin is another target")
    func reload() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(try text("\(Self.certificates)/leaf.pem"), to: "pin.pem")
        let text = "targets: [{host: a, probe: {type: tls, tls: {pins: '\(file)', backup_pin: waived}}}, {host: b}]"
        let old = try load(text)
        #expect(ConfigurationDifference(from: old, to: try load(text)).isEmpty)
        try folder.replace(try self.text("\(Self.certificates)/leaf-other-key.pem"), at: "pin.pem")
        #expect(ConfigurationDifference(from: old, to: try load(text)).updated.map(\.id) == ["a"])
        try folder.replace("rubbish", at: "pin.pem")
        #expect(faultValues(text).map(\.pointer) == ["/targets/0/probe/tls/pins"])
    }

    // MARK: Faults

    static let cases: [ProbeFaultTests.Case] = [
        // S19: pins that cannot be understood
        .init(
            "{type: tls, tls: {pins: []}}",
            .invalidValue,
            at: "[]",
            "/probe/tls/pins",
            "write a pin or remove the key"
        ),
        .init("{type: tls, tls: {pins: [{a: b}]}}", .wrongType, at: "{a", "/probe/tls/pins/0"),
        .init("{type: tls, tls: {pins: sha256/AAAA}}", .invalidValue, at: "sha256", "/probe/tls/pins"),
        .init(
            "{type: tls, tls: {pins: [\(key), 'sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=']}}",
            .invalidValue,
            at: "'sha256//",
            "/probe/tls/pins/1",
            "write \(key)"
        ),
        .init(
            "{type: tls, tls: {pins: 'pin-sha256=\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"'}}",
            .invalidValue,
            at: "'pin",
            "/probe/tls/pins",
            "write \(key) if it is the digest of a public key (spki_sha256)"
        ),
        .init(
            "{type: tls, tls: {pins: '\(String(repeating: "00", count: 32))'}}",
            .invalidValue,
            at: "'00",
            "/probe/tls/pins",
            "write \(key) if it is the digest of a public key (spki_sha256)"
        ),
        .init("{type: tls, tls: {pins: leaf.pem}}", .invalidValue, at: "leaf", "/probe/tls/pins"),
        .init("{type: tls, tls: {pins: [/nowhere/a.pem]}}", .invalidValue, at: "/nowhere", "/probe/tls/pins/0"),
        .init("{type: tls, tls: {pins: /nowhere/a.pem}}", .invalidValue, at: "/nowhere", "/probe/tls/pins"),
        .init(
            "{type: tls, tls: {pins: '\(certificates)/leaf.key'}}",
            .invalidValue,
            at: "'/",
            "/probe/tls/pins",
            "certificates are PEM or DER"
        ),
        .init("{type: tls, tls: {pins: '\(certificates)/README.md'}}", .invalidValue, at: "'/", "/probe/tls/pins"),
        // What pins need
        .init(
            "{type: tls, tls: {pins: [\(key), \(key)]}}",
            .missingKey,
            at: "[sha",
            "/probe/tls/pins",
            "add a pin of the next key, or write backup_pin: waived"
        ),
        .init("{type: tls, tls: {pins: '\(certificates)/leaf.pem'}}", .missingKey, at: "'/", "/probe/tls/pins"),
        .init(
            "{type: tls, tls: {pin_mode: certificate}}",
            .missingKey,
            at: "cert",
            "/probe/tls/pin_mode",
            "write pins"
        ),
        .init("{type: tls, tls: {pin_report_only: true}}", .missingKey, at: "true", "/probe/tls/pin_report_only"),
        .init("{type: tls, tls: {backup_pin: waived}}", .missingKey, at: "waived", "/probe/tls/backup_pin"),
        .init("{type: tls, tls: {pins_review: 2027-01-01}}", .missingKey, at: "2027", "/probe/tls/pins_review"),
        .init("{type: tls, tls: {\(pins), pins_review: soon}}", .invalidValue, at: "soon", "/probe/tls/pins_review"),
        .init(
            "{type: tls, tls: {\(pins), pins_review: 2027-02-29}}",
            .invalidValue,
            at: "20",
            "/probe/tls/pins_review"
        ),
        .init(
            "{type: tls, tls: {pin_mode: certificate, backup_pin: waived, pins: ['\(certificates)/leaf.pem', \(key)]}}",
            .conflict,
            at: "sha256/",
            "/probe/tls/pins/1",
            "write the path of the certificate, or pin_mode: public_key"
        ),
        // S7, S27 and their kin
        .init("{type: tls, tls: {allow_invalid: true}}", .conflict, at: "true", "/probe/tls/allow_invalid"),
        .init(
            "{type: tls, tls: {\(pins), allow_invalid: true, pin_report_only: true}}",
            .conflict,
            at: "true, pin_report_only",
            "/probe/tls/allow_invalid"
        ),
        .init(
            "{type: http, url: 'http://a/?token=secret', tls: {\(pins)}}",
            .conflict,
            at: "[sha",
            "/probe/tls/pins",
            "write https, or remove the pins"
        ),
        .init(
            "{type: tls, tls: {\(pins), insecure_skip_verify: true}}",
            .conflict,
            at: "true",
            "/probe/tls/insecure_skip_verify"
        ),
        .init(
            "{type: tls, tls: {insecure_skip_verify: true, verify_hostname: true}}",
            .conflict,
            at: "true}}",
            "/probe/tls/verify_hostname"
        ),
        .init(
            "{type: tls, tls: {insecure_skip_verify: true, allow_invalid: false}}",
            .conflict,
            at: "false",
            "/probe/tls/allow_invalid"
        ),
        .init("{type: tcp, tls: {\(pins)}}", .conflict, at: "{pins", "/probe/tls"),
        // Expectations
        .init(
            "{type: tls, expect: {pin_days: 3}}",
            .missingKey,
            at: "3",
            "/probe/expect/pin_days",
            "write pins, or remove it"
        ),
        .init("{type: grpc, expect: {pin_days: 3}}", .missingKey, at: "3", "/probe/expect/pin_days"),
        .init(
            "{type: tls, tls: {\(pins)}, expect: {pin_days: 3}}",
            .missingKey,
            at: "3",
            "/probe/expect/pin_days",
            "write pins_review"
        ),
        .init("{type: tls, expect: {leaf_days: -1}}", .outOfRange, at: "-1", "/probe/expect/leaf_days"),
        .init(
            "{type: udp, expect: {sent_days: 1, reply: a}}",
            .conflict,
            at: "1",
            "/probe/expect/sent_days",
            "remove it"
        ),
        .init(
            "{type: icmp, expect: {verified_chain_days: 1}}",
            .conflict,
            at: "1",
            "/probe/expect/verified_chain_days"
        ),
        // Words
        .init("{type: tls, tls: {\(pins), pin_mode: none}}", .invalidValue, at: "none", "/probe/tls/pin_mode"),
        .init(
            "{type: tls, tls: {\(pins), pin_mode: spki}}",
            .invalidValue,
            at: "spki",
            "/probe/tls/pin_mode",
            "did you mean public_key?"
        ),
        .init(
            "{type: tls, tls: {\(pins), backup_pin: false}}",
            .invalidValue,
            at: "false",
            "/probe/tls/backup_pin",
            "did you mean waived?"
        ),
        .init(
            "{type: tls, tls: {compatibility: original}}",
            .invalidValue,
            at: "orig",
            "/probe/tls/compatibility",
            "did you mean afnetworking?"
        ),
        .init("{type: tls, tls: {purpose: client}}", .invalidValue, at: "client", "/probe/tls/purpose"),
        .init("{type: tls, tls: {verify_name: 'a b'}}", .invalidValue, at: "'a b", "/probe/tls/verify_name"),
        .init("{type: tls, tls: {common_name: yes}}", .wrongType, at: "yes", "/probe/tls/common_name", "write true"),
    ]

    @Test("a single fault has its code, its place, its pointer and its hint", arguments: cases)
    func single(_ example: ProbeFaultTests.Case) throws { try example.check() }

    @Test(
        "the names that others have are understood in hints",
        arguments: [
            ("AllowInvalidCertificates", "allow_invalid"), ("validatesDomainName", "verify_hostname"),
            ("SSLPinningMode", "pin_mode"), ("pinned_certificates", "pins"), ("verify_certificate_spki", "pins"),
            ("tls_server_name", "server_name"), ("verifyhost", "verify_name"), ("insecure", "insecure_skip_verify"),
            ("expiration", "pins_review"), ("report_only", "pin_report_only"),
        ] as [(String, String)]
    )
    func synonyms(written: String, meant: String) {
        let all = faultValues("targets: [{host: a, probe: {type: tls, tls: {\(written): x}}}]")
        #expect(all.map(\.hint) == ["did you mean \(meant)?"])
    }

    @Test("S27: the error is named like the original's, and no query is in it")
    func namedLikeTheOriginal() {
        let all = diagnostics("targets: [{probe: {type: http, url: 'http://a/?token=secret', tls: {\(Self.pins)}}}]")
        #expect(all.first?.contains("Invalid Security Policy") == true)
        #expect(!all.joined().contains("secret"))
    }

    @Test("all errors of the trust settings are reported at once")
    func together() {
        let all = faultValues(
            "targets: [{host: a, probe: {type: tls, tls: {pins: [/nowhere, sha256/A, \(Self.key)], "
                + "insecure_skip_verify: true, verify_hostname: true, key_file: /k}}}]"
        )
        #expect(
            Set(all.map(\.pointer)) == [
                "/targets/0/probe/tls/pins/0", "/targets/0/probe/tls/pins/1",
                "/targets/0/probe/tls/insecure_skip_verify", "/targets/0/probe/tls/verify_hostname",
                "/targets/0/probe/tls/key_file",
            ]
        )
    }

    @Test("nothing of a key's file that was given for a pin is in a fault")
    func noKeyInFaults() throws {
        let path = "\(Self.certificates)/leaf.key"
        let lines = try text(path).split(separator: "\n").filter { !$0.hasPrefix("-----") }
        #expect(lines.count > 1)
        let told = diagnostics("targets: [{host: a, probe: {type: tls, tls: {pins: '\(path)'}}}]").joined()
        #expect(told.contains("leaf.key"))
        #expect(!lines.contains { told.contains($0) })
    }
}
