// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// The search list and `ndots` of `resolv.conf(5)`. c-ares reads them too and has no function that says what it read:
/// `ares_save_options` leaves them out since 1.28.
struct SearchList: Equatable {
    /// The domains that a name is tried with, in order.
    private(set) var domains: [String]
    /// With so many dots or more a name is tried as it is first.
    private(set) var dots = 1

    private static let maximumDots = 15
    private static let maximumDomains = 32

    /// Reads a file's bytes: of several lines with a list the last one counts.
    ///
    /// - Parameters:
    ///   - localDomain: `LOCALDOMAIN`, which goes over the file.
    ///   - options: `RES_OPTIONS`, likewise.
    ///   - hostName: the machine's name, whose domain is the list where there is none.
    init(parsing file: [UInt8], localDomain: String? = nil, options: String? = nil, hostName: String = "") {
        domains = []
        var list: [String]?
        for line in file.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let words = String(
                decoding: line.prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: ";") },
                as: UTF8.self
            )
            .split { $0 == " " || $0 == "\t" }.map(String.init)
            switch words.first {
            case "search": list = Array(words.dropFirst().prefix(Self.maximumDomains))
            case "domain": list = Array(words.dropFirst().prefix(1))
            case "options": read(words.dropFirst())
            default: continue
            }
        }
        if let localDomain {
            list = localDomain.split { $0 == " " || $0 == "\t" }.prefix(Self.maximumDomains).map(String.init)
        }
        if let options { read(options.split { $0 == " " || $0 == "\t" }.map(String.init)[...]) }
        domains = list ?? hostName.firstIndex(of: ".").map { [String(hostName[$0...].dropFirst())] } ?? []
        domains.removeAll(where: \.isEmpty)
    }

    /// Reads a file's bytes, and what the environment and the machine's name say.
    static func system(parsing file: [UInt8]) -> SearchList {
        let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
            guard let base = buffer.baseAddress, unsafe gethostname(base, buffer.count - 1) == 0 else { return "" }
            unsafe buffer[buffer.count - 1] = 0
            return unsafe String(cString: base)
        }
        return SearchList(
            parsing: file,
            localDomain: unsafe getenv("LOCALDOMAIN").map { unsafe String(cString: $0) },
            options: unsafe getenv("RES_OPTIONS").map { unsafe String(cString: $0) },
            hostName: name
        )
    }

    private mutating func read(_ options: ArraySlice<String>) {
        for option in options where option.hasPrefix("ndots:") {
            if let number = Int(option.dropFirst("ndots:".count)), number >= 0 { dots = min(number, Self.maximumDots) }
        }
    }
}
