# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
# What scripts/test and scripts/sanitize share: running a test binary with a time limit, and counting.

# test_binary [SWIFT-BUILD-OPTION...]: prints the path of the built test binary.
test_binary() {
    echo "$(swift build --show-bin-path "$@")/reachdPackageTests.xctest"
}

# as_servers_need: what the tests need of a shell besides: as many descriptors as the user may have (the usual soft limit of 1,024
# is for programs that use select(2)), and Debian's servers, which are in folders that are not on an ordinary user's PATH.
as_servers_need() {
    ulimit -Sn "$(ulimit -Hn)" 2>/dev/null || true
    PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
    export PATH
}

# enclosure: sets the array of the same name to the command that makes namespaces possible: none for root; a user
# namespace of our own, with a /run for the names of namespaces, for everyone else.
enclosure() {
    enclosure=()
    ((EUID != 0)) || return 0
    # shellcheck disable=SC2016 # expanded by the inner shell
    local inside='mount -t tmpfs tmpfs /run && ip link set lo up && exec "$@"'
    local wrap=(unshare --user --map-root-user --net --mount sh -c "$inside" sh)
    if "${wrap[@]}" true 2>/dev/null; then
        enclosure=("${wrap[@]}")
    else
        echo "reachd: no user namespaces here: tests that need a network namespace are skipped (root can run them)" >&2
    fi
}

# Whose tests are run; all rooms' when it is empty.
rooms=()

