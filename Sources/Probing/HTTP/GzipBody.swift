// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CZlib

/// Reads a gzip body (RFC 1952) as gunzip and browsers do: of several members all, and what follows the last one is ignored.
///
/// One slice of input at a time, so that a response is bounded by its input and by whoever takes the output.
@safe final class GzipBody {
    private enum Position {
        /// In a member; nothing came of it yet if it is empty so far.
        case member(isFirst: Bool, isEmpty: Bool)
        /// Behind a member.
        case between
        /// Behind the last member.
        case end
    }

    private let reader: OpaquePointer
    private var position = Position.member(isFirst: true, isEmpty: true)
    private var hasInput = false

    /// - Throws: ``ProbeFault`` without memory.
    init() throws(ProbeFault) {
        guard let reader = unsafe reachd_zlib_reader_create() else {
            throw ProbeFault(reason: .outOfMemory, detail: "no memory to decompress the body")
        }
        unsafe self.reader = reader
    }

    deinit {
        unsafe reachd_zlib_reader_destroy(reader)
    }

    /// Whether the body ends where it may end: behind a member, or before the first byte.
    var isComplete: Bool {
        if case .member = position { !hasInput } else { true }
    }

    /// Decompresses the next bytes of the body.
    ///
    /// - Parameter take: Takes what came of them, piece by piece; returns whether to go on.
    /// - Returns: Whether all was taken.
    /// - Throws: ``ProbeFault`` for what is not gzip.
    func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ take: (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws(ProbeFault) -> Bool {
        var rest = unsafe Slice(base: bytes, bounds: bytes.indices)
        while let first = unsafe rest.first {
            hasInput = true
            switch position {
            case .end: return true
            // Some servers fill up their last block.
            case .between where first == 0: unsafe rest = rest.dropFirst()
            case .between where first == 0x1F:
                unsafe reachd_zlib_reader_reset(reader)
                position = .member(isFirst: false, isEmpty: true)
            case .between: position = .end
            case .member(let isFirst, let isEmpty):
                guard try unsafe readMember(&rest, isFirst, isEmpty, take) else { return false }
            }
        }
        return true
    }

    private func readMember(
        _ rest: inout Slice<UnsafeBufferPointer<UInt8>>,
        _ isFirst: Bool,
        _ isEmpty: Bool,
        _ take: (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws(ProbeFault) -> Bool {
        var reading = reachd_zlib_goes_on
        var (used, written, isTaken) = (0, 0, true)
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16 << 10) { piece in
            guard let room = piece.baseAddress, let input = unsafe UnsafeBufferPointer(rebasing: rest).baseAddress
            else {
                return
            }
            unsafe (used, written) = (rest.count, piece.count)
            unsafe reading = reachd_zlib_read(reader, input, &used, room, &written)
            if written > 0 { isTaken = unsafe take(UnsafeBufferPointer(start: room, count: written)) }
        }
        unsafe rest = rest.dropFirst(used)
        let isStillEmpty = isEmpty && written == 0
        switch used + written > 0 ? reading : reachd_zlib_broken {
        case reachd_zlib_ended: position = .between
        case reachd_zlib_goes_on: position = .member(isFirst: isFirst, isEmpty: isStillEmpty)
        default:
            // What only begins like a further member is none.
            guard !isFirst, isStillEmpty else {
                throw ProbeFault(reason: .badContentEncoding, detail: "the body is not the gzip that it is said to be")
            }
            position = .end
        }
        return isTaken
    }
}
