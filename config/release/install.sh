#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
# Installs the newest reachd, or upgrades to it.
#
#     curl -fsSL SITE/install.sh | sh
#     sh install.sh [--site URL] [--tarball] [--prefix FOLDER]
#     sh install.sh --remove | --purge
#
# On Debian 12 and 13 it installs the Debian package with apt. On other distributions, or with --tarball, it installs the program
# below FOLDER (/usr/local), if the libraries that it loads are installed. It checks the signature and the checksum of everything
# before it uses it, changes nothing until then, and uses sudo unless it runs as root. --remove keeps the configuration and the
# history; --purge deletes them too.
#
# scripts/release writes the next three lines.
site='@SITE@'
# The public key that signs SHA256SUMS: its binary form in base64, and its fingerprint.
key='@KEY@'
fingerprint='@FINGERPRINT@'

set -eu

say() {
    echo "reachd: $*"
}

fail() {
    echo "reachd: $*" >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# download NAME: fetches a file of the site to the temporary folder.
download() {
    if command -v curl >/dev/null; then
        curl -fsSL --retry 2 --connect-timeout 20 -o "$work/$1" "$site/$1"
    elif command -v wget >/dev/null; then
        wget -q --tries 3 --timeout 20 -O "$work/$1" "$site/$1"
    elif [ -x /usr/lib/apt/apt-helper ]; then
        /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "$site/$1" "$work/$1" >/dev/null
    else
        fail "nothing was changed: curl or wget is needed to download: install one of them"
    fi || fail "nothing was changed: cannot download $site/$1: check the address and the network, then run this script again"
}

# Downloads the list of checksums and verifies its signature.
fetch_list() {
    case $key in @*) fail "this is the script's source: use the install.sh that scripts/release writes" ;; esac
    download SHA256SUMS
    download SHA256SUMS.asc
    printf %s "$key" | base64 -d >"$work/key" || fail "nothing was changed: base64 of coreutils is needed"
    if command -v gpgv >/dev/null; then
        gpgv --quiet --keyring "$work/key" "$work/SHA256SUMS.asc" "$work/SHA256SUMS" 2>"$work/verdict"
    elif command -v sqv >/dev/null; then
        sqv --keyring "$work/key" "$work/SHA256SUMS.asc" "$work/SHA256SUMS" >"$work/verdict" 2>&1
    else
        fail "nothing was changed: gpgv or sqv is needed to verify signatures: install the package gpgv"
    fi || {
        cat "$work/verdict" >&2
        fail "nothing was changed: $site/SHA256SUMS is not signed by the key $fingerprint: do not use these files, and report this"
    }
}

# listed PATTERN: the file of the list whose name matches an extended regular expression.
listed() {
    sed -n -E "s/^[0-9a-f]{64}  ($1)\$/\\1/p" "$work/SHA256SUMS" | head -n 1
}

# fetch NAME: downloads a file of the list and compares its checksum.
fetch() {
    download "$1"
    wanted=$(sed -n "s/^\\([0-9a-f]\\{64\\}\\)  $1\$/\\1/p" "$work/SHA256SUMS")
    found=$(sha256sum "$work/$1" | cut -d ' ' -f 1)
    [ "$wanted" = "$found" ] || fail "nothing was changed: $site/$1 differs from its checksum: run this script again"
}

systemd_runs() {
    [ -d /run/systemd/system ]
}

# The file that lists what --tarball installed.
record() {
    echo "$prefix/share/reachd/files"
}

has_package() {
    command -v dpkg-query >/dev/null && [ "$(dpkg-query -W -f '${db:Status-Status}' reachd 2>/dev/null)" = installed ]
}

install_package() {
    [ ! -f "$(record)" ] || fail "nothing was changed: $(record) lists an installation from the tarball: run this script with --remove first"
    # Apt's own user reads the file.
    chmod 755 "$work"
    chmod 644 "$work/$package"
    say "apt installs $package and the libraries that it needs"
    as_root apt-get -qq update ||
        say "apt-get update failed: continuing with the package lists of this machine"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Options::=--force-confold -o Dpkg::Use-Pty=0 \
        install "$work/$package" </dev/null || {
        has_package || fail "apt could not install reachd, and reachd is not installed: see the messages above"
        fail "apt reported an error: see the messages above, then run: sudo apt-get --fix-broken install"
    }
    removal="sudo apt-get remove reachd (purge instead of remove deletes configuration and history too)"
    program=/usr/bin/reachd
}

# put FILE PATH MODE: prepares a file beside its place; commit then renames all.
put() {
    if ! as_root mkdir -p "$(dirname "$2")" || ! as_root install -m "$3" "$1" "$2.reachd-new"; then
        discard
        fail "nothing was changed: cannot write $2"
    fi
    echo "$2" >>"$work/files"
}

discard() {
    while read -r path; do as_root rm -f "$path.reachd-new"; done <"$work/files"
}

commit() {
    while read -r path; do as_root mv -f "$path.reachd-new" "$path"; done <"$work/files"
}

