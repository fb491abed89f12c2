// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An event's identity on the wire: `<epoch>-<sequence>`.
package struct EventID: Sendable, Hashable {
    /// The run of the event log; 1 to 32 lower-case hexadecimal digits.
    package let epoch: String
    /// The number within the run.
    package let sequence: UInt64

    /// Creates an id from its parts.
    package init(epoch: String, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Reads an id; nil when the text is not one.
    package init?(parsing text: String) {
        let bytes = text.utf8
        guard let dash = bytes.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let epoch = bytes[..<dash]
        let digits = bytes[bytes.index(after: dash)...]
        guard (1...32).contains(epoch.count), epoch.allSatisfy(Self.isHexadecimal) else { return nil }
        guard (1...20).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        guard let sequence = UInt64(text[bytes.index(after: dash)...]) else { return nil }
        self.init(epoch: String(text[..<dash]), sequence: sequence)
    }

    /// A new epoch: 16 random hexadecimal digits.
    package static func randomEpoch() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}

extension EventID: CustomStringConvertible {
    /// `<epoch>-<sequence>`.
    package var description: String { "\(epoch)-\(sequence)" }
}
