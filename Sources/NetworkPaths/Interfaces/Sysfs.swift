// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
internal import LinuxIO

/// What sysfs reports of interfaces; read when a link appears or changes, never else.
struct Sysfs {
    /// Where it is mounted.
    let root: String

    /// Whether there is a folder of interfaces at all.
    var isAvailable: Bool { unsafe access("\(root)/class/net", F_OK) == 0 }

    /// The type that `DEVTYPE` or the wireless folders give.
    func type(of link: Link) -> InterfaceType? {
        guard let folder = folder(of: link) else { return nil }
        for line in (read("\(folder)/uevent") ?? "").split(separator: "\n") where line.hasPrefix("DEVTYPE=") {
            switch line.dropFirst(8) {
            case "wlan": return .wifi
            case "wwan": return .cellular
            case "ppp": return .tunnel
            default: break
            }
        }
        let isWireless = ["phy80211", "wireless"].contains { unsafe access("\(folder)/\($0)", F_OK) == 0 }
        return isWireless ? .wifi : nil
    }

    /// The name of the driver behind a link.
    func driver(of link: Link) -> String? {
        guard let folder = folder(of: link) else { return nil }
        let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer -> String? in
            guard let base = buffer.baseAddress else { return nil }
            let count = unsafe readlink("\(folder)/device/driver", base, buffer.count)
            guard count > 0 else { return nil }
            return unsafe String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
        }
        return text?.split(separator: "/").last.map(String.init)
    }

    /// The link's folder, unless it is that of another namespace's link of the same name: sysfs shows the namespace
    /// in which it was mounted (L8), and only the index identifies it.
    private func folder(of link: Link) -> String? {
        guard !link.name.isEmpty, !link.name.contains("/"), link.name != ".", link.name != ".." else { return nil }
        let folder = "\(root)/class/net/\(link.name)"
        if let index = read("\(folder)/ifindex"), UInt32(index.prefix { $0.isNumber }) != link.index { return nil }
        return folder
    }

    private func read(_ path: String) -> String? {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let file = OwnedDescriptor(owning: number)
        return unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer -> String? in
            let count = unsafe Glibc.read(file.number, buffer.baseAddress, buffer.count)
            guard count >= 0 else { return nil }
            return unsafe String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }
}
