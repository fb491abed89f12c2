# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The components of a built reachd: its Swift packages, the Debian packages whose files it loads and their licences, also as an
SPDX 2.3 document."""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

# The licence of the part of each Debian source package that reachd uses, according to its copyright file, which is copied with
# it. A library that is not in this table fails the build: check its licence before you add it.
DEBIAN_LICENCES = {
    "base-files": "GPL-2.0-or-later",
    "brotli": "MIT",
    "c-ares": "MIT",
    "ca-certificates": "MPL-2.0",
    "curl": "curl",
    "cyrus-sasl2": "BSD-Attribution-HPND-disclaimer",
    "e2fsprogs": "MIT",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gcc-14": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "gmp": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "gnutls28": "LGPL-2.1-or-later",
    "keyutils": "LGPL-2.0-or-later",
    "krb5": "MIT",
    "libffi": "MIT",
    "libidn2": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libmicrohttpd": "LGPL-2.1-or-later",
    "libpsl": "MIT",
    "libssh2": "BSD-3-Clause",
    "libtasn1-6": "LGPL-2.1-or-later",
    "libunistring": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libyaml": "MIT",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
    "nettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "nghttp2": "MIT",
    "nghttp3": "MIT",
    "openldap": "OLDAP-2.8",
    "openssl": "Apache-2.0",
    "p11-kit": "BSD-3-Clause",
    "postgresql-15": "PostgreSQL",
    "postgresql-17": "PostgreSQL",
    "rtmpdump": "LGPL-2.1-or-later",
    "sqlite3": "blessing",
    "zlib": "Zlib",
}
SWIFT_LICENCES = {
    "swift-argument-parser": "Apache-2.0 WITH Swift-exception",
    "swift-log": "Apache-2.0",
}


@dataclasses.dataclass(frozen=True, order=True)
class Component:
    """One line of the inventory."""

    name: str
    version: str
    licence: str
    supplier: str
    purl: str
    download: str = "NOASSERTION"
    sha256: str = ""
    # Files with its licence and notices.
    papers: tuple = ()


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def epoch():
    """The time stamp of all files: SOURCE_DATE_EPOCH, or the time of the commit."""
    if value := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(value)
    try:
        return int(output("git", "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):
        return 0


def loaded_files(program):
    """The program interpreter and the libraries that the dynamic linker loads for a program, as it names them."""
    header = output("readelf", "--program-headers", "--wide", program)
    interpreter = re.search(r"program interpreter: ([^]]+)]", header)
    if not interpreter:
        raise SystemExit(f"inventory: {program} loads nothing dynamically")
    # Without fakeroot's library, which a caller may have preloaded.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    listing = subprocess.run(["ldd", program], check=True, capture_output=True, text=True, env=environment).stdout
    if "not found" in listing:
        raise SystemExit(f"inventory: missing libraries:\n{listing}")
    return sorted({interpreter[1], *re.findall(r"(?:=> |^\s*)(/\S+)", listing, re.MULTILINE)})


def debian_component(package, architecture=None):
    """An installed Debian package; its name without the architecture."""
    version, architecture, source, source_version = output(
        "dpkg-query", "-W", "-f", "${Version}\t${Architecture}\t${source:Package}\t${source:Version}", package
    ).split("\t")
    name = package.split(":")[0]
    if source not in DEBIAN_LICENCES:
        raise SystemExit(f"inventory: no licence for {name} (source package {source}): add it to scripts/lib/inventory.py")
    upstream = f"&upstream={source}" if source != name else ""
    release = re.search(r'VERSION_ID="?([^"\n]+)', pathlib.Path("/etc/os-release").read_text())
    distribution = f"&distro=debian-{release[1]}" if release else ""
    return Component(
        name=name,
        version=version,
        licence=DEBIAN_LICENCES[source],
        supplier="Organization: Debian",
        purl=f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}"
        f"?arch={architecture}{distribution}{upstream}",
        download=f"https://snapshot.debian.org/package/{source}/{source_version.replace('+', '%2B').replace(':', '%3A')}/",
        papers=(f"/usr/share/doc/{name}/copyright",),
    )


def debian_owners(paths):
    """The Debian packages that files come from."""
    owners = set()
    for path in paths:
        real = os.path.realpath(path)
        # dpkg lists a file under its packaged path, from before /usr was merged.
        for name in (real, real.removeprefix("/usr")):
            found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
            if found.returncode == 0:
                owners.add(found.stdout.split(": ")[0].split(",")[0])
                break
        else:
            raise SystemExit(f"inventory: no Debian package contains {path}")
    return owners


def swift_components(scratch):
    """Swift itself and the Swift packages whose modules were linked into the release build."""
    scratch = pathlib.Path(scratch)
    objects = (scratch / "release/reachd.product/Objects.LinkFileList").read_text()
    modules = set(re.findall(r"/([^/\n]+)\.build/", objects))
    pins = json.loads(pathlib.Path("Package.resolved").read_text())["pins"]
    components = []
    for pin in pins:
        folder = scratch / "checkouts" / pin["location"].removesuffix(".git").rsplit("/", 1)[1]
        if not any((folder / "Sources" / module).is_dir() for module in modules):
            continue
        if pin["identity"] not in SWIFT_LICENCES:
            raise SystemExit(f"inventory: no licence for {pin['identity']}: add it to scripts/lib/inventory.py")
        place = pin["location"].removeprefix("https://").removesuffix(".git")
        components.append(
            Component(
                name=pin["identity"],
                version=pin["state"]["version"],
                licence=SWIFT_LICENCES[pin["identity"]],
                supplier=f"Organization: {place.split('/')[1]}",
                purl=f"pkg:swift/{place}@{pin['state']['version']}",
                download=f"git+{pin['location']}@{pin['state']['revision']}",
                papers=tuple(str(p) for p in sorted(folder.iterdir()) if re.match(r"(LICENSE|NOTICE)", p.name)),
            )
        )
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    toolchain = pathlib.Path(os.path.realpath(shutil.which("swift"))).parent.parent
    components.append(
        Component(
            name="swift",
            version=version,
            licence="Apache-2.0 WITH Swift-exception",
            supplier="Organization: Swift.org",
            purl=f"pkg:github/swiftlang/swift@swift-{version}-RELEASE",
            download="https://www.swift.org/install/linux/",
            papers=(str(toolchain / "share/swift/LICENSE.txt"),),
        )
    )
    return components


def reachd_component(program):
    """reachd itself, with the version that the program prints."""
    version = output(program, "--version").split()[-1]
    return Component(
        name="reachd",
        version=version,
        licence="Apache-2.0",
        supplier="Organization: the reachd authors",
        purl=f"pkg:generic/reachd@{version}",
        sha256=hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest(),
        papers=("LICENSE",),
    )


def spdx(image, reachd, linked, loaded, contained, created):
    """An SPDX 2.3 document of an image.

    Parameters: the image's name; the program; the components linked into it; the packages of the libraries that it loads; other
    packages with files in the image; the time, in seconds.
    """

    def identifier(component):
        kind = "Debian-" if component.purl.startswith("pkg:deb/") else ""
        return "SPDXRef-" + kind + re.sub(r"[^A-Za-z0-9.-]", "-", component.name)

    def package(component):
        entry = {
            "SPDXID": identifier(component),
            "name": component.name,
            "versionInfo": component.version,
            "supplier": component.supplier,
            "downloadLocation": component.download,
            "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION",
            "licenseDeclared": component.licence,
            "copyrightText": "NOASSERTION",
            "externalRefs": [
                {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": component.purl}
            ],
        }
        if component.sha256:
            entry["checksums"] = [{"algorithm": "SHA256", "checksumValue": component.sha256}]
        return entry

    def relation(one, kind, other):
        return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}

    root = {
        "SPDXID": "SPDXRef-image",
        "name": image,
        "versionInfo": reachd.version,
        "supplier": reachd.supplier,
        "primaryPackagePurpose": "CONTAINER",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }
    everything = sorted({reachd, *linked, *loaded, *contained})
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-image")]
    relations += [relation("SPDXRef-image", "CONTAINS", identifier(c)) for c in everything]
    relations += [relation(identifier(reachd), "STATIC_LINK", identifier(c)) for c in sorted(linked)]
    relations += [relation(identifier(reachd), "DYNAMIC_LINK", identifier(c)) for c in sorted(loaded)]
    packages = [root] + [package(c) for c in everything]
    fingerprint = hashlib.sha256(json.dumps([packages, relations], sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "SPDXID": "SPDXRef-DOCUMENT",
        "dataLicense": "CC0-1.0",
        "name": f"{image}-{reachd.version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{image}-{reachd.version}-{fingerprint[:32]}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created)),
            "creators": ["Organization: the reachd authors", "Tool: reachd-scripts-image-root"],
        },
        "packages": packages,
        "relationships": relations,
    }
