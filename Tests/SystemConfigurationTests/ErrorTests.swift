// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import SystemConfiguration
import Testing

@Suite struct ErrorTests {
    @Test("SCError is the calling thread's own")
    func threads() {
        #expect(unsafe SCNetworkReachabilityCreateWithName(nil, "") == nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Foundation.Thread {
            #expect(SCError() == kSCStatusOK)
            done.signal()
        }
        thread.start()
        done.wait()
        #expect(SCError() == kSCStatusInvalidArgument)
    }

    @Test("SCErrorString has Apple's words, errno's, and a last resort")
    func words() {
        func words(_ status: Int) -> String { unsafe String(cString: SCErrorString(Int32(status))) }
        #expect(words(kSCStatusOK) == "Success!")
        #expect(words(kSCStatusFailed) == "Failed!")
        #expect(words(kSCStatusInvalidArgument) == "Invalid argument")
        #expect(words(kSCStatusNoKey) == "No such key")
        #expect(words(kSCStatusReachabilityUnknown) == "Network reachability cannot be determined")
        #expect(words(Int(ENOENT)) == "No such file or directory")
        #expect(words(123_456) == "Unknown error")
        #expect(words(-1) == "Unknown error")
    }

    @Test("The codes are Apple's numbers")
    func codes() {
        let codes: [Int] = [
            kSCStatusOK, kSCStatusFailed, kSCStatusInvalidArgument, kSCStatusAccessError, kSCStatusNoKey,
            kSCStatusKeyExists, kSCStatusLocked, kSCStatusNeedLock, kSCStatusNoStoreSession, kSCStatusNoStoreServer,
            kSCStatusNotifierActive, kSCStatusNoPrefsSession, kSCStatusPrefsBusy, kSCStatusNoConfigFile,
            kSCStatusNoLink, kSCStatusStale, kSCStatusMaxLink, kSCStatusReachabilityUnknown,
            kSCStatusConnectionNoService, kSCStatusConnectionIgnore,
        ]
        let numbers: [Int] =
            Array(1001...1007) + Array(2001...2003) + Array(3001...3006) + [4001] + Array(5001...5002)
        #expect(codes == [0] + numbers)
    }

    @Test("SCCopyLastError carries the code in Apple's domain")
    func object() {
        #expect(unsafe SCNetworkReachabilityCreateWithName(nil, "") == nil)
        let error: CFError = SCCopyLastError()
        #expect(CFErrorGetCode(error) == kSCStatusInvalidArgument)
        #expect("\(CFErrorGetDomain(error) as CFRunLoopMode)" == kCFErrorDomainSystemConfiguration as String)
        #expect("\(kCFErrorDomainSystemConfiguration)" == "com.apple.SystemConfiguration")
    }

    @Test("F1: the flags have their values under the C names too")
    func flags() {
        let flags = [
            kSCNetworkReachabilityFlagsTransientConnection, kSCNetworkReachabilityFlagsReachable,
            kSCNetworkReachabilityFlagsConnectionRequired, kSCNetworkReachabilityFlagsConnectionOnTraffic,
            kSCNetworkReachabilityFlagsInterventionRequired, kSCNetworkReachabilityFlagsConnectionOnDemand,
            kSCNetworkReachabilityFlagsIsLocalAddress, kSCNetworkReachabilityFlagsIsDirect,
            kSCNetworkReachabilityFlagsIsWWAN,
        ]
        #expect(flags.map(\.rawValue) == [0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x10000, 0x20000, 0x40000])
        #expect(kSCNetworkReachabilityFlagsConnectionAutomatic == kSCNetworkReachabilityFlagsConnectionOnTraffic)
    }

    @Test("Socket addresses have a length that reads right and is written in vain")
    func lengths() {
        var four = sockaddr_in()
        four.sin_len = 99
        #expect(four.sin_len == 16)
        var six = sockaddr_in6()
        six.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
        #expect(six.sin6_len == 28)
        var any = sockaddr()
        any.sa_family = sa_family_t(AF_INET)
        any.sa_len = 1
        #expect(any.sa_len == 16)
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_INET6)
        storage.ss_len = 1
        #expect(storage.ss_len == 28)
    }
}
