// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Responses of engines, cut to what matters.
enum RecordedContainers {
    /// Docker 24: a service of Compose with a published port, one on two networks, one on the host's network, one without a label, one
    /// that was stopped.
    static let docker = """
        [
          {"Id":"aaa","Names":["/shop-web-1"],"Image":"nginx:1.25","ImageID":"sha256:1","Command":"nginx","Created":1700000100,
           "Ports":[{"IP":"0.0.0.0","PrivatePort":80,"PublicPort":8080,"Type":"tcp"},
                    {"IP":"::","PrivatePort":80,"PublicPort":8080,"Type":"tcp"},{"PrivatePort":443,"Type":"tcp"}],
           "Labels":{"com.docker.compose.project":"shop","com.docker.compose.service":"web",
                     "com.docker.compose.container-number":"1","reachd.enable":"true","reachd.path":"/health","maintainer":"x"},
           "State":"running","Status":"Up 2 hours","HostConfig":{"NetworkMode":"shop_default"},
           "NetworkSettings":{"Networks":{"shop_default":{"IPAddress":"172.18.0.2","GlobalIPv6Address":"","Aliases":null}}}},
          {"Id":"bbb","Names":["/web/database","/db"],"Image":"postgres:16","Created":1700000000,
           "Ports":[{"PrivatePort":5432,"Type":"tcp"},{"PrivatePort":53,"Type":"udp"}],
           "Labels":{"reachd.monitor":"true","reachd.name":"Database","reachd.group":"data",
                     "reachd.probe":"{ type: tcp, interval: 30s }"},
           "State":"running","HostConfig":{"NetworkMode":"bridge"},
           "NetworkSettings":{"Networks":{"bridge":{"IPAddress":"172.17.0.3"},"monitoring":{"IPAddress":"172.20.0.3"}}}},
          {"Id":"ccc","Names":["/metrics"],"Image":"node-exporter","Created":1700000000,"Ports":[],
           "Labels":{"reachd.enable":"true","reachd.port":"9100"},"State":"running",
           "HostConfig":{"NetworkMode":"host"},"NetworkSettings":{"Networks":{"host":{"IPAddress":""}}}},
          {"Id":"ddd","Names":["/plain"],"Image":"plain","Created":1700000000,
           "Ports":[{"IP":"192.0.2.7","PrivatePort":80,"PublicPort":81,"Type":"tcp"}],"Labels":{},"State":"running",
           "HostConfig":{"NetworkMode":"bridge"},"NetworkSettings":{"Networks":{"bridge":{"IPAddress":"172.17.0.4"}}}},
          {"Id":"eee","Names":["/job"],"Image":"job","Created":1700000000,"Ports":[],"Labels":{},"State":"exited",
           "HostConfig":{"NetworkMode":"bridge"},"NetworkSettings":{"Networks":{"bridge":{"IPAddress":""}}}}
        ]
        """

    /// Podman 4.3: no mode of the network, and no networks of a container on the host's.
    static let podman = """
        [{"Id":"14683eb4ed1b","Names":["/web"],"Image":"localhost/tiny:1","ImageID":"sha256:6186f21b04ca",
          "Command":"/bin/httpd -f -p 18080","Created":1795674268,"Ports":[],
          "Labels":{"reachd.enable":"true","reachd.port":"18080"},"State":"running","Status":"Up 1 second",
          "NetworkSettings":{"Networks":null},"Mounts":[],"Name":"","Config":null,"NetworkingConfig":null,"Platform":null,
          "AdjustCPUShares":false}]
        """

    /// An event of Podman 4.3.
    static func event(_ action: String, type: String = "container", time: Int64 = 1_795_674_268_951_989_012) -> String {
        """
        {"status":"\(action)","id":"01be2c570d71","from":"localhost/tiny:1","Type":"\(type)","Action":"\(action)",\
        "Actor":{"ID":"01be2c570d71","Attributes":{"containerExitCode":"0","image":"localhost/tiny:1","name":"a}\\"{b"}},\
        "scope":"local","time":\(time / 1_000_000_000),"timeNano":\(time)}

        """
    }
}
