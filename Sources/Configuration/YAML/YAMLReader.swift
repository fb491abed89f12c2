// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CYAML
package import Schema

/// Reads a YAML text into nodes, with libyaml's event parser.
///
/// Not Yams: its composer stops at the first duplicate key, hashes every key (an alias bomb there never ends), takes
/// 2.7 s for 100,000 targets, and links Foundation's regular expressions with 44 MB of ICU data into a static program.
///
/// Safe although it holds a pointer: a reader lives inside one call of ``read(_:limits:)``, which owns the memory.
@safe
package struct YAMLReader {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let limits: YAMLLimits
    private let file: UInt16
    private var anchors: [String: YAMLNode] = [:]
    private var budget: Int

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - limits: The limits.
    ///   - file: The number that the nodes get as their file.
    /// - Returns: The root of the only document; nil without one, as in an empty file.
    /// - Throws: ``YAMLError`` with a position inside the text.
    package static func read(
        _ bytes: [UInt8],
        limits: YAMLLimits = YAMLLimits(),
        file: UInt16 = 0
    ) throws(YAMLError) -> YAMLNode? {
        try read(bytes, limits: limits, documents: 1, file: file).first
    }

    /// Reads a text of several documents, such as the manifests of Kubernetes.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - limits: The limits, of all documents together.
    ///   - documents: How many documents the text may have.
    ///   - file: The number that the nodes get as their file.
    /// - Returns: The roots of the documents, in their order.
    /// - Throws: ``YAMLError`` with a position inside the text.
    package static func read(
        _ bytes: [UInt8],
        limits: YAMLLimits = YAMLLimits(),
        documents: Int,
        file: UInt16 = 0
    ) throws(YAMLError) -> [YAMLNode] {
        // libyaml keeps the pointer until its parser is deleted, so everything happens inside this closure.
        let result = unsafe bytes.withUnsafeBufferPointer { buffer -> Result<[YAMLNode], YAMLError> in
            let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
            defer { unsafe parser.deallocate() }
            guard unsafe yaml_parser_initialize(parser) == 1 else {
                return .failure(YAMLError(.noMemory, at: .start, "out of memory for the parser"))
            }
            defer { unsafe yaml_parser_delete(parser) }
            unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            // An empty array may have no address, and libyaml needs one.
            var nothing: UInt8 = 0
            return unsafe withUnsafePointer(to: &nothing) { nothing in
                unsafe yaml_parser_set_input_string(parser, buffer.baseAddress ?? nothing, buffer.count)
                var reader = unsafe YAMLReader(parser: parser, limits: limits, file: file)
                do throws(YAMLError) {
                    return .success(try reader.readStream(documents))
                } catch {
                    return .failure(unsafe error.code == .syntax ? reader.located(error, in: buffer) : error)
                }
            }
        }
        return try result.get()
    }

    private init(parser: UnsafeMutablePointer<yaml_parser_t>, limits: YAMLLimits, file: UInt16) {
        unsafe self.parser = unsafe parser
        self.limits = limits
        self.file = file
        budget = limits.nodes
    }

    private mutating func readStream(_ limit: Int) throws(YAMLError) -> [YAMLNode] {
        var roots: [YAMLNode] = []
        while true {
            let event = try next()
            switch event.kind {
            case YAML_STREAM_END_EVENT:
                return roots
            case YAML_DOCUMENT_START_EVENT:
                guard roots.count < limit else {
                    let words =
                        limit == 1
                        ? "a second document begins here; remove it" : "there are more than \(limit) documents"
                    throw YAMLError(.severalDocuments, at: event.position, words)
                }
                // Anchors are those of one document.
                anchors = [:]
                roots.append(try node(from: try next(), depth: 0))
            default:
                continue
            }
        }
    }

    private mutating func node(from event: Event, depth: Int) throws(YAMLError) -> YAMLNode {
        guard depth <= limits.depth else {
            throw YAMLError(.tooDeep, at: event.position, "nested more than \(limits.depth) levels deep")
        }
        let content: YAMLNode.Content
        switch event.kind {
        case YAML_ALIAS_EVENT:
            guard let node = anchors[event.text] else {
                throw YAMLError(.unknownAnchor, at: event.position, "the anchor of this alias is not defined before it")
            }
            try spend(node.weight, at: event.position)
            return node
        case YAML_SEQUENCE_START_EVENT:
            var items: [YAMLNode] = []
            while true {
                let event = try next()
                if event.kind == YAML_SEQUENCE_END_EVENT { break }
                items.append(try node(from: event, depth: depth + 1))
            }
            content = .sequence(items)
        case YAML_MAPPING_START_EVENT:
            var pairs: [YAMLNode.Pair] = []
            while true {
                let event = try next()
                if event.kind == YAML_MAPPING_END_EVENT { break }
                let key = try node(from: event, depth: depth + 1)
                pairs.append(.init(key: key, value: try node(from: try next(), depth: depth + 1)))
            }
            content = .mapping(pairs)
        default:
            content = .scalar(event.text, isPlain: event.isPlain)
        }
        try spend(1, at: event.position)
        let node = YAMLNode(content, position: event.position, tag: event.tag, file: file)
        if let anchor = event.anchor { anchors[anchor] = node }
        return node
    }

    private mutating func spend(_ count: Int, at position: YAMLPosition) throws(YAMLError) {
        budget -= count
        guard budget >= 0 else {
            throw YAMLError(.tooLarge, at: position, "more than \(limits.nodes) values, aliases counted each time")
        }
    }

    // MARK: libyaml

    private struct Event {
        var kind: yaml_event_type_t
        var position: YAMLPosition
        /// A scalar's text, or the name in an alias.
        var text = ""
        var isPlain = false
        var anchor: String?
        var tag: String?
    }

    private func next() throws(YAMLError) -> Event {
        var raw = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &raw) == 1 else { throw unsafe Self.error(of: parser.pointee) }
        defer { unsafe yaml_event_delete(&raw) }
        var event = Event(kind: unsafe raw.type, position: Self.position(unsafe raw.start_mark))
        switch event.kind {
        case YAML_ALIAS_EVENT:
            event.text = unsafe Self.string(raw.data.alias.anchor) ?? ""
        case YAML_SCALAR_EVENT:
            let scalar = unsafe raw.data.scalar
            let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            event.text = unsafe String(decoding: bytes, as: UTF8.self)
            event.isPlain = unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE
            event.anchor = unsafe Self.string(scalar.anchor)
            event.tag = unsafe Self.string(scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            event.anchor = unsafe Self.string(raw.data.sequence_start.anchor)
            event.tag = unsafe Self.string(raw.data.sequence_start.tag)
        case YAML_MAPPING_START_EVENT:
            event.anchor = unsafe Self.string(raw.data.mapping_start.anchor)
            event.tag = unsafe Self.string(raw.data.mapping_start.tag)
        default:
            break
        }
        return event
    }

    private static func string(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }

    private static func position(_ mark: yaml_mark_t) -> YAMLPosition {
        YAMLPosition(line: mark.line + 1, column: mark.column + 1)
    }

    private static func error(of parser: yaml_parser_t) -> YAMLError {
        guard unsafe parser.error != YAML_MEMORY_ERROR else {
            return YAMLError(.noMemory, at: .start, "out of memory for the document")
        }
        var words = unsafe parser.problem.map { unsafe String(cString: $0) } ?? "not YAML"
        if let context = unsafe parser.context {
            let line = unsafe parser.context_mark.line + 1
            words += unsafe " (\(String(cString: context)) that began on line \(line))"
        }
        return YAMLError(.syntax, at: unsafe position(parser.problem_mark), words)
    }

    /// libyaml reports encoding errors at a byte offset, and a missing end at the beginning of a line that does not
    /// exist: both become positions inside the text.
    private func located(_ error: YAMLError, in bytes: UnsafeBufferPointer<UInt8>) -> YAMLError {
        let isEncoding = unsafe parser.pointee.error == YAML_READER_ERROR
        let offset = unsafe isEncoding ? min(Int(parser.pointee.problem_offset), bytes.count) : bytes.count
        let position = unsafe Self.position(after: UnsafeBufferPointer(rebasing: bytes[..<offset]))
        let isBeyond = error.position.line > position.line
        return YAMLError(.syntax, at: isEncoding || isBeyond ? position : error.position, error.message)
    }

    /// The position after some text, counted as libyaml counts.
    private static func position(after bytes: UnsafeBufferPointer<UInt8>) -> YAMLPosition {
        var line = 1
        var column = 1
        var previous: Unicode.Scalar?
        for scalar in unsafe String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n" where previous == "\r":
                break
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
                line += 1
                column = 1
            default:
                column += 1
            }
            previous = scalar
        }
        return YAMLPosition(line: line, column: column)
    }
}

