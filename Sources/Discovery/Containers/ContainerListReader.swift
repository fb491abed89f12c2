// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// Reads the engine's list of containers (`GET /containers/json`). Members that are unknown or of another type than documented are
/// ignored, and so are labels that are too long.
enum ContainerListReader {
    /// The longest label, in bytes.
    static let labelLimit = 16_384
    /// The most containers.
    static let limit = 20_000

    /// Reads a list.
    ///
    /// - Throws: ``SourceError``, if it is no list, or too long.
    static func read(_ bytes: [UInt8]) throws(SourceError) -> [Container] {
        var containers: [Container] = []
        do throws(JSONError) {
            var reader = JSONReader(bytes, limits: JSONLimits(values: 8_000_000))
            guard try reader.kind() == .array else { throw reader.fault("it is not a list") }
            try reader.beginArray()
            while try reader.nextElement() {
                let container = try container(&reader)
                if containers.count <= limit, !container.name.isEmpty { containers.append(container) }
            }
            try reader.end()
        } catch {
            throw SourceError(.malformed, "the list of containers cannot be read: \(error)")
        }
        guard containers.count <= limit else {
            throw SourceError(.tooMany, "there are more than \(limit) containers")
        }
        return containers
    }

    private static func container(_ reader: inout JSONReader) throws(JSONError) -> Container {
        var container = Container()
        try members(&reader) { (reader, name) throws(JSONError) in
            switch name {
            case "Id": container.id = try text(&reader)
            case "Image": container.image = try text(&reader)
            case "State": container.state = try text(&reader).lowercased()
            case "Created": container.created = Int64(try number(&reader) ?? 0)
            case "Names": container.name = try ownName(&reader)
            case "Labels": container.labels = try labels(&reader)
            case "Ports": container.ports = try ports(&reader)
            case "HostConfig":
                try members(&reader) { (reader, name) throws(JSONError) in
                    if name == "NetworkMode" { container.networkMode = try text(&reader) } else { try skip(&reader) }
                }
            case "NetworkSettings":
                try members(&reader) { (reader, name) throws(JSONError) in
                    if name == "Networks" {
                        container.addresses = try addresses(&reader)
                    } else {
                        try skip(&reader)
                    }
                }
            default: try skip(&reader)
            }
        }
        return container
    }

    /// The container's own name: with links it has others, such as `/other/alias`.
    private static func ownName(_ reader: inout JSONReader) throws(JSONError) -> String {
        var own = ""
        try elements(&reader) { (reader) throws(JSONError) in
            let name = try text(&reader)
            let bare = name.hasPrefix("/") ? String(name.dropFirst()) : name
            if own.isEmpty, !bare.contains("/") { own = bare }
        }
        return own
    }

    private static func labels(_ reader: inout JSONReader) throws(JSONError) -> [String: String] {
        var labels: [String: String] = [:]
        try members(&reader) { (reader, name) throws(JSONError) in
            guard name.hasPrefix(ContainerLabels.prefix) || ContainerLabels.compose.contains(name), labels.count < 32
            else {
                try skip(&reader)
                return
            }
            labels[name] = try text(&reader, limit: labelLimit)
        }
        return labels
    }

    private static func ports(_ reader: inout JSONReader) throws(JSONError) -> [Container.Port] {
        var ports: [Container.Port] = []
        try elements(&reader) { (reader) throws(JSONError) in
            var port = Container.Port(inside: 0)
            var isTCP = true
            try members(&reader) { (reader, name) throws(JSONError) in
                switch name {
                case "PrivatePort": port.inside = try number(&reader) ?? 0
                case "PublicPort": port.published = try number(&reader)
                case "IP": port.address = try text(&reader)
                case "Type": isTCP = try text(&reader) == "tcp"
                default: try skip(&reader)
                }
            }
            if port.published == 0 { port.published = nil }
            let numbers = [port.inside, port.published ?? port.inside]
            guard isTCP, numbers.allSatisfy((1...65_535).contains), ports.count < 1_024 else { return }
            ports.append(port)
        }
        return ports
    }

    private static func addresses(_ reader: inout JSONReader) throws(JSONError) -> [String: String] {
        var addresses: [String: String] = [:]
        try members(&reader) { (reader, network) throws(JSONError) in
            var (four, six) = ("", "")
            try members(&reader) { (reader, name) throws(JSONError) in
                switch name {
                case "IPAddress": four = try text(&reader)
                case "GlobalIPv6Address": six = try text(&reader)
                default: try skip(&reader)
                }
            }
            let address = four.isEmpty ? six : four
            if !address.isEmpty, addresses.count < 64 { addresses[network] = address }
        }
        return addresses
    }

    // MARK: Values

    /// Reads an object member by member; another value is skipped.
    private static func members(
        _ reader: inout JSONReader,
        _ body: (inout JSONReader, String) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard try reader.kind() == .object else { return try skip(&reader) }
        try reader.beginObject()
        while let name = try reader.nextName() { try body(&reader, name) }
    }

    /// Reads an array element by element; another value is skipped.
    private static func elements(
        _ reader: inout JSONReader,
        _ body: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard try reader.kind() == .array else { return try skip(&reader) }
        try reader.beginArray()
        while try reader.nextElement() { try body(&reader) }
    }

    /// A text; "" for another value and for a text that is too long.
    private static func text(_ reader: inout JSONReader, limit: Int = 1_024) throws(JSONError) -> String {
        guard try reader.kind() == .string else {
            try skip(&reader)
            return ""
        }
        let text = try reader.string()
        return text.utf8.count <= limit ? text : ""
    }

    /// A whole number; nil for another value.
    private static func number(_ reader: inout JSONReader) throws(JSONError) -> Int? {
        guard try reader.kind() == .number else {
            try skip(&reader)
            return nil
        }
        return Int(try reader.number())
    }

    private static func skip(_ reader: inout JSONReader) throws(JSONError) { _ = try reader.skip() }
}
