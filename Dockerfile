# syntax=docker/dockerfile:1
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
#
#     docker build -t reachd .
#     docker run --rm --network host reachd                    the paths of the host
#     docker run --rm -p 7532:7532 reachd                      the paths of the container's own network
#     docker run … -v reachd:/var/lib/reachd                    the event log outlives the container
#     docker run … -v "$PWD/my.yaml:/etc/reachd/reachd.yaml:ro" reachd

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmicrohttpd-dev libgnutls28-dev libc-ares-dev libyaml-dev libssl-dev libcurl4-openssl-dev libpsl-dev libsqlite3-dev zlib1g-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# openapi.yaml is compiled in, through a link in Sources. Tests are not built, but SwiftPM wants the folders that the
# manifest names.
COPY Package.swift openapi.yaml ./
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --product reachd --static-swift-stdlib \
    && install -D "$(swift build -c release --static-swift-stdlib --show-bin-path)/reachd" /out/reachd \
    && strip /out/reachd

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmicrohttpd12 libgnutls30 libc-ares2 libyaml-0-2 libssl3 libcurl4 libpsl5 libsqlite3-0 zlib1g ca-certificates libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/reachd /usr/bin/reachd
# The default configuration; mount another one over it.
COPY config/reachd.yaml /etc/reachd/reachd.yaml
# The event log; a volume keeps it when the container is replaced.
RUN install -d -o 65532 -g 65532 -m 0700 /var/lib/reachd
VOLUME /var/lib/reachd
# Netlink reads need no privilege, and so does everything else here.
USER 65532:65532
# The variables are for the health check, too. The address wins over the file's: a container is reached from outside.
ENV REACHD_CONFIG=/etc/reachd/reachd.yaml \
    REACHD_LISTEN=0.0.0.0:7532
EXPOSE 7532
# Its own time limit is shorter, so that a frozen service is told from a slow one.
HEALTHCHECK --interval=15s --timeout=10s --start-period=5s --retries=3 CMD ["/usr/bin/reachd", "healthcheck"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/reachd"]
CMD ["serve"]
