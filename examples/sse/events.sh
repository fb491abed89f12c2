#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
# Prints the events of reachd, one a line: ID TYPE DATA. Goes on where it was after every break.
#
#     events.sh [URL [LAST-EVENT-ID]]
set -u
url=${1:-http://127.0.0.1:7532/events} last=${2:-} pause=3

while true; do
    header=()
    [[ -z $last ]] || header=(-H "Last-Event-ID: $last")
    id=$last event=message data=
    # A stream that says nothing sends a comment every 15 seconds: 45 without one, and it is broken.
    while IFS= read -r line; do
        line=${line%$'\r'} value=${line#*:} value=${value# }
        case $line in
            "")
                last=$id
                [[ -z $data ]] || printf '%s %s %s\n' "$id" "$event" "$data"
                event=message data=
                ;;
            id:*) id=$value ;;
            event:*) event=$value ;;
            data:*) data+=${data:+$'\n'}$value ;;
            retry:*) pause=$(awk -v ms="$value" 'BEGIN { print ms / 1000 }') ;;
        esac
    done < <(curl --silent --no-buffer --fail --speed-limit 1 --speed-time 45 \
        -H 'Accept: text/event-stream' "${header[@]}" "$url")
    sleep "$pause"
done
