# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
# Shared by the benchmarks. Sourced in the root of the repository.
#
# BENCHMARK_CONFIGURATION is the build configuration, by default release. scripts/benchmarks only checks that the benchmarks work,
# so it sets debug, which CI has already built. It also sets BENCHMARK_REACHD to the service and BENCHMARK_PROGRAMS to the folder
# of the programs of Benchmarks/Package.swift, so that the benchmarks need not build them.
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

# Creates the folder of a benchmark where temporary files are, and sets `folder` to it. It also holds the service's state: the user's
# may hold targets.
make_folder() {
    folder=$(mktemp -d)
    export STATE_DIRECTORY=$folder
}
