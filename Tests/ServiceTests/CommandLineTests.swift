// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite struct CommandLineTests {
    @Test("--version prints the version, --help the commands")
    func versionAndHelp() throws {
        let version = try Reachd.run(["--version"])
        #expect(version.status == 0)
        #expect(version.output.hasPrefix("reachd 0."))
        let help = try Reachd.run(["--help"])
        #expect(help.status == 0)
        for command in ["serve", "validate", "path", "healthcheck"] { #expect(help.output.contains(command)) }
    }

    @Test(
        "a library of a version that is not known to work is refused at the start, by name",
        .disabled(if: Sanitizer.isActive, "a sanitizer wants to be the first library that is loaded"),
        arguments: [
            ("libmicrohttpd", "MHD_get_version(void)", "0.9.59"), ("libmicrohttpd", "MHD_get_version(void)", "1.1.0"),
            ("c-ares", "ares_version(int *number)", "1.17.2"), ("SQLite", "sqlite3_libversion(void)", "3.39.4"),
            ("OpenSSL", "OpenSSL_version(int what)", "4.0.0"),
        ]
    )
    func unsupportedLibrary(name: String, function: String, version: String) throws {
        let folder = try TemporaryFolder()
        let (source, library) = (folder.path + "/library.c", folder.path + "/library.so")
        let argument = function.contains("void") ? "" : "(void)\(function.contains("number") ? "number" : "what");"
        let script = #"""
            printf '%s\n' "$1" >"$2"
            "$(dirname "$(readlink -f "$(command -v swift)")")/clang" -shared -fPIC -o "$3" "$2"
            """#
        try Command.run([
            "sh", "-ec", script, "sh",
            "const char *\(function) { \(argument) return \"\(version)\"; }", source, library,
        ])
        // A service that starts all the same ends in time.
        let service = try Reachd.start(
            ["serve", "--listen", "127.0.0.1:0"],
            environment: ["LD_PRELOAD": library],
            wrapper: ["timeout", "60"]
        )
        let output = service.readAll()
        #expect(output.contains("reachd: unsupported_library: \(name) \(version) is not supported (supported: "))
        #expect(service.wait() == 69)
        // What says nothing of the machine is answered with any library.
        #expect(try Reachd.run(["--version"], environment: ["LD_PRELOAD": library]).status == 0)
    }

    @Test(
        "bad usage exits 2",
        arguments: [
            ["--nonsense"], ["nonsense"], ["serve", "--listen"], ["validate", "a", "b"], ["path"],
            ["path", "--x", "default"],
            ["path", "http://example.org"], ["path", "default", "--mark", "x"],
            ["path", "default", "--connection", "x"],
            ["path", "default", "--interface-type", "wl*=wlan"],
        ]
    )
    func badUsage(arguments: [String]) throws {
        let result = try Reachd.run(arguments)
        #expect(result.status == 2)
        #expect(result.output.contains("Error:"))
    }

    @Test(
        "without /proc, where its arguments are, it does nothing instead of something else",
        .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)"),
        .disabled(if: Sanitizer.isActive, "a sanitizer does not start without /proc")
    )
    func withoutArguments() throws {
        let script = #"mount -t tmpfs none /proc && exec "$0" "$@""#
        let process = try Reachd.start(["validate", "/nowhere"], wrapper: ["unshare", "-m", "sh", "-c", script])
        #expect(process.readAll() == "reachd: cannot read the arguments: /proc is not mounted; mount it\n")
        #expect(process.wait() == 71)
    }

    @Test(
        "An answer that is not whole must not look like one",
        arguments: [["schema"], ["--help"], ["--version"], ["doctor", "--json"]]
    )
    func fullDisk(arguments: [String]) throws {
        let full = try Reachd.start(arguments, wrapper: ["sh", "-c", #"exec "$@" >/dev/full"#, "sh"])
        #expect(full.readAll().contains("reachd: output truncated: write: No space left on device"))
        let whole = try Reachd.run(arguments).status
        #expect(full.wait() == (whole == 0 ? 74 : whole))
        // Nobody is there to read it: that is nobody's fault.
        let closed = try Reachd.start(arguments, wrapper: ["sh", "-c", #"exec "$@" >&-"#, "sh"])
        #expect(!closed.readAll().contains("not whole"))
        #expect(closed.wait() == whole)
    }

    @Test("schema prints the JSON Schema, and the reference on demand")
    func schema() throws {
        let schema = try Reachd.run(["schema"])
        #expect(schema.status == 0)
        #expect(schema.output.hasPrefix("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\""))
        #expect(schema.output.hasSuffix("}\n"))
        #expect(try Reachd.run(["schema", "--format", "json"]).output == schema.output)
        let reference = try Reachd.run(["schema", "--format", "markdown"])
        #expect(reference.output.hasPrefix("# Configuration\n"))
        #expect(try Reachd.run(["schema", "--format", "html"]).status == 2)
    }

    @Test("validate prints the number of targets")
    func validates() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("targets: [{host: a}, {host: b}]", to: "a.yaml")
        let result = try Reachd.run(["validate", file])
        #expect(result.status == 0)
        #expect(result.output == "\(file): valid, 2 targets\n")
        #expect(try Reachd.run(["validate"], environment: ["REACHD_CONFIG": file]).output == result.output)
        let automatic = try Reachd.run(["validate"]).output
        #expect(automatic.hasPrefix("no file: valid, 0 targets and "), "\(automatic)")
        #expect(automatic.contains(" on this machine (default-ip"), "\(automatic)")
    }

    @Test("validate prints every fault as file:line:column and exits 1")
    func faults() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("lisen: a\ntargets:\n  - host: b:80\n", to: "a.yaml")
        let result = try Reachd.run(["validate", file])
        #expect(result.status == 1)
        #expect(result.lines.count == 2)
        #expect(result.lines.first?.hasPrefix("\(file):1:1: 'lisen' is not a key") == true)
        #expect(result.lines.last?.hasPrefix("\(file):3:11: 'b:80' has a port") == true)
        let missing = try Reachd.run(["validate", folder.path(of: "none.yaml")])
        #expect(missing.status == 1)
        #expect(missing.output.contains("none.yaml: cannot be read: open: No such file or directory"))
    }

    @Test("validate warns of variables that mean nothing, and counts those that do")
    func environment() throws {
        let warned = try Reachd.run(["validate"], environment: ["REACHD_LOGLEVEL": "debug"])
        #expect(warned.status == 0)
        #expect(warned.output.contains("warning: environment variable REACHD_LOGLEVEL"))
        let faulty = try Reachd.run(["validate"], environment: ["REACHD_LOG_LEVEL": "loud"])
        #expect(faulty.status == 1)
        #expect(faulty.output.hasPrefix("environment variable REACHD_LOG_LEVEL: 'loud' is not one of"))
    }
}