/// A fault of a YAML text, or an exceeded limit.
package struct YAMLError: Error, Sendable, Hashable {
    /// The kind of fault; raw values are stable.
    package enum Code: String, Sendable, Hashable {
        /// The text breaks YAML's grammar, or is not UTF-8.
        case syntax
        /// An alias without an earlier anchor.
        case unknownAnchor = "unknown_anchor"
        /// Lists and mappings are nested too deeply.
        case tooDeep = "too_deep"
        /// There are too many values, after aliases are replaced.
        case tooLarge = "too_large"
        /// The text has a second document.
        case severalDocuments = "several_documents"
        /// There was no memory for the parser.
        case noMemory = "no_memory"
    }

    /// The kind of fault.
    package let code: Code
    /// The position.
    package let position: YAMLPosition
    /// The message.
    package let message: String

    /// Creates an error.
    package init(_ code: Code, at position: YAMLPosition, _ message: String) {
        self.code = code
        self.position = position
        self.message = message
    }
}

/// The limits of a YAML text.
package struct YAMLLimits: Sendable, Hashable {
    /// The maximum depth of lists and mappings.
    package var depth = 64
    /// The maximum number of nodes in the document, with aliases counted at each use. The default allows 100,000
    /// targets of twenty values each.
    package var nodes = 4_000_000

    /// The defaults.
    package init() {}
}