# run_tests LIMIT COMMAND...: runs a test binary for at most LIMIT seconds, names what was skipped, and prints
# `N passed, N failed, N skipped`. Fails when a test fails, also once more by itself, and when the runner crashes, hangs or
# runs nothing.
#
# One room's tests after another's, those of the array `rooms` if it is set, unless COMMAND has a filter of its own: the runner
# begins all tests at once, and where there are more than a thousand on two cores, one that awaits something is not heard again
# for minutes.
#
# The binary is run itself, not by `swift test`: so that the limit reaches it, and a preload nothing but it.
run_tests() {
    local limit=$1 folder code=0 runs=0 begin=$SECONDS left result room
    local filters=("") chosen=("${rooms[@]}")
    ((${#chosen[@]} > 0)) || chosen=(Tests/*Tests)
    shift
    folder=$(mktemp -d)
    as_servers_need
    enclosure
    if [[ " $* " != *" --filter "* && " $* " != *" --skip "* ]]; then
        filters=()
        for room in "${chosen[@]}"; do filters+=("^$(basename "$room")\\."); done
    fi
    for room in "${filters[@]}"; do
        left=$((limit - (SECONDS - begin)))
        if ((left <= 0)); then
            code=124
            break
        fi
        result=0
        timeout --kill-after=10 "$left" "${enclosure[@]}" "$@" ${room:+--filter "$room"} --testing-library swift-testing \
            --event-stream-output-path "$folder/events-$runs" --event-stream-version 6.3 2>&1 |
            tee -a "$folder/log" || result=$?
        touch "$folder/events-$runs"
        cat "$folder/events-$runs" >>"$folder/events"
        ((runs += 1))
        ((result == 0)) || code=$result
    done
    if ! tally "$folder/events" "$folder/log" "$code" "$runs" "$folder/failed" | tee "$folder/tally"; then
        ((code != 0)) || code=1
        # Not what somebody chose by hand.
        if ((${#filters[@]} > 1)) && repeat_failures "$folder" "$code" "$@"; then code=0; fi
    fi
    rm -rf "$folder"
    return "$code"
}

# repeat_failures FOLDER CODE COMMAND...: runs one or two tests that failed once more, each alone. Many tests wait for a
# kernel, for real servers and for clocks, and a machine that is busy with others can starve one of them; what is wrong
# fails again. Those that pass now are named as unsteady, whatever the counts say: that is somebody's work to do.
repeat_failures() {
    local folder=$1 code=$2 id count pattern
    shift 2
    count=$(wc -l <"$folder/failed")
    # What a sanitizer reports and what ends the runner is never forgiven: 1 is the runner's word for failed tests.
    ((code == 1 && count >= 1 && count <= 2)) || return 1
    ! grep -qE 'did not end|ended early|ERROR: [A-Za-z]*Sanitizer|runtime error:' "$folder/tally" "$folder/log" || return 1
    while read -r id; do
        # shellcheck disable=SC2016 # a regular expression
        pattern=$(sed -E 's|/[^/]*\.swift:[0-9:]+$||; s/[][().*^$+?{}|\\]/\\&/g' <<<"$id")
        echo "Once more, alone: $id"
        timeout --kill-after=10 180 "${enclosure[@]}" "$@" --filter "^$pattern" --testing-library swift-testing 2>&1 || return 1
    done <"$folder/failed"
    echo
    grep -E '^skipped: ' "$folder/tally" || true
    sed 's/^/unsteady: /' "$folder/failed"
    awk -v again="$count" '/^[0-9]+ passed, / { printf "%d passed, 0 failed, %d skipped\n", $1 + again, $5 }' "$folder/tally"
}

# tally EVENTS LOG CODE RUNS FAILED: counts the runner's event streams (one JSON object a line). Tests that began and did not end
# failed: they crashed the runner, or were running when the time was up. Cases of a test that were given up count as
# skipped by themselves; the runner does not say why, so the tests print a line `skipped case: …` for each.
tally() {
    awk -v code="$3" -v runs="$4" -v failed_ids="$5" '
        BEGIN { printf "" >failed_ids }
        function field(name,    rest) {
            if (!match($0, "\"" name "\":\"")) return ""
            rest = substr($0, RSTART + RLENGTH)
            gsub(/\\"/, "\001", rest)
            sub(/".*/, "", rest)
            gsub(/\001/, "\"", rest)
            gsub(/\\\//, "/", rest)
            return rest
        }
        FILENAME == ARGV[2] {
            if (match($0, /skipped case: /)) cases[substr($0, RSTART + RLENGTH)] = 1
            next
        }
        /^\{"kind":"test",/ {
            if ($0 ~ /"kind":"function"/) name[field("id")] = 1
            if ($0 ~ /"isParameterized":true/) parameterized[field("id")] = 1
            next
        }
        /"kind":"runEnded"/ { ended++; next }
        /"kind":"testStarted"/ { if (field("testID") in name) open[field("testID")] = 1; next }
        /"kind":"testCaseCancelled"/ { if (field("testID") in parameterized) given_up[field("testID")]++; next }
        /"kind":"testSkipped"/ {
            if (field("testID") in name) { skipped++; reasons[++reason_count] = field("text") }
            next
        }
        /"kind":"testEnded"/ {
            id = field("testID")
            if (!(id in open)) next
            delete open[id]
            if ($0 ~ /"symbol":"fail"/) { failed++; failures[++failure_count] = field("text"); print id >failed_ids }
            else if ($0 ~ /"symbol":"skip"/) { skipped++; reasons[++reason_count] = field("text") }
            else passed++
            next
        }
        END {
            print ""
            for (id in open) {
                failed++
                failures[++failure_count] = "Test " id " did not end"
                print id >failed_ids
            }
            for (id in given_up) { skipped += given_up[id]; cancelled += given_up[id] }
            for (text in cases) { named++; reasons[++reason_count] = text }
            if (cancelled > named) reasons[++reason_count] = (cancelled - named) " cases of parameterized tests, for a reason that they do not tell"
            for (i = 1; i <= failure_count; i++) print "failed: " failures[i]
            for (i = 1; i <= reason_count; i++) print "skipped: " reasons[i]
            bad = failed > 0
            if (code == 124 || code == 137) { print "The tests did not end in time."; bad = 1 }
            else if (ended < runs) { print "The test runner ended early, with code " code "."; bad = 1 }
            else if (code != 0 && failed == 0) { print "The test runner failed with code " code " although no test did."; bad = 1 }
            if (passed + failed == 0) { print "No test ran."; bad = 1 }
            if (bad && failed == 0) failed = 1
            printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
            exit bad
        }' "$1" "$2"
}
