// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser

/// The kinds of probes that `--type` takes.
enum CheckKind: String, CaseIterable, ExpressibleByArgument {
    case http, tcp, tls, udp, dns, icmp, grpc
}
