# syntax=docker/dockerfile:1
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
#     docker build -t reachd .
#     docker run --rm --network host reachd                    monitors the host's network
#     docker run --rm -p 7532:7532 reachd                      monitors the container's own network
#     docker run … -v reachd:/var/lib/reachd reachd            keeps the event log when the container is replaced
#     docker run … -v "$PWD/my.yaml:/etc/reachd/reachd.yaml:ro" reachd
#
# See docs/containers.md. To build for other architectures:
#
#     docker buildx build --platform linux/amd64,linux/arm64 -t reachd .
#
# The compiler then runs in QEMU, which is slow.

FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY scripts/bootstrap scripts/
RUN scripts/bootstrap image && rm -rf /var/lib/apt/lists/*
# openapi.yaml is compiled in, through a symbolic link in Sources. Tests are not built, but SwiftPM requires the folders that
# the manifest names.
COPY Package.swift openapi.yaml LICENSE ./
COPY Sources Sources
COPY Tests Tests
COPY scripts/build-release scripts/image-root scripts/
COPY scripts/lib/inventory.py scripts/lib/
COPY config/reachd.yaml config/
# The time of the files and the inventory in the image: --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
ARG SOURCE_DATE_EPOCH=0
RUN SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" scripts/image-root /image

# reachd, its shared libraries, CA certificates, licences and inventory: no shell, no package manager.
# scripts/image-archive reads the settings below.
FROM scratch
LABEL org.opencontainers.image.title=reachd \
    org.opencontainers.image.description="Network reachability and HTTP monitor" \
    org.opencontainers.image.vendor="the reachd authors" \
    org.opencontainers.image.licenses=Apache-2.0
COPY --from=build /image /
# The event log. A volume keeps it when the container is replaced; a new volume gets its owner from here.
COPY --from=build --chown=65532:65532 /image/var/lib/reachd /var/lib/reachd
VOLUME /var/lib/reachd
# Reading netlink needs no privilege, and neither does anything else here.
USER 65532:65532
# The health check reads these variables too. The address overrides the configuration's: clients connect from outside the
# container.
ENV REACHD_CONFIG=/etc/reachd/reachd.yaml \
    REACHD_LISTEN=*:7532
EXPOSE 7532
# The time limit of `reachd healthcheck` is shorter, so that it can report a service that does not respond.
HEALTHCHECK --interval=15s --timeout=10s --start-period=5s --retries=3 CMD ["/usr/bin/reachd", "healthcheck"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/reachd"]
CMD ["serve"]
