# syntax=docker/dockerfile:1
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
#     docker build -t reachd .
#     docker run --rm --network host reachd                    the paths of the host
#     docker run --rm -p 7532:7532 reachd                      the paths of the container's own network
#     docker run … -v reachd:/var/lib/reachd                    the event log outlives the container
#     docker run … -v "$PWD/my.yaml:/etc/reachd/reachd.yaml:ro" reachd
#
# docs/containers.md tells more. Both stages are of the architecture that is asked for, with no name of one in here:
#
#     docker buildx build --platform linux/amd64,linux/arm64 -t reachd .
#
# (Where that is not the builder's own, the compiler runs in QEMU, and takes long.)

FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY scripts/bootstrap scripts/
RUN scripts/bootstrap image && rm -rf /var/lib/apt/lists/*
# openapi.yaml is compiled in, through a link in Sources. Tests are not built, but SwiftPM wants the folders that the
# manifest names.
COPY Package.swift openapi.yaml LICENSE ./
COPY Sources Sources
COPY Tests Tests
COPY scripts/release scripts/image-root scripts/
COPY scripts/lib/inventory.py scripts/lib/
COPY config/reachd.yaml config/
# Of the files in the image and of its inventory, in seconds: --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
ARG SOURCE_DATE_EPOCH=0
RUN SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" scripts/image-root /image

# reachd, the libraries that it loads, certificates of authorities, licences and inventory: no shell, no package manager.
FROM scratch
COPY --from=build /image /
# The event log; a volume keeps it when the container is replaced, and takes its owner from here.
COPY --from=build --chown=65532:65532 /image/var/lib/reachd /var/lib/reachd
VOLUME /var/lib/reachd
# Netlink reads need no privilege, and so does everything else here.
USER 65532:65532
# The variables are for the health check, too. The address wins over the file's: a container is reached from outside.
ENV REACHD_CONFIG=/etc/reachd/reachd.yaml \
    REACHD_LISTEN=*:7532
EXPOSE 7532
# Its own time limit is shorter, so that a frozen service is told from a slow one.
HEALTHCHECK --interval=15s --timeout=10s --start-period=5s --retries=3 CMD ["/usr/bin/reachd", "healthcheck"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/reachd"]
CMD ["serve"]
