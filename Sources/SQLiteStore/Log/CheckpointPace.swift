internal import LedgerStore

/// When a write-ahead log is begun again at its start, which takes a moment in which the writer does
/// nothing else: as soon as it is worth it and the moment is short, and in any case before the file
/// has become very long.
struct CheckpointPace {
    /// Frames in the write-ahead log.
    let frameCount: Int
    /// Those beyond which it is begun again whatever that takes.
    let mostFrameCount: Int

    private var isLong: Bool { frameCount > mostFrameCount }
    private var isReusable: Bool { frameCount > LogLimits.reusedFrameCount }

    /// Whether another checkpoint follows at once.
    ///
    /// - Parameters:
    ///   - byteCount: of pages written during the first one.
    ///   - duration: of the first one.
    func isRepeated(after byteCount: Int, in duration: Duration) -> Bool {
        let most = Double(LogLimits.hurriedBytesPerSecond) * (duration / .seconds(1))
        return isLong || isReusable && Double(byteCount) <= most
    }

    /// Whether the writer then moves what is left.
    ///
    /// - Parameter byteCount: of pages written during the second one.
    func isFinished(after byteCount: Int) -> Bool {
        isLong || isReusable && byteCount <= LogLimits.finishedByteCount
    }
}
