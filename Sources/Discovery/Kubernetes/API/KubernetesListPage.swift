// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// A page of a list.
struct KubernetesListPage {
    /// The objects.
    var objects: [KubernetesObject] = []
    /// The most objects of a page: of some kilobytes each, ten times as many as its bytes permit (``KubernetesServer/pageLimit``).
    private static let maximumObjects = 50_000
    /// The version of the list, from which a watch continues; "" if the server sent none.
    var resourceVersion = ""
    /// The token of the next page; "" for the last.
    var continuation = ""

    /// Parses the body of a response.
    ///
    /// - Throws: ``JSONError`` when it is not JSON, has no list, or something follows.
    init(_ body: [UInt8], _ objectReader: KubernetesObjectReader) throws(JSONError) {
        var reader = JSONReader(body)
        var isList = false
        var page = (objects: [KubernetesObject](), version: "", continuation: "")
        try reader.eachMember { (reader, name) throws(JSONError) in
            switch name {
            case "metadata":
                try reader.eachMember { (reader, name) throws(JSONError) in
                    switch name {
                    case "resourceVersion": page.version = try reader.text() ?? ""
                    case "continue": page.continuation = try reader.text(limit: 65_536) ?? ""
                    default: try reader.skip()
                    }
                }
            case "items":
                isList = true
                try reader.eachElement { (reader) throws(JSONError) in
                    guard page.objects.count < Self.maximumObjects else {
                        throw reader.fault("a page has more than \(Self.maximumObjects) objects")
                    }
                    page.objects.append(try objectReader.read(&reader))
                }
            default: try reader.skip()
            }
        }
        try reader.end()
        guard isList else { throw reader.fault("this is not a list") }
        (objects, resourceVersion, continuation) = page
    }
}

/// A status object, by which the API server reports an error (meta/v1, Status).
struct KubernetesStatus: Sendable, Hashable {
    /// The status as in HTTP; 0 for none.
    var code = 0
    /// The reason as one word.
    var reason = ""
    /// The reason for people.
    var message = ""

    /// Whether the version or the page that was asked for is not kept any more.
    var isGone: Bool { code == 410 || reason == "Expired" || reason == "Gone" }

    /// Reads the object that comes next.
    init(_ reader: inout JSONReader) throws(JSONError) {
        try reader.eachMember { (reader, name) throws(JSONError) in
            switch name {
            case "code": code = try reader.wholeNumber() ?? 0
            case "reason": reason = try reader.text() ?? ""
            case "message": message = try reader.text() ?? ""
            default: try reader.skip()
            }
        }
    }

    /// Reads the body of a response with an error; what is not readable stays empty.
    init(status: Int, body: [UInt8]) {
        var reader = JSONReader(body)
        if let readable = try? KubernetesStatus(&reader) { self = readable }
        code = status
    }
}
