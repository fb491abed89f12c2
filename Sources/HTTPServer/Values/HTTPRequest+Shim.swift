// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD

extension HTTPRequest {
    /// Copies what a route needs out of a request that the C side has lent.
    init(_ request: UnsafePointer<reachd_http_request>) {
        let lent = unsafe request.pointee
        method = unsafe Self.text(lent.method, lent.method_length)
        path = unsafe Self.text(lent.path, lent.path_length)
        query = unsafe lent.query.map { unsafe Self.text($0, lent.query_length) }
        fields = .block(
            unsafe lent.fields.withMemoryRebound(to: UInt8.self, capacity: lent.fields_length) { fields in
                unsafe Array(UnsafeBufferPointer(start: fields, count: lent.fields_length))
            }
        )
        body = unsafe lent.body.map { unsafe Array(UnsafeBufferPointer(start: $0, count: lent.body_length)) } ?? []
        isChunked = unsafe lent.is_chunked != 0
        address = unsafe PeerAddress(lent.peer)
    }

    private static func text(_ bytes: UnsafePointer<CChar>, _ count: Int) -> String {
        unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
            unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }
    }
}
