# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
# What the benchmarks share. Sourced in the repository's root.
#
# BENCHMARK_CONFIGURATION is the configuration of what they build: release unless set. scripts/benchmarks, which looks at
# whether they work and not at their figures, sets debug, which CI has built already.
# It also names what it built, so that no benchmark asks SwiftPM again: BENCHMARK_REACHD is the service,
# BENCHMARK_PROGRAMS the folder of the programs of Benchmarks/Package.swift.
benchmark_configuration=${BENCHMARK_CONFIGURATION:-release}

# Builds the service and prints its path.
reachd_program() {
    if [[ -n ${BENCHMARK_REACHD:-} ]]; then
        echo "$BENCHMARK_REACHD"
        return
    fi
    swift build -c "$benchmark_configuration" --product reachd >/dev/null
    printf '%s/reachd\n' "$(swift build -c "$benchmark_configuration" --show-bin-path)"
}

# Builds a program of Benchmarks/Package.swift and prints its path.
benchmark_program() {
    if [[ -n ${BENCHMARK_PROGRAMS:-} ]]; then
        echo "$BENCHMARK_PROGRAMS/$1"
        return
    fi
    swift build -c "$benchmark_configuration" --package-path Benchmarks --product "$1" >/dev/null
    printf '%s/%s\n' "$(swift build -c "$benchmark_configuration" --package-path Benchmarks --show-bin-path)" "$1"
}
