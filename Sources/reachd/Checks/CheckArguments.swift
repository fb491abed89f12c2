// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import NetworkPaths
import Probing
import Schema
import ServerTrust

/// What is asked, from what was written: `https://example.org/`, `example.org:25`, `192.0.2.1`, `dns://192.0.2.53/example.org`.
struct CheckArguments {
    /// Why there is nothing to ask.
    struct Fault: Error {
        let words: String
    }

    private static let schemes = ProbeKind.all.flatMap(\.description.schemes)

    var type: String?
    var timeout: Duration = .seconds(5)
    var family: ProbeFamily = .any
    /// What a name server is asked for.
    var name: String?
    var record: DNSRecordType?
    /// Echo requests.
    var count: Int?
    var tls = TLSSettings()

    /// Reads a target.
    func request(_ text: String) throws(Fault) -> ProbeRequest {
        let request = try read(text)
        try refuseForeign(to: request.kind)
        return request
    }

    /// What is of another kind would be left out without a word.
    private func refuseForeign(to kind: ProbeKind) throws(Fault) {
        let (isDNS, isICMP, hasTLS) = (kind.name == "dns", kind.name == "icmp", kind.mayUseTLS)
        let options = [
            ("--name", name != nil && !isDNS, "dns"), ("--record", record != nil && !isDNS, "dns"),
            ("--count", count != nil && !isICMP, "icmp"),
            ("--cacert", tls.authorityFile != nil && !hasTLS, "http, tls and grpcs"),
            ("--insecure", tls.policy.allowInvalidCertificates && !hasTLS, "http, tls and grpcs"),
        ]
        guard let (option, _, kinds) = options.first(where: \.1) else { return }
        throw Fault(words: "\(option) is for \(kinds), not for \(kind.name)")
    }

