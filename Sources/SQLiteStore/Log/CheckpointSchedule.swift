internal import LedgerStore

/// When the write-ahead log is restarted, which blocks the writer for a moment: as soon as it pays
/// off and the moment is short, and in any case before the file becomes very long.
struct CheckpointSchedule {
    /// Frames in the write-ahead log.
    let frameCount: Int
    /// Frames beyond which it is restarted regardless of the cost.
    let mostFrameCount: Int

    private var isLong: Bool { frameCount > mostFrameCount }
    private var isReusable: Bool { frameCount > LogLimits.reusedFrameCount }

    /// Whether a second checkpoint follows immediately.
    ///
    /// - Parameters:
    ///   - byteCount: of pages written during the first one.
    ///   - duration: of the first one.
    func isRepeated(after byteCount: Int, in duration: Duration) -> Bool {
        let most = Double(LogLimits.hurriedBytesPerSecond) * (duration / .seconds(1))
        return isLong || isReusable && Double(byteCount) <= most
    }

    /// Whether the writer then moves the rest.
    ///
    /// - Parameter byteCount: of pages written during the second one.
    func isFinished(after byteCount: Int) -> Bool {
        isLong || isReusable && byteCount <= LogLimits.finishedByteCount
    }
}
