// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// Immutable bytes at an address that does not change, as C needs it.
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

    /// Lets a writer fill the room.
    init(capacity: Int, initializingWith initializer: (UnsafeMutableRawBufferPointer) -> Int) {
        unsafe room = .allocate(byteCount: max(capacity, 1), alignment: 16)
        let written = unsafe initializer(UnsafeMutableRawBufferPointer(rebasing: room[0..<capacity]))
        precondition(written >= 0 && written <= capacity, "more bytes written than there is room for")
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
