// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux

/// A classic BPF program under construction (bpf(4), linux/filter.h): instructions with forward jumps to labels.
struct PacketFilterProgram {
    /// `struct sock_filter`.
    struct Instruction: Hashable {
        var code: UInt16
        var jumpTrue: UInt8 = 0
        var jumpFalse: UInt8 = 0
        var value: UInt32
    }

    /// An instruction that is bound later.
    struct Label {
        fileprivate let number: Int
    }

    private enum Branch {
        case whenTrue, whenFalse, always
    }

    private(set) var instructions: [Instruction] = []
    private var jumps: [[(index: Int, branch: Branch)]] = []

    /// A label for jumps to a later instruction.
    mutating func label() -> Label {
        jumps.append([])
        return Label(number: jumps.count - 1)
    }

    /// Binds a label to the next instruction.
    mutating func bind(_ label: Label) {
        for (index, branch) in jumps[label.number] {
            let distance = instructions.count - index - 1
            switch branch {
            case .whenTrue: instructions[index].jumpTrue = UInt8(distance)
            case .whenFalse: instructions[index].jumpFalse = UInt8(distance)
            case .always: instructions[index].value = UInt32(distance)
            }
        }
        jumps[label.number] = []
    }

    /// Loads a byte, a half word or a word (`BPF_B`, `BPF_H`, `BPF_W`) in network order; a message that ends before it is dropped.
    mutating func load(_ size: Int32, at offset: Int) {
        append(BPF_LD | size | BPF_ABS, UInt32(truncatingIfNeeded: offset))
    }

    /// Calculates with a constant.
    mutating func calculate(_ operation: Int32, _ value: UInt32) {
        append(BPF_ALU | operation | BPF_K, value)
    }

    /// Copies the accumulator to the index register.
    mutating func copyToIndex() {
        append(BPF_MISC | BPF_TAX, 0)
    }

    /// Combines the accumulator with the index register by exclusive or.
    mutating func combineWithIndex() {
        append(BPF_ALU | BPF_XOR | BPF_X, 0)
    }

    /// Compares with a constant and jumps to a label at most 255 instructions away, or continues where there is none.
    mutating func branch(_ comparison: Int32, _ value: UInt32, to whenTrue: Label? = nil, else whenFalse: Label? = nil)
    {
        if let whenTrue { jumps[whenTrue.number].append((instructions.count, .whenTrue)) }
        if let whenFalse { jumps[whenFalse.number].append((instructions.count, .whenFalse)) }
        append(BPF_JMP | comparison | BPF_K, value)
    }

    /// Jumps to a label at any distance.
    mutating func jump(to label: Label) {
        jumps[label.number].append((instructions.count, .always))
        append(BPF_JMP | BPF_JA, 0)
    }

    /// Ends the program with a verdict for the message.
    mutating func finish(passing isPassed: Bool) {
        append(BPF_RET | BPF_K, isPassed ? .max : 0)
    }

    private mutating func append(_ code: Int32, _ value: UInt32) {
        instructions.append(Instruction(code: UInt16(truncatingIfNeeded: code), value: value))
    }
}
