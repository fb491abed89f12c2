// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// The calling thread's last status, as `errno` is: never seen or changed by another thread.
enum LastError {
    /// No destructor: the value is the pointer's bit pattern, nothing is owned.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    static var code: Int32 {
        guard let key else { return Int32(kSCStatusFailed) }
        return unsafe Int32(truncatingIfNeeded: Int(bitPattern: pthread_getspecific(key)))
    }

    static func set(_ status: Int) {
        guard let key else { return }
        unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: status))
    }
}
