// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux

@testable import Traffic

/// Runs a classic BPF program as the kernel does (Documentation/networking/filter.rst), for tests.
enum PacketFilterMachine {
    /// What a run returned.
    struct Outcome {
        /// How many bytes pass; 0 drops the message, nil is a fault of the program.
        var passed: UInt32?
        /// How many instructions ran.
        var steps = 0
    }

    /// Runs a program on a message; `random` is what the kernel's generator returns.
    static func run(_ program: [PacketFilterProgram.Instruction], on bytes: [UInt8], random: UInt32) -> Outcome {
        var (accumulator, index, position) = (UInt32(0), UInt32(0), 0)
        var outcome = Outcome()
        while position < program.count {
            let instruction = program[position]
            outcome.steps += 1
            position += 1
            let value = instruction.value
            switch Int32(instruction.code) {
            case BPF_LD | BPF_W | BPF_ABS where value == UInt32(bitPattern: SKF_AD_OFF + SKF_AD_RANDOM):
                accumulator = random
            case BPF_LD | BPF_B | BPF_ABS, BPF_LD | BPF_H | BPF_ABS, BPF_LD | BPF_W | BPF_ABS:
                let size = [BPF_B: 1, BPF_H: 2, BPF_W: 4][Int32(instruction.code) & 0x18] ?? 0
                guard Int(value) + size <= bytes.count else {
                    outcome.passed = 0
                    return outcome
                }
                accumulator = bytes[Int(value)..<Int(value) + size].reduce(0) { $0 << 8 | UInt32($1) }
            case BPF_ALU | BPF_MUL | BPF_K: accumulator = accumulator &* value
            case BPF_ALU | BPF_RSH | BPF_K: accumulator >>= value
            case BPF_ALU | BPF_XOR | BPF_X: accumulator ^= index
            case BPF_MISC | BPF_TAX: index = accumulator
            case BPF_JMP | BPF_JA: position += Int(value)
            case BPF_JMP | BPF_JEQ | BPF_K: position += jump(accumulator == value, instruction)
            case BPF_JMP | BPF_JGE | BPF_K: position += jump(accumulator >= value, instruction)
            case BPF_JMP | BPF_JSET | BPF_K: position += jump(accumulator & value != 0, instruction)
            case BPF_RET | BPF_K:
                outcome.passed = value
                return outcome
            default: return outcome
            }
        }
        return outcome
    }

    private static func jump(_ isTrue: Bool, _ instruction: PacketFilterProgram.Instruction) -> Int {
        Int(isTrue ? instruction.jumpTrue : instruction.jumpFalse)
    }
}
