// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

let monitor = try PathMonitor()
for await path in monitor.updates {
    print(path.status)
}
