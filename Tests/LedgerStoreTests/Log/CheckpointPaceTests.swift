@testable import LedgerStore
@testable import SQLiteStore
import Simulator
import Testing


/// When the write-ahead log is begun again: where it is worth it and holds nobody up, or has to be.
@Suite("Pace of checkpoints")
struct CheckpointPaceTests {
    private static func pace(_ frameCount: Int) -> CheckpointPace {
        CheckpointPace(frameCount: frameCount, mostFrameCount: LogLimits.checkpointFrameCount)
    }

    @Test(
        "A second checkpoint follows beyond the frames worth it, not at them, up to the bound of haste",
        arguments: [
            (LogLimits.reusedFrameCount, 0, false),
            (LogLimits.reusedFrameCount + 1, 0, true),
            (LogLimits.reusedFrameCount + 1, LogLimits.hurriedBytesPerSecond, true),
            (LogLimits.reusedFrameCount + 1, LogLimits.hurriedBytesPerSecond + 1, false),
            (LogLimits.checkpointFrameCount, LogLimits.hurriedBytesPerSecond + 1, false),
            (LogLimits.checkpointFrameCount + 1, LogLimits.hurriedBytesPerSecond + 1, true),
        ])
    func repeated(frameCount: Int, byteCount: Int, isRepeated: Bool) {
        let pace = Self.pace(frameCount)
        #expect(pace.isRepeated(after: byteCount, in: .seconds(1)) == isRepeated)
        #expect(pace.isRepeated(after: byteCount * 2, in: .seconds(2)) == isRepeated)
    }

    @Test(
        "The writer finishes beyond the frames worth it, not at them, up to the bound of what is left",
        arguments: [
            (LogLimits.reusedFrameCount, 0, false),
            (LogLimits.reusedFrameCount + 1, LogLimits.finishedByteCount, true),
            (LogLimits.reusedFrameCount + 1, LogLimits.finishedByteCount + 1, false),
            (LogLimits.checkpointFrameCount, LogLimits.finishedByteCount + 1, false),
            (LogLimits.checkpointFrameCount + 1, LogLimits.finishedByteCount + 1, true),
        ])
    func finished(frameCount: Int, byteCount: Int, isFinished: Bool) {
        #expect(Self.pace(frameCount).isFinished(after: byteCount) == isFinished)
    }
}
