// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import PostgreSQL

@Suite struct ValueTests {
    private func text(_ value: DatabaseValue) -> String {
        var buffer: [UInt8] = []
        value.append(to: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }

    private func row(_ values: [String?]) -> DatabaseRows {
        var rows = DatabaseRows()
        rows.beginRow(columns: values.count)
        for value in values {
            guard let value else {
                unsafe rows.append(nil)
                continue
            }
            unsafe Array(value.utf8).withUnsafeBufferPointer { unsafe rows.append($0) }
        }
        return rows
    }

    @Test("Values have PostgreSQL's text forms")
    func forms() {
        #expect(text(.null).isEmpty)
        #expect(text(.bool(true)) == "t")
        #expect(text(.integer(.min)) == "-9223372036854775808")
        #expect(text(.double(-.infinity)) == "-Infinity")
        #expect(text(.double(.nan)) == "NaN")
        #expect(text(.bytes([0, 0xAF])) == #"\x00af"#)
        #expect(text(.integers([])) == "{}")
        #expect(text(.integers([1, nil, -2])) == "{1,NULL,-2}")
        #expect(text(.booleans([true, nil])) == "{t,NULL}")
        #expect(text(.texts(["a\"b\\c", "NULL", "", nil, "{,}"])) == #"{"a\"b\\c","NULL","",NULL,"{,}"}"#)
        #expect(text(.byteArrays([[1], nil, []])) == #"{"\\x01",NULL,"\\x"}"#)
    }

    @Test("Array literals are read back; other texts are rejected")
    func literals() {
        func read(_ text: String) -> [String?]? {
            ArrayLiteral.elements(of: Array(text.utf8)[...]) { String(decoding: $0, as: UTF8.self) }
        }
        #expect(read("{}") == [])
        #expect(read("{a,NULL,\"NULL\",\"\"}") == ["a", nil, "NULL", ""])
        #expect(read(#"{"a\"b\\c",null}"#) == ["a\"b\\c", "null"])
        for text in [
            "", "{", "}", "{,}", "{a,}", "{,a}", "{\"a}", "{\"a\"b}", "{{a}}", "[2:3]={a,b}", "{a\\}", "{a\"}", "a,b",
            "{\"\\\"}",
        ] {
            #expect(read(text) == nil, "\(text)")
        }
    }

    @Test("Random array literals never trap, and what is written is read back")
    func randomLiterals() {
        var generator = SeededGenerator(seed: 5)
        let alphabet = Array("{}\",\\NULa1é \n".utf8)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            _ = ArrayLiteral.elements(of: bytes[...]) { $0.count }
            let values: [String?] = (0..<count).map { _ in
                Bool.random(using: &generator)
                    ? nil : String(decoding: bytes.shuffled(using: &generator), as: UTF8.self)
            }
            let written = Array(text(.texts(values)).utf8)
            let read = ArrayLiteral.elements(of: written[...]) { String(validating: $0, as: UTF8.self) }
            #expect(read == values)
        }
    }

    @Test("Accessors reject absent, NULL and malformed values with an error")
    func accessors() throws {
        let rows = row(["7", nil, "x", "9223372036854775808", "", "t", #"\x0g"#, "{1,x}"])
        #expect(try rows.integer(0, 0) == 7)
        #expect(try rows.optionalInteger(0, 1) == nil)
        #expect(try rows.isNull(0, 1))
        #expect(try rows.text(0, 4).isEmpty)
        #expect(try rows.bool(0, 5))
        func fails(_ read: () throws(DatabaseError) -> Any?) {
            do throws(DatabaseError) {
                let value = try read()
                Issue.record("read \(String(describing: value))")
            } catch {
                #expect(error.reason == .unexpectedAnswer)
            }
        }
        fails { () throws(DatabaseError) in try rows.integer(0, 1) }
        fails { () throws(DatabaseError) in try rows.text(0, 1) }
        fails { () throws(DatabaseError) in try rows.integers(0, 1) }
        for column in [2, 3, 4] { fails { () throws(DatabaseError) in try rows.integer(0, column) } }
        fails { () throws(DatabaseError) in try rows.bool(0, 2) }
        fails { () throws(DatabaseError) in try rows.double(0, 2) }
        fails { () throws(DatabaseError) in try rows.bytes(0, 6) }
        fails { () throws(DatabaseError) in try rows.bytes(0, 0) }
        fails { () throws(DatabaseError) in try rows.integers(0, 7) }
        for (line, column) in [(1, 0), (-1, 0), (0, 8), (0, -1), (.max, .max), (.min, .min)] {
            fails { () throws(DatabaseError) in try rows.text(line, column) }
        }
        fails { () throws(DatabaseError) in try DatabaseRows().text(0, 0) }
    }

    @Test("Numbers are read in PostgreSQL's forms only")
    func numbers() throws {
        let rows = row(["1e400", "inf", "0x1p3", "+7", "-0", "NaN", "1.5e-7", "1_000", " 1"])
        #expect(try rows.double(0, 6) == 1.5e-7)
        #expect(try rows.double(0, 5).isNaN)
        for column in [1, 2, 7, 8] { #expect(throws: DatabaseError.self) { try rows.double(0, column) } }
        for column in [3, 7, 8] { #expect(throws: DatabaseError.self) { try rows.integer(0, column) } }
    }

    @Test("Parameters with zero bytes and too many parameters are rejected")
    func parameters() throws {
        #expect(throws: DatabaseError.self) { try ParameterBuffer([.integer(1), .text("a\0b")]) }
        #expect(throws: DatabaseError.self) { try ParameterBuffer([.texts(["\0"])]) }
        #expect(throws: DatabaseError.self) { try ParameterBuffer(Array(repeating: .null, count: 65_536)) }
        #expect(try ParameterBuffer([.bytes([0, 0])]).count == 1)
    }
}
