// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import LinuxIO
import Monitoring
import NetworkPaths
import Probing
import ReachAPI
import Schema
import ServerTrust

/// `reachd trust`
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Evaluate a server's certificates and explain the result.",
        discussion: """
            HOST is a name, an IPv4 address or an IPv6 address, in brackets before a port. Its certificates come from a TLS \
            handshake; no data follows it. Of several addresses the first one that presents certificates is evaluated. With \
            --chain the certificates are read from files instead.

            --mode selects what is accepted; a pinning mode without a pin accepts no server. With --allow-invalid the pins alone \
            decide; without pins it needs --no-validate-domain and then accepts every server. In the output, X means valid, H \
            matches the domain, K has a pinned key, A valid with the pins as the only anchors.

            Exit status: 0 accepted, 1 rejected, 2 usage, unusable file, or no certificate: the name does not resolve, the server \
            is not reachable in time, or the handshake failed before the certificate.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The server (default port: 443, with --starttls the protocol's).",
            valueName: "host[:port]"
        )
    )
    var host: String?

    @Option(
        help: ArgumentHelp("Certificates in PEM or DER, the server's own first; may be repeated.", valueName: "file"),
        completion: .file()
    )
    var chain: [String] = []

    @Option(
        help: ArgumentHelp(
            "The name that the certificate must match, also sent as SNI (default: HOST; with --chain none).",
            valueName: "name"
        )
    )
    var domain: String?

    @Option(help: "The pinning mode (default: public_key with a pin, else none).")
    var mode: PinningMode?

    @Option(
        help: ArgumentHelp(
            "A pin: sha256/ and the Base64 of the key's digest, or a file or directory of certificates; may be repeated.",
            valueName: "pin"
        )
    )
    var pin: [String] = []

    @Flag(help: "Accept certificates that are invalid or do not lead to an anchor.")
    var allowInvalid = false

    @Flag(help: "Do not check the certificate's name.")
    var noValidateDomain = false

    @Option(
        help: ArgumentHelp(
            "Trust anchors in place of the system's, PEM or DER; may be repeated.",
            valueName: "file"
        ),
        completion: .file()
    )
    var anchors: [String] = []

    @Option(help: "The purpose to check (default: server; with --no-validate-domain any).")
    var purpose: TrustPurpose?

    @Option(
        help:
            "afnetworking accepts a pinned key for every domain with --allow-invalid, as AFNetworking does; strict does not."
    )
    var compatibility = TrustCompatibility.strict

    @Flag(help: "Accept the common name as a host name if there is no other.")
    var commonName = false

    @Flag(help: "Accept short keys and old signature algorithms.")
    var allowWeak = false

    @Option(
        help: ArgumentHelp(
            "The time of the evaluation (RFC 3339), such as 2026-02-15T00:00:00Z (default: now).",
            valueName: "time"
        )
    )
    var at: String?

    @Option(
        help: ArgumentHelp(
            "The timeout for name resolution, connection and handshake (default: 5s).",
            valueName: "duration"
        )
    )
    var timeout: String?

    @Option(help: "The STARTTLS protocol, if the server does not begin with TLS.")
    var starttls: StartTLSProtocol?

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard (host == nil) != chain.isEmpty else {
            throw ValidationError(host == nil ? "Pass a HOST, or files with --chain." : "Use either HOST or --chain.")
        }
        if host == nil, timeout != nil || starttls != nil {
            throw ValidationError("--timeout and --starttls need a HOST, not --chain.")
        }
        if let domain, !(1...253).contains(domain.utf8.count) || !domain.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        {
            throw ValidationError("--domain is neither a host name in ASCII nor an IP address.")
        }
        for text in chain + anchors + pin where text.isEmpty || text.contains("\n") {
            // It may be a key, so it is not printed.
            throw ValidationError("--chain, --anchors and --pin take paths of files, not their content.")
        }
        if mode == .certificate, pin.contains(where: { $0.hasPrefix("sha256/") }) {
            throw ValidationError("--mode certificate needs certificates as pins, not digests of keys (sha256/…).")
        }
        _ = try target()
        _ = try time()
        _ = try duration()
    }

    func run() throws {
        let listing: TrustListing
        do {
            listing = try judge()
        } catch let error as TrustError {
            throw Self.fail(error.message)
        } catch let error as TrustHandshake.Failure {
            throw Self.fail("\(subject): \(error.words)")
        }
        if json {
            StandardStream.output.write(listing.document + [UInt8(ascii: "\n")])
        } else {
            StandardStream.output.write(line: TrustReport(listing).lines.joined(separator: "\n"))
        }
        if !listing.verdict.isAccepted { throw ExitStatus.negative }
    }

    // MARK: The judgement

    private func judge() throws -> TrustListing {
        let policy = try policy()
        let time = try time()
        guard let target = try target() else {
            let trusted = try anchors.isEmpty ? TrustAnchors.system() : TrustAnchors(files: anchors)
            let verdict = try policy.evaluate(
                CertificateChain(files: chain),
                domain: domain,
                at: time,
                anchors: trusted
            )
            return TrustListing(subject: subject, policy: policy, domain: domain, anchors: anchors, verdict: verdict)
        }
        // The handshake reads them too; what is wrong with them is to be told as such, and before anybody is asked.
        if !anchors.isEmpty { _ = try TrustAnchors(files: anchors) }
        let settings = TLSProbeSettings(
            port: port(of: target),
            tls: tls(policy),
            startTLS: starttls
        )
        let request = ProbeRequest(
            host: target.address.map { .address($0) } ?? .name(target.host),
            kind: .tls(settings),
            timeout: try duration(),
            addresses: .any,
            interface: target.interface
        )
        let handshake = try TrustHandshake(request, at: time).run()
        return TrustListing(
            subject: subject,
            policy: policy,
            domain: domain ?? target.host,
            anchors: anchors,
            verdict: handshake.report.trust,
            handshake: handshake
        )
    }

    private func tls(_ policy: SecurityPolicy) -> TLSSettings {
        var settings = TLSSettings(serverName: domain, policy: policy)
        settings.authorityFiles = anchors
        return settings
    }

    private func policy() throws(TrustError) -> SecurityPolicy {
        var policy = try SecurityPolicy(
            pinningMode: mode ?? (pin.isEmpty ? .none : .publicKey),
            pins: PinSet(pin)
        )
        policy.allowInvalidCertificates = allowInvalid
        policy.validatesDomainName = !noValidateDomain
        policy.compatibility = compatibility
        policy.purpose = purpose
        policy.allowsCommonName = commonName
        policy.allowsWeakCertificates = allowWeak
        return policy
    }

    // MARK: Arguments

    /// What is judged, for people.
    private var subject: String {
        guard let host, let target = try? TrustTarget(host) else { return chain.joined(separator: ", ") }
        let name = target.interface.map { "\(target.host)%\($0)" } ?? target.host
        return target.address?.family == .ipv6 ? "[\(name)]:\(port(of: target))" : "\(name):\(port(of: target))"
    }

    private func port(of target: TrustTarget) -> UInt16 { target.port ?? starttls?.port ?? 443 }

    private func target() throws -> TrustTarget? {
        guard let host else { return nil }
        do throws(TrustTarget.Fault) {
            return try TrustTarget(host)
        } catch {
            throw ValidationError(error.words)
        }
    }

    private func time() throws -> Int64 {
        guard let at else { return SystemTime.now() }
        guard let time = Timestamp(parsing: at) else {
            throw ValidationError("--at \(PrintableBytes.quote(at.utf8)) is not a time such as 2026-02-15T00:00:00Z.")
        }
        return time.milliseconds >= 0 ? time.milliseconds / 1_000 : (time.milliseconds - 999) / 1_000
    }

    private func duration() throws -> Duration {
        guard let timeout else { return .seconds(5) }
        do throws(ConfigurationDiagnostic) {
            return try OptionText.duration(timeout, option: "--timeout")
        } catch {
            throw ValidationError(error.description)
        }
    }

    private static func fail(_ words: String) -> ExitStatus {
        StandardStream.error.write(
            line: "reachd: \(PrintableBytes.escape(words.utf8, limit: 1_024, keepingBackslash: true))"
        )
        return .usage
    }
}
