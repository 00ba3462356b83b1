/// The effect at the chosen call and after it.
package enum FaultMode: CaseIterable, Sendable {
    /// The call fails with an I/O error, without effect; later ones succeed.
    case once
    /// As `once`, but with a full disk where the call needs space.
    case fullOnce
    /// From the call on, every write, sync, truncation and deletion fails; reads succeed.
    case writesFromThere
    /// From the call on, every read fails.
    case readsFromThere
    /// From the call on, the disk is full.
    case fullFromThere
    /// From the call on, everything fails.
    case allFromThere
    /// The process is killed at the call: nothing is written any more, earlier writes remain.
    case crash
    /// As `crash`, with half of the write's bytes written.
    case tornWrite
    /// The machine stops at the call: unsynced data is lost.
    case powerCut
    /// As `powerCut`, but some of the unsynced data reached the disk.
    case raggedPowerCut

    /// Whether the process ends.
    var isDeath: Bool {
        switch self {
        case .crash, .tornWrite, .powerCut, .raggedPowerCut: true
        case .once, .fullOnce, .writesFromThere, .readsFromThere, .fullFromThere, .allFromThere:
            false
        }
    }

    /// Whether unsynced data must be tracked.
    var losesUnsynced: Bool { self == .powerCut || self == .raggedPowerCut }
}
