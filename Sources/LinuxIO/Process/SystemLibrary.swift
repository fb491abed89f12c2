// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A library of the system, in the version that the program was given when it started, and the versions that it is known to work
/// with. Those share a SONAME, so the dynamic linker takes any of them for any other.
package struct SystemLibrary: Sendable, Hashable {
    /// The library's own name.
    package let name: String
    /// The version that is loaded, as the library spells it.
    package let version: String
    /// The series that are known to work.
    package let supported: [Series]

    /// Versions from one to another, each with as many parts as count: 1.18 to 1.34 are 1.18.0, 1.34.9 and all between.
    package struct Series: Sendable, Hashable {
        let first: [Int]
        let last: [Int]

        /// All versions that begin with a version's parts.
        package init(_ version: String) {
            self.init(version, version)
        }

        /// All versions from one that begins with `first` to one that begins with `last`.
        package init(_ first: String, _ last: String) {
            self.first = SystemLibrary.parts(first)
            self.last = SystemLibrary.parts(last)
        }

        func contains(_ version: [Int]) -> Bool {
            !version.isEmpty && !version.lexicographicallyPrecedes(first)
                && !last.lexicographicallyPrecedes(version.prefix(last.count))
        }
    }

    /// - Parameters:
    ///   - name: The library's own name.
    ///   - version: What its documented function says.
    ///   - supported: The series that tests pass with.
    package init(_ name: String, version: String, supported: [Series]) {
        self.name = name
        self.version = version
        self.supported = supported
    }

    /// Whether the version is known to work.
    package var isSupported: Bool {
        let parts = Self.parts(version)
        return supported.contains { $0.contains(parts) }
    }

    /// The library, the version found and those that are supported, when it is not one of these.
    package var fault: String? {
        isSupported
            ? nil
            : "\(name) \(version) is not supported (supported: \(supported.map(\.description).joined(separator: ", ")))"
    }

    /// The numbers at the begin of a text; what follows (`-rc1`, `p1`, a distribution's addition) does not count.
    private static func parts(_ text: String) -> [Int] {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        return digits.split(separator: ".").compactMap { Int($0) }
    }
}

extension SystemLibrary.Series: CustomStringConvertible {
    /// `1.18 to 1.34`, or `1.0`.
    package var description: String {
        let texts = [first, last].map { $0.map(String.init).joined(separator: ".") }
        return first == last ? texts[0] : "\(texts[0]) to \(texts[1])"
    }
}
