// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import TestSupport

/// Some of the fixtures in a folder of a test's own.
struct CopiedFixtures {
    private let folder: TemporaryFolder

    var path: String { folder.path }

    /// - Parameters:
    ///   - files: Their names.
    ///   - below: The names of those that lie one folder deeper, in one that has the name of a certificate.
    init(_ files: [String], below: [String] = []) throws {
        folder = try TemporaryFolder()
        try folder.write("no certificate\n", to: "README.md")
        try folder.write("no certificate\n", to: ".pem")
        if !below.isEmpty { try folder.write("", to: "below.pem/empty") }
        for file in files { try add(file) }
        for file in below { try add(file, as: "below.pem/\(file)") }
    }

    /// Adds another.
    func add(_ file: String, as name: String? = nil) throws {
        _ = try Command.run(["cp", Fixture.folder + file, folder.path(of: name ?? file)])
    }

    /// Writes bytes.
    func write(_ text: String, to file: String) throws -> String { try folder.write(text, to: file) }
}