    private func read(_ text: String) throws(Fault) -> ProbeRequest {
        let (scheme, rest) = Self.split(text)
        let ofScheme = scheme.flatMap { scheme in
            ProbeKind.all.first { $0.description.schemes.contains(scheme) }?.description.name
        }
        if let scheme, ofScheme == nil {
            let hint = NearestName.of(scheme, among: Self.schemes).map { "; did you mean \($0)?" } ?? ""
            throw Fault(words: "\(PrintableBytes.quote(scheme.utf8)) is not a supported scheme\(hint)")
        }
        if let type, let ofScheme, type != ofScheme, !(ofScheme == "http") {
            throw Fault(words: "--type \(type) contradicts \(scheme ?? "")://; use one of them")
        }
        if ofScheme == "http", type == nil || type == "http" { return try http(text) }
        var place = rest[...]
        var path: Substring?
        if let slash = place.firstIndex(of: "/") {
            path = place[place.index(after: slash)...]
            place = place[..<slash]
        }
        let target = try target(String(place), of: text)
        // Of a URL that is asked in another way only the host and the port count.
        let port = target.port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil)
        let kind = type ?? ofScheme ?? (target.port == nil ? "icmp" : "tcp")
        if ofScheme != "http", ofScheme != "dns", kind != "http", path != nil {
            let hint =
                scheme == nil && type == nil ? "; write http:// or https:// before it to request a web page" : ""
            throw Fault(words: "\(kind) has no path\(hint)")
        }
        return try finished(target, try self.kind(kind, port, path ?? "", scheme, text))
    }

    private func kind(
        _ kind: String,
        _ port: UInt16?,
        _ path: Substring,
        _ scheme: String?,
        _ text: String
    ) throws(Fault) -> ProbeKind {
        let description = ProbeKind.named(kind)?.description
        if description?.port == .needed, port == nil { throw Fault(words: "\(kind) needs a port: HOST:PORT") }
        if description?.port == ProbeKindDescription.Port.none, port != nil {
            throw Fault(words: "\(kind) has no port")
        }
        switch kind {
        case "tls": return .tls(TLSProbeSettings(port: port ?? 443, tls: tls))
        case "udp": return .udp(UDPProbeSettings(port: port ?? 0, payload: [], reply: .notExpected()))
        case "grpc": return .grpc(GRPCProbeSettings(port: port ?? 0, tls: scheme == "grpcs" ? tls : nil))
        case "icmp":
            let count = count ?? 1
            let spacing = Duration.milliseconds(200)
            guard spacing * (count - 1) < timeout else {
                throw Fault(
                    words: "\(count) echo requests take longer than the timeout; increase --timeout or reduce --count"
                )
            }
            return .icmp(ICMPProbeSettings(count: count, spacing: spacing))
        case "dns":
            guard let asked = name ?? (scheme == "dns" && !path.isEmpty ? String(path) : nil) else {
                throw Fault(words: "the name to query is missing; write --name NAME, or dns://SERVER/NAME")
            }
            guard let asked = DNSProbeSettings.queryName(asked) else {
                throw Fault(words: "\(PrintableBytes.quote(asked.utf8)) is not a name that can be looked up")
            }
            return .dns(DNSProbeSettings(name: asked, type: record ?? .a, port: port ?? 53))
        case "http": return .http(HTTPProbeSettings(url: try url("http://\(text)"), tls: tls))
        default: return try standard(kind, port)
        }
    }

    /// A probe as a target has it whose configuration says no more than the type and the port.
    private func standard(_ kind: String, _ port: UInt16?) throws(Fault) -> ProbeKind {
        let place = ConfigurationDiagnostic.Place.option(kind)
        var probe = ValidatedMapping(ConfigurationSchema.probe, at: place)
        probe.variant = kind
        if let port { probe.set("port", .integer(Int(port)), at: place) }
        var declaration = ProbeDeclaration(
            probe,
            of: probe,
            host: .name("localhost"),
            timeout: timeout,
            problems: MappingDiagnostics(object: probe, at: "/targets/0")
        )
        let read = ProbeKind.named(kind)?.read(&declaration)
        if let fault = declaration.problems.diagnostics.first { throw Fault(words: "\(kind): \(fault.words)") }
        guard let read else { throw Fault(words: "\(kind) is not supported by check") }
        return read
    }

    private func http(_ text: String) throws(Fault) -> ProbeRequest {
        let url = try url(text)
        let target = try target(text, of: text)
        return try finished(target, .http(HTTPProbeSettings(url: url, tls: tls)))
    }

    private func finished(
        _ target: ProbeTarget,
        _ kind: ProbeKind
    ) throws(Fault) -> ProbeRequest {
        if case .address(let address) = target.host {
            if let flaw = PathTarget.address(address, interface: target.interface).flaw {
                throw Fault(words: "\(address) \(flaw.words); \(target.url?.hostFlaw?.hint ?? flaw.hint)")
            }
            let other: ProbeFamily = address.family == .ipv4 ? .ipv6 : .ipv4
            guard family != other else { throw Fault(words: "the address is not of the family that -4 or -6 selects") }
        }
        var request = ProbeRequest(
            host: target.host,
            kind: kind,
            timeout: timeout,
            family: family,
            addresses: .any
        )
        request.interface = target.interface
        return request
    }

    private func target(_ text: String, of whole: String) throws(Fault) -> ProbeTarget {
        do throws(ProbeTargetError) {
            return try ProbeTarget(text)
        } catch {
            throw Fault(words: "\(PrintableBytes.quote(whole.utf8)) \(error.message)")
        }
    }

    private func url(_ text: String) throws(Fault) -> HTTPURL {
        do throws(HTTPURLError) {
            return try HTTPURL(text)
        } catch {
            throw Fault(words: "\(PrintableBytes.quote(text.utf8)) is not a URL: \(error.message)")
        }
    }

    private static func split(_ text: String) -> (scheme: String?, rest: String) {
        guard let sign = text.firstRange(of: "://") else { return (nil, text) }
        return (text[..<sign.lowerBound].lowercased(), String(text[sign.upperBound...]))
    }
}
