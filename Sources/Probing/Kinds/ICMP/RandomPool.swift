// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// The system's random numbers, fetched thirty-two at a time: a system call for each would be an eighth of an echo request's cost.
struct RandomPool {
    private static let length = 32
    private var numbers: [UInt64] = []

    /// A number that nobody can guess.
    mutating func next() -> UInt64 {
        if numbers.isEmpty {
            // One call for all of them; getentropy(3) gives 256 bytes at most.
            numbers = unsafe [UInt64](unsafeUninitializedCapacity: Self.length) { buffer, count in
                let size = Self.length * MemoryLayout<UInt64>.size
                count = unsafe getentropy(buffer.baseAddress, size) == 0 ? Self.length : 0
            }
        }
        var generator = SystemRandomNumberGenerator()
        return numbers.popLast() ?? generator.next()
    }
}
