// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Testing

struct InternationalNameTests {
    @Test(
        "the ASCII forms of names, as browsers make them",
        arguments: [
            ("example.org", "example.org"), ("Example.ORG.", "Example.ORG."), ("a_b", "a_b"), ("", ""),
            ("müller.example", "xn--mller-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("faß.de", "xn--fa-hia.de"),
            ("\u{2764}.example", "xn--qei.example"), ("\u{2764}\u{FE0F}.example", "xn--qei.example"),
            ("\u{1F4A9}.la", "xn--ls8h.la"), ("日本語。jp", "xn--wgv71a119e.jp"),
            ("_dmarc.müller.example.", "_dmarc.xn--mller-kva.example."), ("１２７.0.0.1", "127.0.0.1"),
        ]
    )
    func ascii(name: String, ascii: String) {
        #expect(InternationalName.ascii(name) == ascii)
    }

    @Test(
        "what no server can be named",
        arguments: [
            "\u{2100}.example", "-ü.example", "ü\u{0}.example", "ü b.example", "*.ü.example", "\u{2764}ß.example",
            "\u{200D}ü.example",
        ]
    )
    func invalid(name: String) {
        #expect(InternationalName.ascii(name) == nil)
    }

    @Test("long names are refused, and any text is converted or refused")
    func bounds() {
        #expect(InternationalName.ascii(String(repeating: "ü", count: 64)) == nil)
        #expect(InternationalName.ascii(Array(repeating: "üüü", count: 40).joined(separator: ".")) == nil)
        #expect(InternationalName.ascii(String(repeating: "ü", count: 1_000_000)) == nil)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let scalars = (0..<8).compactMap { _ in Unicode.Scalar(UInt32.random(in: 1..<0x2FFFF, using: &generator)) }
            let ascii = InternationalName.ascii(String(String.UnicodeScalarView(scalars)))
            #expect(ascii?.utf8.allSatisfy { $0 < 0x80 } ?? true)
        }
    }

    @Test(
        "paths and queries of URLs are percent-encoded as in the WHATWG URL standard",
        arguments: [
            ("http://a.test/ü/é?ö=ä&x='#ü", "http://a.test/%C3%BC/%C3%A9?%C3%B6=%C3%A4&x=%27#ü"),
            ("http://ü.test:80?é", "http://ü.test:80?%C3%A9"), ("/%C3%BC é", "/%C3%BC%20%C3%A9"),
            ("ü//é", "%C3%BC//%C3%A9"),
            (#"//ü.test/"<>`{}?"<>`{}"#, "//ü.test/%22%3C%3E%60%7B%7D?%22%3C%3E`{}"), ("?ü", "?%C3%BC"), ("", ""),
            ("/a?b=http://ü/é", "/a?b=http://%C3%BC/%C3%A9"),
        ]
    )
    func urls(text: String, encoded: String) {
        #expect(URLText.encoded(Array(text.utf8)) == encoded)
    }

    @Test("bytes that are not UTF-8 stay the bytes they are")
    func latin() {
        #expect(URLText.encoded(Array("/".utf8) + [0xFC]) == "/%FC")
    }
}
