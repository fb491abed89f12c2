// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc
import Synchronization

/// Bytes that any number of clients receive without a copy: passed to the HTTP library at their first use, together
/// with the response's headers, and kept there for the life of this object.
package final class PreparedBody: Sendable {
    private let storage: SharedBytes
    private let variants = Mutex<[Variant]>([])

    /// The bytes, copied.
    package var bytes: [UInt8] { storage.array }
    /// How many bytes there are.
    package var count: Int { storage.count }

    /// Prepares a copy of bytes.
    package init(_ bytes: [UInt8]) {
        storage = SharedBytes(bytes)
    }

    /// Prepares bytes without a copy: they are written directly into the HTTP library's buffer.
    ///
    /// - Parameters:
    ///   - capacity: The buffer's size in bytes.
    ///   - initializer: Fills the buffer from its start and returns how many bytes it wrote.
    package init(capacity: Int, initializingWith initializer: (UnsafeMutableRawBufferPointer) -> Int) {
        storage = unsafe SharedBytes(capacity: capacity, initializingWith: initializer)
    }

    deinit {
        for variant in variants.withLock({ $0 }) {
            variant.response.release()
        }
    }

    /// One list of headers, and the library's response with it.
    private struct Variant {
        let headers: [HTTPHeader]
        let response: LibraryResponse
    }

    /// The maximum number of header lists per body. More than a route needs (200, 304, HEAD).
    private static let variantLimit = 4

    /// Calls a body with the library's response for these bytes and headers; the response is borrowed.
    ///
    /// Compares the array of headers by identity first, so that it costs nothing for routes that keep it.
    func withResponse<Result>(
        headers: [HTTPHeader],
        log: (String) -> Void,
        _ body: (LibraryResponse) -> Result
    ) -> Result? {
        // The object lives through the whole call and never releases a response, so no lock is held over the body.
        if let known = variants.withLock({ $0.first { $0.headers == headers }?.response }) { return body(known) }
        guard let made = LibraryResponse(storage, headers: headers, log: log) else { return nil }
        let isKept = variants.withLock { variants in
            guard variants.count < Self.variantLimit else { return false }
            variants.append(Variant(headers: headers, response: made))
            return true
        }
        let result = body(made)
        if !isKept { made.release() }
        return result
    }
}

/// Immutable bytes at a stable address, as C needs it.
@safe final class SharedBytes: Sendable {
    /// Safe to share: written in the initialisers only.
    private nonisolated(unsafe) let room: UnsafeMutableRawBufferPointer
    /// How many bytes there are.
    let count: Int

    /// Copies an array.
    convenience init(_ bytes: [UInt8]) {
        unsafe self.init(capacity: bytes.count) { room in
            unsafe room.copyBytes(from: bytes)
            return bytes.count
        }
    }

    /// Lets a writer fill the buffer.
    init(capacity: Int, initializingWith initializer: (UnsafeMutableRawBufferPointer) -> Int) {
        unsafe room = .allocate(byteCount: max(capacity, 1), alignment: 16)
        let written = unsafe initializer(UnsafeMutableRawBufferPointer(rebasing: room[0..<capacity]))
        precondition(written >= 0 && written <= capacity, "more bytes written than the capacity")
        count = written
    }

    deinit {
        unsafe room.deallocate()
    }

    /// The first byte's address, valid as long as this object lives.
    var address: UnsafeRawPointer? { unsafe UnsafeRawPointer(room.baseAddress) }

    /// A copy.
    var array: [UInt8] { unsafe Array(room[0..<count]) }
}
