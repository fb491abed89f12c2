// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
internal import Glibc

/// The name servers of `resolv.conf(5)` and how they are asked.
///
/// c-ares reads the file too, and leaves some of it out: 1.18 passes over addresses with an interface, `timeout` and `attempts`.
struct ServerList: Equatable {
    /// In the order of the file, none twice; the own machine when the file has none.
    private(set) var servers: [ScopedAddress] = []
    /// How long the first try waits for an answer, in milliseconds.
    private(set) var timeout: Int32?
    /// How often each server is asked.
    private(set) var tries: Int32?
    /// Whether questions begin at the servers in turn.
    private(set) var rotates = false

    private static let maximumServers = 16
    /// As in glibc.
    private static let longestTimeout: Int32 = 30
    private static let maximumTries: Int32 = 5

    /// Reads a file's bytes.
    ///
    /// - Parameter options: `RES_OPTIONS`, which goes over the file.
    init(parsing file: [UInt8], options: String? = nil) {
        for words in ResolvConf.lines(of: file) {
            switch words.first {
            case "nameserver": if words.count > 1 { add(words[1]) }
            case "options": read(words.dropFirst())
            default: continue
            }
        }
        if let options { read(ResolvConf.words(of: options)[...]) }
        if servers.isEmpty { servers = [ScopedAddress(IPAddress(ipv4: 0x7F00_0001))] }
    }

    /// Reads a file's bytes, and what the environment says.
    static func system(parsing file: [UInt8]) -> ServerList {
        ServerList(parsing: file, options: ResolvConf.environmentOptions)
    }

    private mutating func add(_ text: String) {
        guard servers.count < Self.maximumServers, let address = AddressLiteral.read(text.utf8) else { return }
        let mark = text.firstIndex(of: "%")
        let interface = mark.map { String(text[text.index(after: $0)...]) }
        guard interface.map({ (1..<Int(IF_NAMESIZE)).contains($0.utf8.count) }) ?? true else { return }
        let server = ScopedAddress(address, interface: address.isLinkLocal ? interface : nil)
        if !servers.contains(server) { servers.append(server) }
    }

    private mutating func read(_ options: ArraySlice<String>) {
        func number(_ option: String, _ name: String, _ maximum: Int32) -> Int32? {
            guard option.hasPrefix(name), let number = Int32(option.dropFirst(name.count)), number >= 0 else {
                return nil
            }
            return min(max(1, number), maximum)
        }
        for option in options {
            if let seconds = number(option, "timeout:", Self.longestTimeout) { timeout = seconds * 1_000 }
            if let count = number(option, "attempts:", Self.maximumTries) { tries = count }
            if option == "rotate" { rotates = true }
        }
    }
}

/// The lines of `resolv.conf(5)`.
enum ResolvConf {
    /// The words of each line that has any, without comments.
    static func lines(of file: [UInt8]) -> [[String]] {
        file.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }).map { line in
            let text = line.prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: ";") }
            return words(of: String(decoding: text, as: UTF8.self))
        }
    }

    static func words(of text: String) -> [String] { text.split { $0 == " " || $0 == "\t" }.map(String.init) }

    /// `RES_OPTIONS`.
    static var environmentOptions: String? { unsafe getenv("RES_OPTIONS").map { unsafe String(cString: $0) } }
}
