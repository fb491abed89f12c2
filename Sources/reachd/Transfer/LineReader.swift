// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// Reads a file's lines, of which it holds one at a time.
final class LineReader {
    /// What one line may be.
    static let limit = 16 << 20

    enum Line {
        case bytes([UInt8])
        /// Longer than ``limit``; it was passed over.
        case tooLong
    }

    private let descriptor: OwnedDescriptor?
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var rest: ArraySlice<UInt8> = []
    private var isAtEnd = false

    /// - Parameters:
    ///   - path: the file; `-` for the standard input.
    ///   - beginning: what was read of the standard input already.
    init(_ path: String, behind beginning: [UInt8] = []) throws(SystemError) {
        rest = beginning[...]
        guard path != "-" else {
            descriptor = nil
            return
        }
        descriptor = OwnedDescriptor(
            owning: try systemCall("open(\(path))") { unsafe open(path, O_RDONLY | O_CLOEXEC) }
        )
    }

    /// The next line without its end; nil behind the last.
    func next() throws(SystemError) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        var isEmpty = true
        while true {
            if rest.isEmpty {
                guard try fill() else { break }
            }
            isEmpty = false
            let end = rest.firstIndex(of: 0x0a)
            if line.count + (end ?? rest.endIndex) - rest.startIndex > Self.limit {
                (isTooLong, line) = (true, [])
            } else if !isTooLong {
                line += rest[..<(end ?? rest.endIndex)]
            }
            rest = end.map { rest[($0 + 1)...] } ?? []
            if end != nil { break }
        }
        if isEmpty { return nil }
        // Written by an editor.
        if line.last == 0x0d { line.removeLast() }
        return isTooLong ? .tooLong : .bytes(line)
    }

    private func fill() throws(SystemError) -> Bool {
        guard !isAtEnd else { return false }
        let number = descriptor?.number ?? STDIN_FILENO
        let size = buffer.count
        let count = try systemCall("read") { unsafe read(number, &buffer, size) }
        guard count > 0 else {
            isAtEnd = true
            return false
        }
        rest = buffer[..<count]
        return true
    }
}
