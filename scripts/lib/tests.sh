# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
# Shared by scripts/test, scripts/test-built, scripts/sanitize and .ci/run: runs a test binary and counts results.

# test_binary [SWIFT-BUILD-OPTION...]: prints the path of the built test binary.
test_binary() {
    echo "$(swift build --show-bin-path "$@")/reachdPackageTests.xctest"
}

# as_servers_need: raises the soft limit of descriptors to the hard limit (the usual 1,024 is for programs that use select(2)),
# and adds the folders of Debian's servers to PATH; an ordinary user's PATH lacks them.
as_servers_need() {
    ulimit -Sn "$(ulimit -Hn)" 2>/dev/null || true
    PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
    export PATH
}

# enclosure: sets the array `enclosure` to the command prefix that permits creating namespaces: empty for root; for other users a
# new user namespace with its own /run, which holds the names of network namespaces.
enclosure() {
    enclosure=()
    ((EUID != 0)) || return 0
    # shellcheck disable=SC2016 # expanded by the inner shell
    local inside='mount -t tmpfs tmpfs /run && ip link set lo up && exec "$@"'
    local wrap=(unshare --user --map-root-user --net --mount sh -c "$inside" sh)
    if "${wrap[@]}" true 2>/dev/null; then
        enclosure=("${wrap[@]}")
    else
        echo "reachd: cannot create user namespaces: skipping tests that need a network namespace (root can run them)" >&2
    fi
}

# The modules to test; all when empty.
rooms=()

# Two modules whose tests mostly wait, for timeouts of faulty networks and for real programs: the first runs beside the second,
# which saves its time. Each test makes its own namespaces, ports and folders.
pair=(MonitoringTests ServiceTests)

