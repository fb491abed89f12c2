// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import JSON
internal import Monitoring

/// The form in the file: a JSON value on each line, first a header, then the shards, then the targets, then a checksum of all lines
/// before it.
///
/// ```
/// {"format":1,"fleet":"…","node":"node-1","location":"berlin","database":"reachd","role":"reachd","epoch":"…","shards":1,"targets":1}
/// [placement,shard,token]
/// [index of the shard,beginning,is declared by a client,state or null,id,declaration]
/// {"checksum":"…"}
/// ```
extension CachedAssignments {
    /// The version of the form.
    static let format = 1
    /// The largest file, in bytes: about half a million targets.
    package static let sizeLimit = 256 << 20
    /// The longest line, in bytes; the longest declaration that the HTTP interface takes is shorter.
    static let lineLimit = 4 << 20

    /// The contents of the file.
    ///
    /// - Throws: `too_large`.
    package func encoded() throws(AssignmentCacheError) -> [UInt8] {
        var writer = JSONWriter(reserving: 512 + shards.count * 24 + targets.count * 320)
        var checksum = LineChecksum()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512 + shards.count * 24 + targets.count * 320)
        func endLine() {
            let line = writer.take()
            checksum.add(line)
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        writer.object { writer in
            writer.member("format", Self.format)
            writer.member("fleet", identity)
            writer.member("node", owner.node)
            writer.member("location", owner.location)
            writer.member("database", owner.database)
            writer.member("role", owner.role)
            writer.member("epoch", epoch)
            writer.member("shards", shards.count)
            writer.member("targets", targets.count)
        }
        endLine()
        var places: [Shard: Int] = [:]
        for (place, held) in shards.enumerated() {
            places[held.shard] = place
            writer.array { writer in
                writer.integer(held.shard.placement)
                writer.integer(held.shard.number)
                writer.integer(held.token)
            }
            endLine()
        }
        for held in targets {
            writer.array { writer in
                writer.integer(places[held.target.shard] ?? 0)
                writer.integer(held.beginning)
                writer.boolean(held.target.isClientDeclared)
                if let state = held.state { writer.string(state.rawValue) } else { writer.null() }
                writer.string(held.target.id)
                writer.string(held.target.declaration)
            }
            endLine()
            guard bytes.count < Self.sizeLimit - 64 else {
                throw AssignmentCacheError(.tooLarge, "the assigned targets need more than \(Self.sizeLimit) bytes")
            }
        }
        writer.object { $0.member("checksum", checksum.text) }
        return bytes + writer.take() + [UInt8(ascii: "\n")]
    }

    /// Reads the contents of a file.
    ///
    /// - Throws: `damaged`, `unsupported_format`.
    package init(reading bytes: [UInt8]) throws(AssignmentCacheError) {
        var lines = CachedLines(bytes)
        let header = try lines.next { reader throws(JSONError) in try Header(&reader) }
        guard header.format == Self.format else {
            throw AssignmentCacheError(
                .unsupportedFormat,
                "the format is \(header.format.map { "\($0)" } ?? "missing") (supported: \(Self.format))"
            )
        }
        guard let owner = header.owner, let identity = header.identity, let epoch = header.epoch else {
            throw lines.damaged
        }
        var shards: [HeldShard] = []
        for _ in 0..<header.shards {
            shards.append(try lines.next { reader throws(JSONError) in try HeldShard(&reader) })
        }
        var targets: [HeldTarget] = []
        for _ in 0..<header.targets {
            targets.append(try lines.next { reader throws(JSONError) in try HeldTarget(&reader, shards) })
        }
        try lines.end()
        guard Set(shards.map(\.shard)).count == shards.count, Set(targets.map(\.target.id)).count == targets.count
        else {
            throw AssignmentCacheError(.damaged, "a shard or a target occurs twice")
        }
        self.init(owner: owner, identity: identity, epoch: epoch, shards: shards, targets: targets)
    }
}

/// The first line. Members of a later format may differ, so all but `format` are optional until that is known.
private struct Header {
    var format: Int?
    var identity: String?
    var owner: CachedAssignments.Owner?
    var epoch: String?
    var shards = 0
    var targets = 0

    init(_ reader: inout JSONReader) throws(JSONError) {
        var texts: [String: String] = [:]
        try reader.beginObject()
        while let name = try reader.nextName() {
            switch try reader.kind() {
            case .number:
                let number = Int(try reader.number())
                switch name {
                case "format": format = number
                case "shards": shards = max(0, number ?? 0)
                case "targets": targets = max(0, number ?? 0)
                default: break
                }
            case .string: texts[name] = try reader.string()
            default: try reader.skip()
            }
        }
        identity = texts["fleet"]
        epoch = texts["epoch"]
        guard let node = texts["node"], let location = texts["location"], let database = texts["database"],
            let role = texts["role"]
        else { return }
        owner = CachedAssignments.Owner(node: node, location: location, database: database, role: role)
    }
}

extension CachedAssignments.HeldShard {
    fileprivate init(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginArray()
        let placement = try reader.elementNumber(upTo: Int(Int32.max))
        let number = try reader.elementNumber(upTo: Shard.count - 1)
        let token = try reader.elementNumber(upTo: Int.max)
        try reader.endArray()
        self.init(shard: Shard(placement: placement, number: number), token: UInt64(token))
    }
}

extension CachedAssignments.HeldTarget {
    fileprivate init(_ reader: inout JSONReader, _ shards: [CachedAssignments.HeldShard]) throws(JSONError) {
        try reader.beginArray()
        let place = try reader.elementNumber(upTo: shards.count - 1)
        let beginning = try reader.elementNumber(upTo: Int(LocalPosition.lastSequence))
        try reader.element()
        let isClientDeclared = try reader.boolean()
        try reader.element()
        var state: TargetState?
        if try reader.kind() == .null {
            try reader.null()
        } else {
            state = TargetState(rawValue: try reader.string())
            guard state != nil else { throw reader.fault("this is not a state") }
        }
        try reader.element()
        let id = try reader.string()
        try reader.element()
        let declaration = try reader.string()
        try reader.endArray()
        self.init(
            target: AssignedTarget(
                id: id,
                shard: shards[place].shard,
                declaration: declaration,
                isClientDeclared: isClientDeclared
            ),
            beginning: UInt64(beginning),
            state: state
        )
    }
}

extension JSONReader {
    /// Goes to the next element, which must exist.
    fileprivate mutating func element() throws(JSONError) {
        guard try nextElement() else { throw fault("an element is missing") }
    }

    fileprivate mutating func elementNumber(upTo limit: Int) throws(JSONError) -> Int {
        try element()
        guard let number = Int(try number()), number >= 0, number <= limit else {
            throw fault("this is not a number from 0 to \(limit)")
        }
        return number
    }

    fileprivate mutating func endArray() throws(JSONError) {
        guard try !nextElement() else { throw fault("there are too many elements") }
    }
}
