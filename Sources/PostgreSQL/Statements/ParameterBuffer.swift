// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// The parameters of a statement as zero-terminated texts in one buffer.
struct ParameterBuffer {
    private var bytes: [UInt8] = []
    /// Where each text begins; nil for a null.
    private var starts: [Int?] = []

    /// The protocol's limit of parameters.
    static let limit = 65_535
    /// The size limit of all parameters of a statement, in bytes. The protocol's is 1 GiB for a message.
    static let sizeLimit = 256 << 20

    /// Encodes parameters.
    ///
    /// - Throws: `invalid_input` when a text contains a zero byte, or a limit is exceeded.
    init(_ values: [DatabaseValue]) throws(DatabaseError) {
        guard values.count <= Self.limit else {
            throw DatabaseError(.invalidInput, "the statement has \(values.count) parameters (maximum: \(Self.limit))")
        }
        starts.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            guard value != .null else {
                starts.append(nil)
                continue
            }
            let start = bytes.count
            value.append(to: &bytes)
            guard !hasZeroByte(from: start) else {
                throw DatabaseError(.invalidInput, "parameter $\(index + 1) contains a zero byte")
            }
            bytes.append(0)
            guard bytes.count <= Self.sizeLimit else {
                throw DatabaseError(.invalidInput, "the parameters exceed \(Self.sizeLimit) bytes")
            }
            starts.append(start)
        }
    }

    /// memchr(3): parameters may have many megabytes.
    private func hasZeroByte(from start: Int) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
            return unsafe rest.baseAddress.map { unsafe memchr($0, 0, rest.count) != nil } ?? false
        }
    }

    /// How many parameters there are.
    var count: Int { starts.count }

    /// How many bytes they have.
    var size: Int { bytes.count }

    /// Calls a function with pointers to the texts, valid during the call.
    func withPointers<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress
            let pointers = unsafe starts.map { start -> UnsafePointer<CChar>? in
                guard let start else { return nil }
                return unsafe base?.advanced(by: start).assumingMemoryBound(to: CChar.self)
            }
            // One more than needed, so that the array has an address.
            return unsafe body(pointers + [nil])
        }
    }
}
