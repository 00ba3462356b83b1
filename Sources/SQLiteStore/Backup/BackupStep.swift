/// The current step of a backup or a restore, for progress display.
public enum BackupStep: Sendable {
    /// Events; bytes where a restore copies the file.
    case copying(done: Int64, all: Int64)
    /// Events.
    case verifying(done: Int64, all: Int64)
}