install_tarball() {
    if has_package; then
        fail "nothing was changed: reachd is installed as a Debian package; remove it first: sudo apt-get remove reachd"
    fi
    tar -x -z --no-same-owner -f "$work/$tarball" -C "$work"
    tree=$work/${tarball%.tar.gz}
    "$tree/bin/reachd" --version >"$work/verdict" 2>&1 || {
        cat "$work/verdict" >&2
        ldd "$tree/bin/reachd" 2>/dev/null | sed -n 's/^[[:space:]]*\(.*\) => not found/  missing: \1/p' >&2
        fail "nothing was changed: the program does not run here: install the libraries that are named above"
    }
    : >"$work/files"
    put "$tree/bin/reachd" "$prefix/bin/reachd" 755
    (cd "$tree" && find share -type f) >"$work/shared"
    while read -r file; do put "$tree/$file" "$prefix/$file" 644; done <"$work/shared"
    units=
    if [ -d /etc/systemd/system ]; then
        units=/etc/systemd/system
        for unit in reachd.service reachd.socket; do
            sed "s|/usr/bin/reachd|$prefix/bin/reachd|" "$tree/systemd/$unit" >"$work/$unit"
            put "$work/$unit" "$units/$unit" 644
        done
    fi
    cp "$work/files" "$work/recorded"
    put "$work/recorded" "$(record)" 644
    if [ ! -e /etc/reachd/reachd.yaml ]; then put "$tree/etc/reachd/reachd.yaml" /etc/reachd/reachd.yaml 644; fi
    commit
    if systemd_runs && [ -n "$units" ]; then
        as_root systemctl daemon-reload
        as_root systemctl enable --quiet reachd.service
        as_root systemctl restart reachd.service
    fi
    removal="sh install.sh --remove (--purge deletes configuration and history too)"
    program=$prefix/bin/reachd
}

report() {
    installed=$("$program" --version) || fail "reachd is installed, but $program does not run: see the message above"
    say "installed $installed from $site"
    if systemd_runs; then
        tries=0
        until "$program" healthcheck --config /etc/reachd/reachd.yaml >"$work/verdict" 2>&1; do
            tries=$((tries + 1))
            if [ "$tries" -ge 50 ]; then
                cat "$work/verdict" >&2
                fail "reachd is installed, but does not run yet: see journalctl -u reachd"
            fi
            sleep 0.2
        done
        say "it runs as the service reachd, also after a restart of the machine"
        say "page:           http://127.0.0.1:7532/"
    else
        say "systemd does not run here, so nothing was started. Start it: $program serve --config /etc/reachd/reachd.yaml"
        say "page:           http://127.0.0.1:7532/ when it runs"
    fi
    say "configuration:  /etc/reachd/reachd.yaml"
    say "state:          $(basename "$program") status"
    say "upgrade:        run this script again"
    say "remove:         $removal"
}

# remove remove, or remove purge
remove() {
    if [ -f "$(record)" ]; then
        if systemd_runs; then
            as_root systemctl disable --quiet --now reachd.socket reachd.service || true
        fi
        cp "$(record)" "$work/files"
        while read -r path; do as_root rm -f "$path"; done <"$work/files"
        as_root rm -f "$(record)"
        as_root rmdir "$prefix/share/reachd" "$prefix/share/doc/reachd" 2>/dev/null || true
        if systemd_runs; then as_root systemctl daemon-reload; fi
    elif dpkg-query -W reachd >/dev/null 2>&1; then
        as_root apt-get -qq -y -o Dpkg::Use-Pty=0 "$1" reachd </dev/null
    elif [ "$1" = remove ]; then
        fail "reachd is not installed as a Debian package, and $(record) does not exist"
    fi
    if [ "$1" = purge ]; then
        as_root rm -rf /etc/reachd/reachd.yaml /var/lib/reachd /var/lib/private/reachd
        as_root rmdir /etc/reachd 2>/dev/null || true
        say "removed, with configuration and history"
    else
        say "removed; /etc/reachd and /var/lib/reachd are kept (--purge deletes them)"
    fi
}

main() {
    prefix=/usr/local
    action=install
    only_tarball=
    while [ $# -gt 0 ]; do
        case $1 in
            --site) site=${2:?--site needs a URL} && shift ;;
            --prefix) prefix=${2:?--prefix needs a folder} && shift ;;
            --tarball) only_tarball=1 ;;
            --remove) action=remove ;;
            --purge) action=purge ;;
            *) fail "unknown option $1; see the first lines of this script" ;;
        esac
        shift
    done
    site=${site%/}
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || fail "nothing was changed: run this script as root, or install sudo"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    if [ "$action" != install ]; then
        remove "$action"
        return
    fi

    [ "$(uname -s)" = Linux ] || fail "reachd needs Linux"
    case $(uname -m) in
        x86_64 | amd64) architecture=amd64 ;;
        aarch64 | arm64) architecture=arm64 ;;
        *) fail "nothing was changed: there is no program for $(uname -m): build it from source" ;;
    esac
    ID='' VERSION_ID=''
    # shellcheck source=/dev/null
    [ ! -r /etc/os-release ] || . /etc/os-release
    fetch_list
    package=
    if [ -z "$only_tarball" ] && [ "$ID" = debian ] && command -v apt-get >/dev/null; then
        package=$(listed "reachd_[0-9][^ ]*\\+deb${VERSION_ID%%.*}_$architecture\\.deb")
        [ -n "$package" ] || say "there is no package for Debian $VERSION_ID on $architecture: using the tarball"
    fi
    if [ -n "$package" ]; then
        fetch "$package"
        install_package
    else
        tarball=$(listed "reachd-[0-9][^ ]*-linux-$architecture\\.tar\\.gz")
        [ -n "$tarball" ] || fail "nothing was changed: $site has no program for $architecture: build it from source"
        fetch "$tarball"
        install_tarball
    fi
    report
}

# The whole script is read before anything runs.
main "$@"
