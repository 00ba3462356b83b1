import Simulator
import Testing

@testable import LedgerStore
@testable import SQLiteStore

/// When the write-ahead log is restarted: where that pays off and blocks no caller, or is
/// unavoidable.
@Suite("Pace of checkpoints")
struct CheckpointScheduleTests {
    private static func pace(_ frameCount: Int) -> CheckpointSchedule {
        CheckpointSchedule(frameCount: frameCount, mostFrameCount: LogLimits.checkpointFrameCount)
    }

    @Test(
        "A second checkpoint follows beyond reusedFrameCount, up to hurriedBytesPerSecond",
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
        "The writer finishes beyond reusedFrameCount, up to finishedByteCount",
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
