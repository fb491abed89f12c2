// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A question as it goes over the wire, RFC 1035, section 4.
struct DNSQuestion {
    let id: UInt16
    /// The name in wire form.
    let name: [UInt8]
    let type: DNSRecordType
    let recordClass: UInt16
    let recursionDesired: Bool

    /// nil when the name has an empty label, one of more than 63 bytes, or more than 255 bytes in all.
    init?(id: UInt16, name: String, type: DNSRecordType, recordClass: UInt16, recursionDesired: Bool) {
        var wire: [UInt8] = []
        let bytes = Array(name.utf8)
        let body = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes[...]
        if !body.isEmpty {
            for label in body.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
                guard (1...63).contains(label.count) else { return nil }
                wire.append(UInt8(label.count))
                wire += label
            }
        }
        wire.append(0)
        guard wire.count <= 255 else { return nil }
        self.id = id
        self.name = wire
        self.type = type
        self.recordClass = recordClass
        self.recursionDesired = recursionDesired
    }

    /// The message without the length that TCP puts before it.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes += [UInt8(id >> 8), UInt8(id & 0xFF), recursionDesired ? 1 : 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        bytes += name
        bytes += [UInt8(type.rawValue >> 8), UInt8(type.rawValue & 0xFF)]
        bytes += [UInt8(recordClass >> 8), UInt8(recordClass & 0xFF)]
        return bytes
    }
}
