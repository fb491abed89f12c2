// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import NetworkPaths
import Probing
import ReachAPI
import Schema
import ServerTrust

/// Makes the access rules from a checked mapping.
struct AccessAssembler {
    private static let tokenLimit = 1_000
    private static let fileLimit = 4_096
    /// Shorter tokens can be guessed.
    private static let leastLength = 16

    let root: ValidatedMapping
    /// Whether only users of this machine can connect.
    let isLocal: Bool

    func read(into http: inout HTTPSettings, _ diagnostics: inout SchemaReader) {
        let access = root.object("access")
        var tokens: [AccessToken] = []
        for (index, located) in (access?.list("tokens") ?? []).enumerated() {
            guard case .object(let object) = located.value else { continue }
            let pointer = "/access/tokens/\(index)"
            func add(_ code: ConfigurationDiagnostic.Code, _ message: String, hint: String? = nil) {
                diagnostics.report(code, at: located.place, pointer: pointer, message, hint: hint)
            }
            let name = object.text("name") ?? ""
            if tokens.contains(where: { $0.name == name }) { add(.duplicateValue, "\(name.quoted) occurs twice") }
            guard object.has("digest") != object.has("token_file") else {
                let hint = "printf %s TOKEN | sha256sum"
                add(.missingKey, "either digest or token_file is required", hint: hint)
                continue
            }
            do throws(Fault) {
                let scopes = object.has("scopes") ? object.texts("scopes") : ["read"]
                tokens.append(
                    AccessToken(
                        name: name,
                        digest: try Self.digest(object),
                        scopes: Set(scopes.compactMap(AccessScope.init))
                    )
                )
            } catch {
                add(.invalidValue, error.message, hint: error.hint)
            }
        }
        var origins: Set<String> = []
        for (index, located) in (access?.list("cors_origins") ?? []).enumerated() {
            guard case .text(let text) = located.value else { continue }
            if Self.isOrigin(text) {
                origins.insert(text)
            } else {
                let hint = text == "*" ? "list the sites: * would let every page read" : "write https://name"
                diagnostics.report(
                    .invalidValue,
                    at: located.place,
                    pointer: "/access/cors_origins/\(index)",
                    "\(text.quoted) is not an origin",
                    hint: hint
                )
            }
        }
        http.api.access.tokens = tokens
        http.api.access.origins = origins
        read(into: &http.targetPolicy, &diagnostics)
    }

    private func read(into policy: inout TargetPolicy, _ diagnostics: inout SchemaReader) {
        policy.allowsLoopback = isLocal
        guard let targets = root.object("access")?.object("targets") else { return }
        for key in ["allow", "kinds", "ports"] where targets.has(key) && targets.values(key).isEmpty {
            diagnostics.report(
                .invalidValue,
                at: targets.place(of: key),
                pointer: "/access/targets/\(key)",
                "an empty list allows nothing",
                hint: "write deny: default for that, or remove the key"
            )
        }
        policy.allowed = Self.blocks(targets.values("allow"))
        policy.denied = Self.blocks(targets.values("deny"))
        if targets.has("kinds") { policy.kinds = Set(targets.texts("kinds").compactMap(TargetPolicy.Kind.init)) }
        policy.ports = targets.texts("ports").compactMap(TextForm.ports)
        policy.allowsLoopback = targets.boolean("loopback") ?? isLocal
    }

    private static func blocks(_ values: [ValidatedValue]) -> [IPPrefix] {
        values.flatMap { value -> [IPPrefix] in
            guard case .coverage(let block) = value else { return [] }
            let all = [IPAddress(ipv4: 0), IPAddress(ipv6High: 0, low: 0)].map { IPPrefix($0, length: 0) }
            return block.map { [$0] } ?? all
        }
    }

    private struct Fault: Error {
        let message: String
        var hint: String?
    }

    private static func digest(_ object: ValidatedMapping) throws(Fault) -> [UInt8] {
        if let text = object.text("digest") {
            guard let bytes = PrintableBytes.bytes(hexadecimal: text), bytes.count == SHA256.count else {
                // It may be the token itself: it is not repeated.
                throw Fault(message: "digest is not 64 hexadecimal digits", hint: "printf %s TOKEN | sha256sum")
            }
            return bytes
        }
        let file = object.text("token_file") ?? ""
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(file, limit: fileLimit)
        } catch {
            throw Fault(message: error.description)
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        let rest = bytes.dropFirst(line.count).filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard rest.isEmpty, line.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            throw Fault(message: "\(file) must contain one line of printable characters")
        }
        guard line.count >= leastLength else {
            throw Fault(
                message: "the token in \(file) has fewer than \(leastLength) characters",
                hint: "openssl rand -hex 32"
            )
        }
        guard let digest = SHA256.digest(of: Array(line)) else { throw Fault(message: "no memory for a token") }
        return digest
    }

    /// Whether it is in the format of the browsers' `Origin` (RFC 6454, section 6.1).
    private static func isOrigin(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        let host = text.dropFirst(scheme.count)
        return !host.isEmpty
            && host.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "-.:[]".utf8.contains(byte)
            }
    }
}
