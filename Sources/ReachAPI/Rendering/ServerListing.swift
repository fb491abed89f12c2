// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The part of `openapi.yaml` that says where the routes are.
enum ServerListing {
    /// The document, embedded at build from the file at the project's root so that a static binary carries it.
    ///
    /// - Parameter base: the path that all routes are below; empty for none.
    static func document(below base: String) -> [UInt8] {
        let bytes = PackageResources.openapi_yaml
        guard !base.isEmpty, let begin = start(of: "\nservers:\n", in: bytes),
            let end = start(of: "\ntags:\n", in: bytes), begin < end
        else { return bytes }
        // Relative to where the document was found: a client comes through the proxy, whose name is not known here.
        let servers = """

            servers:
              - url: \(base)
                description: The routes, below base_path.
              - url: \(base)/api/v1
                description: The same routes under a versioned prefix.
            """
        return Array(bytes[..<begin]) + Array(servers.utf8) + Array(bytes[end...])
    }

    private static func start(of text: StaticString, in bytes: [UInt8]) -> Int? {
        let wanted = Array(text.description.utf8)
        return bytes.indices.first { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) }
    }
}
