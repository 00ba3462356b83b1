/// What happens at the chosen call and after it.
package enum FaultMode: CaseIterable, Sendable {
    /// The call fails with an I/O error, without effect; the next succeed.
    case once
    /// As `once`, but the disk was full where the call needs room.
    case fullOnce
    /// From the call on every write, sync, truncation and deletion fails; reads go on.
    case writesFromThere
    /// From the call on every read fails.
    case readsFromThere
    /// From the call on the disk is full.
    case fullFromThere
    /// From the call on everything fails.
    case allFromThere
    /// The process is killed at the call: nothing reaches a file any more, what was written stays.
    case crash
    /// As `crash`, with half of the bytes of the write written.
    case tornWrite
    /// The machine stops at the call: what was not synced is gone.
    case powerCut
    /// As `powerCut`, but of what was not synced some reached the disk and some did not.
    case raggedPowerCut

    /// The process does not live on.
    var isDeath: Bool {
        switch self {
        case .crash, .tornWrite, .powerCut, .raggedPowerCut: true
        case .once, .fullOnce, .writesFromThere, .readsFromThere, .fullFromThere, .allFromThere:
            false
        }
    }

    /// What was not synced has to be remembered.
    var losesUnsynced: Bool { self == .powerCut || self == .raggedPowerCut }
}
