// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Schema

/// Makes the listen addresses from the checked values.
struct ListenAssembler {
    let root: ValidatedMapping

    func assemble(_ diagnostics: inout SchemaReader) -> [ListenSettings] {
        var places: [ListenSettings] = []
        for (index, located) in root.list("listen").enumerated() {
            let pointer = "/listen/\(index)"
            guard let place = place(located, pointer, &diagnostics) else { continue }
            // Port 0 is a different port each time.
            if places.contains(where: { $0.description == place.description }), place.address?.port != 0 {
                diagnostics.report(
                    .duplicateValue,
                    at: located.place,
                    pointer: pointer,
                    "\(place.description.quoted) occurs twice"
                )
            }
            places.append(place)
        }
        if root.list("listen").isEmpty, case .list? = root["listen"]?.value {
            diagnostics.report(
                .invalidValue,
                at: root.place(of: "listen"),
                pointer: "/listen",
                "the list is empty, so reachd would not listen",
                hint: "write an address or remove the key"
            )
        }
        checkActivation(places, &diagnostics)
        return places
    }

    private func place(
        _ located: ValidatedValue.Located,
        _ pointer: String,
        _ diagnostics: inout SchemaReader
    ) -> ListenSettings? {
        if let source: ListenSettings.Source = located.value.special() { return ListenSettings(source) }
        guard case .object(let object) = located.value,
            let source: ListenSettings.Source = object.special("address")
        else { return nil }
        var place = ListenSettings(source)
        if let mode = object.text("mode").flatMap({ UInt32($0, radix: 8) }) {
            if case .address(.unix(let path, _)) = source {
                place.source = .address(.unix(path: path, mode: mode))
            } else {
                diagnostics.report(
                    .invalidValue,
                    at: object.place(of: "mode"),
                    pointer: "\(pointer)/mode",
                    "only the file of a unix socket that reachd creates has permissions"
                )
            }
        }
        if let tls = object.object("tls"), let certificate = tls.text("cert_file"), let key = tls.text("key_file") {
            place.tls = CertificateFiles(certificate: certificate, key: key)
        }
        return place
    }

    /// The entry for all passed sockets excludes entries for some of them.
    private func checkActivation(_ places: [ListenSettings], _ diagnostics: inout SchemaReader) {
        let names = places.compactMap { place -> String?? in
            guard case .systemd(let name) = place.source else { return nil }
            return .some(name)
        }
        guard names.count > 1, names.contains(nil) else { return }
        diagnostics.report(
            .invalidValue,
            at: root.place(of: "listen"),
            pointer: "/listen",
            "systemd takes all passed sockets, so nothing is left for another systemd: entry",
            hint: "write systemd:NAME for each"
        )
    }
}

extension ListenAddress {
    fileprivate var port: UInt16? {
        if case .tcp(_, let port) = self { port } else { nil }
    }
}
