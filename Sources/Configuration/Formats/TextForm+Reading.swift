// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import NetworkPaths
import Probing

extension TextForm {
    /// Reads a text of this form.
    func read(_ text: String) throws(Complaint) -> CheckedValue {
        guard !text.isEmpty else { throw Complaint("is empty", hint: "write a value or remove the key") }
        if case .script = self {
            guard text.utf8.count <= 4_096 else { throw Complaint("is longer than 4096 bytes") }
            return .text(text)
        }
        guard text.unicodeScalars.allSatisfy(DisplayText.isAllowedInLine) else {
            throw Complaint("has control characters")
        }
        switch self {
        case .script:
            return .text(text)
        case .pattern:
            guard text.utf8.count <= 1_024 else { throw Complaint("is longer than 1024 bytes") }
            do throws(ProbePatternError) {
                return .pattern(try ProbePattern(text))
            } catch {
                throw Complaint("is not a regular expression: \(error.message)")
            }
        case .timeOfDay:
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2,
                parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
                let hour = UInt8(parts[0]), hour < 24,
                let minute = UInt8(parts[1]), minute < 60
            else { throw Complaint("is not a time of day", hint: "write 03:30") }
            return .text(text)
        case .portRange:
            guard Self.ports(text) != nil else {
                throw Complaint("is no port and no range of ports", hint: "write 443 or 8000-8999")
            }
            return .text(text)
        case .moment:
            guard let time = Timestamp(parsing: text) else {
                throw Complaint("is not a date", hint: "write 2027-03-01 or 2027-03-01T12:00:00Z")
            }
            return .time(time)
        case .pin:
            return try PinText.read(text)
        case .line:
            guard text.utf8.count <= 256 else { throw Complaint("is longer than 256 bytes") }
            return .text(text)
        case .identifier:
            guard Self.isIdentifier(text) else {
                throw Complaint("is not an id", hint: "an id has letters, digits, -, _, . and :, at most 128 of them")
            }
            return .text(text)
        case .host:
            return try HostText.read(text)
        case .address:
            return try AddressText.read(text)
        case .coverage:
            return try AddressText.readCoverage(text)
        case .interfaceName:
            guard AddressText.isInterfaceName(text) else {
                throw Complaint("is not the name of an interface: at most 127 bytes, no blank, / or :")
            }
            return .text(text)
        case .interfacePatterns:
            guard text.utf8.count <= 1_024, let patterns = InterfaceRule.patterns(from: text) else {
                let subjects = InterfaceRule.Pattern.Subject.allCases.map { "\($0.rawValue):" }
                throw Complaint(
                    "is not a pattern for interfaces",
                    hint: "write globs between |, with nothing or \(subjects.formatted(last: "or")) before each"
                )
            }
            return .patterns(patterns)
        case .listenAddress:
            return .listen(try ListenAddress(reading: text))
        case .fileMode:
            guard (3...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
                let mode = UInt32(text, radix: 8), mode <= 0o777
            else { throw Complaint("is not the permissions of a file", hint: "write octal digits: 0660") }
            guard mode & 0o600 == 0o600 else { throw Complaint("keeps the service's own user out", hint: "write 0660") }
            return .text(text)
        case .urlPath:
            guard text == "/" || Self.isURLPath(text) else {
                throw Complaint(
                    "is no path that requests could begin with",
                    hint: "write /reachd: segments of letters, digits, -, ., _ and ~, at most 128 bytes"
                )
            }
            return .text(text)
        case .pathOrNone where text == StateFileSetting.noneWord:
            return .text(text)
        case .path, .pathOrNone:
            guard text.hasPrefix("/") else {
                let hint = self == .path ? "begin it with /" : "begin it with /, or write \(StateFileSetting.noneWord)"
                throw Complaint("is not a path from the root", hint: hint)
            }
            guard text.utf8.count <= 4_095 else { throw Complaint("is longer than 4095 bytes") }
            return .text(text)
        }
    }

    /// Whether a text is a URL's path that every client and every proxy sends as it is, without a slash at its end.
    static func isURLPath(_ text: String) -> Bool {
        guard text.first == "/", text.utf8.count <= 128 else { return false }
        return text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy { segment in
            !segment.isEmpty && segment != "." && segment != ".."
                && segment.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                        || "-._~".utf8.contains(byte)
                }
        }
    }

    /// The ports that a text means; nil when it means none.
    static func ports(_ text: String) -> ClosedRange<UInt16>? {
        let bounds = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(part) ?? 0 : 0
        }
        guard let first = bounds.first, let last = bounds.last, first > 0, first <= last else { return nil }
        return first...last
    }

    /// Whether a text can be a target's id.
    package static func isIdentifier(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x3a).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            }
    }
}