# run_tests COMMAND...: runs a test binary, lists the skipped tests, and prints `N passed, N failed, N skipped`. Fails when a test
# fails twice (in the run, and again alone), and when the runner crashes, hangs or runs no test.
#
# Runs one module after the other (the array `rooms`, or all) but for the two of `pair`, unless COMMAND has its own filter. The
# runner starts all tests at once; with more than a thousand on two cores, a test that awaits something may not continue for
# minutes.
#
# The run as a whole has no time limit, because machines differ: a runner hangs when no test began or ended for TEST_STALL seconds
# (1,200). Runs the binary directly instead of with `swift test`, so that this ends it, and a preload applies only to it.
run_tests() {
    local folder code=0 runs=0 number=0 result room has_pair='' process
    local filters=("") chosen=("${rooms[@]}")
    ((${#chosen[@]} > 0)) || chosen=(Tests/*Tests)
    chosen=("${chosen[@]##*/}")
    folder=$(mktemp -d)
    as_servers_need
    enclosure
    if [[ " $* " != *" --filter "* && " $* " != *" --skip "* ]]; then
        filters=()
        [[ " ${chosen[*]} " != *" ${pair[0]} "* || " ${chosen[*]} " != *" ${pair[1]} "* ]] || has_pair=1
        for room in "${chosen[@]}"; do
            [[ -n $has_pair && $room == "${pair[0]}" ]] || filters+=("$room")
        done
    fi
    # note RESULT: sets `code` to a run's exit code, unless an earlier run crashed or hung (more than 1; 1 means failed tests).
    note() { (($1 == 0 || code > 1)) || code=$1; }
    # run_room NAME FILE: one run of the binary, with a module's tests or the selected ones; its events go to a file.
    run_room() {
        : >"$2"
        end_stalled "$2" &
        # shellcheck disable=SC2016 # expanded by the inner shell
        bash -c 'echo "$$" >"$0.process" && exec "$@"' "$2" "${enclosure[@]}" "${command[@]}" ${1:+--filter "^$1\\."} \
            --testing-library swift-testing --event-stream-output-path "$2" --event-stream-version 6.3 2>&1
    }
    local command=("$@")
    for room in "${filters[@]}"; do
        ((number += 1))
        [[ -z $room ]] || echo "=== $room${has_pair:+$([[ $room != "${pair[1]}" ]] || echo " and ${pair[0]}")} ($number of ${#filters[@]}) ==="
        process=
        if [[ -n $has_pair && $room == "${pair[1]}" ]]; then
            run_room "${pair[0]}" "$folder/events-$runs" >"$folder/other" &
            process=$!
            ((runs += 1))
        fi
        result=0
        run_room "$room" "$folder/events-$runs" | tee -a "$folder/log" || result=$?
        ((runs += 1))
        note "$result"
        if [[ -n $process ]]; then
            result=0
            wait "$process" || result=$?
            tee -a "$folder/log" <"$folder/other"
            note "$result"
        fi
    done
    touch "$folder/events-0"
    cat "$folder"/events-*[0-9] >"$folder/events"
    if ! tally "$folder/events" "$folder/log" "$code" "$runs" "$folder/failed" | tee "$folder/tally"; then
        ((code != 0)) || code=1
        # Do not repeat tests that were selected manually.
        if ((${#filters[@]} > 1)) && repeat_failures "$folder" "$code" "$@"; then code=0; fi
    fi
    rm -rf "$folder"
    return "$code"
}

# end_stalled FILE: ends the runner that FILE.process names, when its event stream, FILE, did not grow for TEST_STALL seconds.
end_stalled() {
    local process
    exec >/dev/null
    while sleep 5 && process=$(cat "$1.process" 2>/dev/null) && kill -0 "$process" 2>/dev/null; do
        (($(date +%s) - $(stat -c %Y "$1") < ${TEST_STALL:-1200})) || { kill -KILL "$process" && return; }
    done
}

# repeat_failures FOLDER CODE COMMAND...: if one or two tests failed, runs each again, alone. Many tests wait for the kernel, for
# real servers and for clocks, and a busy machine can starve one of them; a real fault fails again. Tests that pass alone count as
# passed and are listed as `unsteady`: they are flaky and must be fixed next.
repeat_failures() {
    local folder=$1 code=$2 id count pattern
    shift 2
    count=$(wc -l <"$folder/failed")
    # Never repeat after a sanitizer report or a crash of the runner; exit code 1 means failed tests.
    ((code == 1 && count >= 1 && count <= 2)) || return 1
    ! grep -qE 'did not end|ended early|ERROR: [A-Za-z]*Sanitizer|runtime error:' "$folder/tally" "$folder/log" || return 1
    while read -r id; do
        # shellcheck disable=SC2016 # a regular expression
        pattern=$(sed -E 's|/[^/]*\.swift:[0-9:]+$||; s/[][().*^$+?{}|\\]/\\&/g' <<<"$id")
        echo "Running again, alone: $id"
        "${enclosure[@]}" "$@" --filter "^$pattern" --testing-library swift-testing 2>&1 || return 1
    done <"$folder/failed"
    echo
    grep -E '^skipped: ' "$folder/tally" || true
    sed 's/^/unsteady: /' "$folder/failed"
    awk -v again="$count" '/^[0-9]+ passed, / { printf "%d passed, 0 failed, %d skipped\n", $1 + again, $5 }' "$folder/tally"
}

# tally EVENTS LOG CODE RUNS FAILED: counts the results in the runner's event streams (one JSON object per line). A test that
# started but did not end failed: it crashed the runner or hung. Each cancelled case of a parameterized test
# counts as skipped; the runner gives no reason, so the tests print a line `skipped case: …` for each.
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
            if (cancelled > named) reasons[++reason_count] = (cancelled - named) " cases of parameterized tests, without a reason"
            for (i = 1; i <= failure_count; i++) print "failed: " failures[i]
            for (i = 1; i <= reason_count; i++) print "skipped: " reasons[i]
            bad = failed > 0
            if (code == 137) { print "The runner was ended: no test began or ended for TEST_STALL seconds."; bad = 1 }
            else if (ended < runs) { print "The test runner ended early, with code " code "."; bad = 1 }
            else if (code != 0 && failed == 0) { print "The test runner exited with code " code " although no test failed."; bad = 1 }
            if (passed + failed == 0) { print "No test ran."; bad = 1 }
            if (bad && failed == 0) failed = 1
            printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
            exit bad
        }' "$1" "$2"
}
