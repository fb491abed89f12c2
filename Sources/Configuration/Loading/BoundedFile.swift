// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Schema

/// Reads files with a limit on their size.
package enum BoundedFile {
    /// Reads a whole file, which may be a pipe.
    ///
    /// - Throws: one fault, when the file cannot be read or has more than `maximum` bytes.
    package static func read(_ path: String, maximum: Int) throws(ConfigurationDiagnostics) -> [UInt8] {
        do throws(SystemError) {
            let number = try systemCall("open") { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
            let descriptor = OwnedDescriptor(owning: number)
            var bytes: [UInt8] = []
            let chunk = 1 << 16
            while bytes.count <= maximum {
                let start = bytes.count
                bytes.append(contentsOf: repeatElement(0, count: chunk))
                let count = try systemCall("read") {
                    unsafe bytes.withUnsafeMutableBytes { buffer in
                        unsafe Glibc.read(descriptor.number, buffer.baseAddress.map { unsafe $0 + start }, chunk)
                    }
                }
                bytes.removeLast(chunk - count)
                if count == 0 { return bytes }
            }
        } catch {
            throw ConfigurationDiagnostics([.init(.unreadable, at: .file(path, nil), "cannot be read: \(error)")])
        }
        throw tooLarge(path, maximum)
    }

    package static func tooLarge(_ path: String, _ maximum: Int) -> ConfigurationDiagnostics {
        ConfigurationDiagnostics([
            .init(.tooLarge, at: .file(path, nil), "has more than \(ByteCountText.text(maximum))")
        ])
    }
}
