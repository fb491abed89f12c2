// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema
import ServerTrust

/// Reads the TLS settings of a probe's mapping, including the policy for the server's certificates.
struct TLSReader {
    /// The probe.
    let object: ValidatedMapping
    let pinReader: PinReader

    /// - Parameter url: The requested URL, if there is one.
    func read(url: HTTPURL? = nil, _ problems: inout MappingDiagnostics) -> TLSSettings {
        guard let tls = object.object("tls") else {
            checkPinDays(SecurityPolicy.default, &problems)
            return TLSSettings()
        }
        var settings = TLSSettings()
        settings.serverName = Self.host(tls, "server_name")
        settings.verifiedName = Self.host(tls, "verify_name")
        settings.authorityFile = tls.text("ca_file")
        settings.certificateFile = tls.text("cert_file")
        settings.keyFile = tls.text("key_file")
        settings.minimumVersion = tls.text("min_version").flatMap(TLSSettings.Version.init) ?? settings.minimumVersion
        settings.maximumVersion = tls.text("max_version").flatMap(TLSSettings.Version.init) ?? settings.maximumVersion
        settings.applicationProtocols = tls.texts("alpn")
        if settings.keyFile != nil, settings.certificateFile == nil {
            problems.add(
                .missingKey,
                in: "probe",
                "tls",
                at: "key_file",
                "key_file without cert_file",
                hint: "write cert_file"
            )
        }
        if settings.minimumVersion > settings.maximumVersion {
            problems.add(.conflict, in: "probe", "tls", at: "min_version", "min_version is newer than max_version")
        }
        if let policy = policy(tls, url: url, &problems) {
            settings.policy = policy
            checkPinDays(policy, &problems)
        }
        return settings
    }

    private static func host(_ tls: ValidatedMapping, _ key: String) -> String? {
        switch tls[key]?.value {
        case .host(let name, _): name
        case .address(let address, _): "\(address)"
        default: nil
        }
    }

    // MARK: Policy

    /// - Returns: nil when the pins are invalid, which is reported.
    private func policy(_ tls: ValidatedMapping, url: HTTPURL?, _ problems: inout MappingDiagnostics) -> SecurityPolicy?
    {
        let acceptsEverybody = tls.boolean("insecure_skip_verify") == true
        if acceptsEverybody { checkInsecure(tls, &problems) } else { checkNames(tls, &problems) }
        var policy = acceptsEverybody ? SecurityPolicy.permissive : .default
        if tls.isWritten("pins") {
            guard let pinned = pinnedPolicy(tls, url: url, &problems) else { return nil }
            policy = pinned
        } else {
            refuseWithoutPins(tls, &problems)
        }
        if !acceptsEverybody {
            policy.allowInvalidCertificates = tls.boolean("allow_invalid") ?? false
            policy.validatesDomainName = tls.boolean("verify_hostname") ?? true
        }
        policy.reportsPinsOnly = tls.boolean("pin_report_only") ?? false
        policy.compatibility = tls.text("compatibility").flatMap(TrustCompatibility.init) ?? .strict
        policy.purpose = tls.text("purpose").flatMap(TrustPurpose.init) ?? policy.purpose
        policy.allowsCommonName = tls.boolean("common_name") ?? false
        // Old versions imply servers with the keys and signatures of their time.
        let isOld = tls.text("min_version").flatMap(TLSSettings.Version.init).map { $0 < .tls12 } ?? false
        policy.allowsWeakCertificates =
            tls.isWritten("weak_certificates") ? tls.boolean("weak_certificates") == true : isOld
        policy.limitsLifetime = tls.boolean("lifetime_limits") ?? false
        return policy
    }

    private func checkInsecure(_ tls: ValidatedMapping, _ problems: inout MappingDiagnostics) {
        if tls.isWritten("pins") {
            problems.add(
                .conflict,
                in: "probe",
                "tls",
                at: "insecure_skip_verify",
                "it accepts every server, regardless of the pins",
                hint: "remove it; for pinned certificates without a CA, write allow_invalid: true"
            )
        }
        for (key, value) in [("allow_invalid", false), ("verify_hostname", true)]
        where tls.isWritten(key) && tls.boolean(key) == value {
            let words = "\(key): \(value) contradicts insecure_skip_verify"
            problems.add(.conflict, in: "probe", "tls", at: key, words, hint: "remove one of them")
        }
    }

    /// S7: such a policy would reject every server.
    private func checkNames(_ tls: ValidatedMapping, _ problems: inout MappingDiagnostics) {
        let hasPins = tls.isWritten("pins") && tls.boolean("pin_report_only") != true
        guard tls.boolean("allow_invalid") == true, tls.boolean("verify_hostname") != false, !hasPins else { return }
        let words =
            "allow_invalid with verify_hostname requires enforced pins, or every server would be rejected"
        problems.add(
            .conflict,
            in: "probe",
            "tls",
            at: "allow_invalid",
            words,
            hint: "write pins, or insecure_skip_verify: true to accept every server"
        )
    }

