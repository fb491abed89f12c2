// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// An event of a watch.
enum KubernetesWatchEvent: Sendable, Hashable {
    /// An object that is new or changed.
    case present(KubernetesObject)
    /// An object that was deleted, or that the selector does not match any more.
    case deleted(KubernetesObject)
    /// The version up to which every change was sent.
    case bookmark(version: String)
    /// The watch ends.
    case error(KubernetesStatus)
    /// An event of an unknown type.
    case unknown

    /// Parses a line.
    ///
    /// - Throws: ``JSONError`` when it is not an event in JSON.
    init(_ line: [UInt8], _ objectReader: KubernetesObjectReader) throws(JSONError) {
        let members = try JSONReader.members(of: line, limits: JSONLimits(isOneLine: true))
        var reader = JSONReader(Array(members["object"] ?? []))
        switch try JSONReader.text(of: members["type"] ?? []) {
        case "ADDED", "MODIFIED": self = .present(try objectReader.read(&reader))
        case "DELETED": self = .deleted(try objectReader.read(&reader))
        case "BOOKMARK": self = .bookmark(version: try objectReader.read(&reader).resourceVersion)
        case "ERROR": self = .error(try KubernetesStatus(&reader))
        default: self = .unknown
        }
    }
}

/// Cuts the stream of a watch into lines.
struct KubernetesWatchLines {
    /// The limit of a line in bytes. etcd refuses requests above 1.5 MiB, of which the JSON text is somewhat longer.
    static let limit = 4 << 20

    private var line: [UInt8] = []
    /// Whether the limit was exceeded; further input is ignored.
    private(set) var isTooLong = false

    /// Takes a chunk of any size, and returns the lines that it completes, without empty ones.
    mutating func take(_ chunk: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = chunk[...]
        while !isTooLong, let end = rest.firstIndex(of: 0x0A) {
            append(rest[..<end])
            if !isTooLong, !line.isEmpty { lines.append(line) }
            line = []
            rest = rest[(end + 1)...]
        }
        append(rest)
        return lines
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !isTooLong else { return }
        if line.count + bytes.count > Self.limit {
            isTooLong = true
            line = []
        } else {
            line += bytes
        }
    }
}
