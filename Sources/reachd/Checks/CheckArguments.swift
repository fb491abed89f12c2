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

    /// Kinds by their schemes; `grpcs` is grpc over TLS.
    static let kinds = ["http", "tcp", "tls", "udp", "dns", "icmp", "grpc"]

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
        var isDNS = false
        var isICMP = false
        var hasTLS = false
        switch kind {
        case .dns: isDNS = true
        case .icmp: isICMP = true
        // A redirect may lead to https.
        case .tls, .http: hasTLS = true
        case .grpc(let settings): hasTLS = settings.tls != nil
        default: break
        }
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
        if let scheme, !(Self.kinds + ["https", "grpcs"]).contains(scheme) {
            let hint = NearestName.of(scheme, among: Self.kinds + ["https"]).map { "; did you mean \($0)?" } ?? ""
            throw Fault(words: "there is no way to ask \(PrintableBytes.quote(scheme.utf8))\(hint)")
        }
        let ofScheme = scheme.map { $0 == "https" ? "http" : $0 == "grpcs" ? "grpc" : $0 }
        if let type, let ofScheme, type != ofScheme, !(ofScheme == "http") {
            throw Fault(words: "--type \(type) and \(scheme ?? "")://: only one of them")
        }
        let host = rest.prefix { !"/?#".contains($0) }
        if let words = HostWords.foreignLetters(in: host, of: text) { throw Fault(words: words) }
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
                scheme == nil && type == nil ? "; a web page is asked for with http:// or https:// before it" : ""
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
        func needed() throws(Fault) -> UInt16 {
            guard let port else { throw Fault(words: "\(kind) needs a port: HOST:PORT") }
            return port
        }
        switch kind {
        case "tcp": return .tcp(TCPProbeSettings(port: try needed()))
        case "tls": return .tls(TLSProbeSettings(port: port ?? 443, tls: tls))
        case "udp": return .udp(UDPProbeSettings(port: try needed(), payload: [], reply: .notExpected()))
        case "grpc": return .grpc(GRPCProbeSettings(port: try needed(), tls: scheme == "grpcs" ? tls : nil))
        case "icmp":
            guard port == nil else { throw Fault(words: "icmp has no port") }
            let count = count ?? 1
            let spacing = Duration.milliseconds(200)
            guard spacing * (count - 1) < timeout else {
                throw Fault(words: "\(count) echo requests take longer than the timeout; give it longer with --timeout")
            }
            return .icmp(ICMPProbeSettings(count: count, spacing: spacing))
        case "dns":
            guard let asked = name ?? (scheme == "dns" && !path.isEmpty ? String(path) : nil) else {
                throw Fault(words: "what is the name server to be asked for? Write --name NAME, or dns://SERVER/NAME")
            }
            return .dns(DNSProbeSettings(name: asked, type: record ?? .a, port: port ?? 53))
        default: return .http(HTTPProbeSettings(url: try url("http://\(text)"), tls: tls))
        }
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
                let hint =
                    target.url == nil ? flaw.hint : "ask it by tcp://[\(address)%eth0]:PORT, with the interface's name"
                throw Fault(words: "\(address) \(flaw.words); \(hint)")
            }
            let other: ProbeFamily = address.family == .ipv4 ? .ipv6 : .ipv4
            guard family != other else { throw Fault(words: "the address is of the other family than -4 or -6") }
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
            throw Fault(words: "\(PrintableBytes.quote(text.utf8)) is no URL: \(error.message)")
        }
    }

    private static func split(_ text: String) -> (scheme: String?, rest: String) {
        guard let sign = text.firstRange(of: "://") else { return (nil, text) }
        return (text[..<sign.lowerBound].lowercased(), String(text[sign.upperBound...]))
    }
}
