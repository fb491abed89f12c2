// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// Makes the places to listen at of the checked values.
struct ListenAssembler {
    let root: CheckedObject

    func assemble(_ faults: inout SchemaReader) -> [ListenSettings] {
        var places: [ListenSettings] = []
        for (index, located) in root.list("listen").enumerated() {
            let pointer = "/listen/\(index)"
            guard let place = place(located, pointer, &faults) else { continue }
            let address = place.address
            if places.contains(where: { $0.address == address }), !address.takesAnyPort {
                faults.fault(
                    .duplicateValue,
                    at: located.place,
                    pointer: pointer,
                    "\(address.description.quoted) stands twice"
                )
            }
            places.append(place)
        }
        if root.list("listen").isEmpty, case .list? = root["listen"]?.value {
            faults.fault(
                .invalidValue,
                at: root.place(of: "listen"),
                pointer: "/listen",
                "the list is empty, and reachd would be deaf",
                hint: "write an address or remove the key"
            )
        }
        checkActivation(places, &faults)
        return places
    }

    private func place(
        _ located: CheckedValue.Located,
        _ pointer: String,
        _ faults: inout SchemaReader
    ) -> ListenSettings? {
        if let address: ListenAddress = located.value.special() { return ListenSettings(address) }
        switch located.value {
        case .object(let object):
            guard let address: ListenAddress = object.special("address") else { return nil }
            let mode = object.text("mode").flatMap { UInt32($0, radix: 8) }
            if mode != nil, !address.isFile {
                faults.fault(
                    .invalidValue,
                    at: object.place(of: "mode"),
                    pointer: "\(pointer)/mode",
                    "only the file of a unix socket that reachd makes has permissions"
                )
            }
            let tls = object.object("tls")
            guard let certificate = tls?.text("cert_file"), let key = tls?.text("key_file") else {
                return ListenSettings(address, mode: mode)
            }
            return ListenSettings(
                address,
                mode: mode,
                tls: CertificateSettings(certificateFile: certificate, keyFile: key)
            )
        default:
            return nil
        }
    }

    /// All handed-over sockets cannot be asked for beside one of them.
    private func checkActivation(_ places: [ListenSettings], _ faults: inout SchemaReader) {
        let names = places.compactMap { place -> String?? in
            guard case .systemd(let name) = place.address else { return nil }
            return .some(name)
        }
        guard names.count > 1, names.contains(nil) else { return }
        faults.fault(
            .invalidValue,
            at: root.place(of: "listen"),
            pointer: "/listen",
            "systemd takes all sockets that are handed over, so nothing is left for another systemd: entry",
            hint: "write systemd:NAME for each"
        )
    }
}

extension ListenAddress {
    /// Whether asking for it twice gives two different ports.
    fileprivate var takesAnyPort: Bool {
        switch self {
        case .tcp(_, port: 0), .everywhere(port: 0): true
        case .tcp, .everywhere, .unix, .systemd: false
        }
    }

    /// Whether it is a file that reachd makes.
    fileprivate var isFile: Bool {
        if case .unix = self { true } else { false }
    }
}