    // MARK: Pins

    private func pinnedPolicy(
        _ tls: ValidatedMapping,
        url: HTTPURL?,
        _ problems: inout MappingDiagnostics
    ) -> SecurityPolicy? {
        let mode = tls.text("pin_mode").flatMap(PinningMode.init(name:)) ?? .publicKey
        guard let (read, hasBackup) = pins(tls, mode, &problems) else { return nil }
        var pins = read
        if !hasBackup, tls.text("backup_pin") != "waived" {
            problems.add(
                .missingKey,
                in: "probe",
                "tls",
                at: "pins",
                "there is no backup pin: the server would be rejected after a key change",
                hint: "add a pin of the next key, or write backup_pin: waived"
            )
        }
        if case .time(let milliseconds)? = tls["pins_review"]?.value { pins.reviewDate = milliseconds / 1000 }
        do throws(TrustError) {
            let policy = try SecurityPolicy(pinningMode: mode, pins: pins)
            // Without path and query, which may contain a token.
            if let url { try policy.requireSecure(url: "\(url.scheme)://\(url.authority)") }
            return policy
        } catch {
            problems.add(.conflict, in: "probe", "tls", at: "pins", error.message, hint: Self.hint(error))
            return nil
        }
    }

    /// - Returns: The pins, and whether one can be a backup: the certificates of one file belong to one chain, which is
    ///   in use as a whole.
    private func pins(
        _ tls: ValidatedMapping,
        _ mode: PinningMode,
        _ problems: inout MappingDiagnostics
    ) -> (PinSet, hasBackup: Bool)? {
        let written = tls.list("pins")
        if written.isEmpty, case .list? = tls["pins"]?.value {
            problems.add(
                .invalidValue,
                in: "probe",
                "tls",
                at: "pins",
                "the list is empty, so every server would be rejected",
                hint: "write a pin or remove the key"
            )
        }
        var pins = PinSet()
        var sources: Set<Set<PublicKeyDigest>> = []
        var isComplete = true
        let whole = tls.place(of: "pins")
        for (index, located) in written.enumerated() {
            guard case .text(let text) = located.value else {
                isComplete = false
                continue
            }
            do throws(TrustError) {
                for read in try pinReader.read(text) {
                    _ = try SecurityPolicy(pinningMode: mode, pins: read)
                    sources.insert(read.publicKeys)
                    if pins.isEmpty { pins = read } else { for pin in read.pins { pins.insert(pin) } }
                }
            } catch {
                isComplete = false
                problems.add(
                    error.code == .certificateNeeded ? .conflict : .invalidValue,
                    at: located.place,
                    pointer: "probe/tls/pins" + (located.place == whole ? "" : "/\(index)"),
                    error.message,
                    hint: Self.hint(error)
                )
            }
        }
        return isComplete && !pins.isEmpty ? (pins, hasBackup: sources.count > 1) : nil
    }

    private static func hint(_ error: TrustError) -> String? {
        switch error.code {
        case .certificateNeeded: "write the path of the certificate, or pin_mode: public_key"
        case .invalidSecurityPolicy: "write https, or remove the pins"
        case .noCertificate, .malformedCertificate: "certificates are PEM or DER"
        default: nil
        }
    }

    private func refuseWithoutPins(_ tls: ValidatedMapping, _ problems: inout MappingDiagnostics) {
        let keys = ["pin_mode", "pin_report_only", "backup_pin", "pins_review"].filter { key in
            // Allow values equal to the default.
            tls.isWritten(key) && tls.boolean(key) != false && tls.text(key) != "required"
        }
        for key in keys {
            problems.add(.missingKey, in: "probe", "tls", at: key, "\(key) without pins", hint: "write pins")
        }
    }

    private func checkPinDays(_ policy: SecurityPolicy, _ problems: inout MappingDiagnostics) {
        guard let expect = object.object("expect"), expect.has("pin_days"),
            policy.pins.expiry(in: policy.pinningMode) == nil
        else { return }
        let hasPins = !policy.pins.isEmpty
        problems.add(
            .missingKey,
            in: "probe",
            "expect",
            at: "pin_days",
            hasPins ? "the pins have no expiry date" : "pin_days without pins",
            hint: hasPins ? "write pins_review" : "write pins, or remove it"
        )
    }
}

extension ProbeDeclaration {
    /// Returns the TLS settings; the defaults where the probe has none.
    ///
    /// - Parameter url: The requested URL, if there is one.
    mutating func tls(url: HTTPURL? = nil) -> TLSSettings {
        TLSReader(object: object, pinReader: pinReader).read(url: url, &problems)
    }
}
