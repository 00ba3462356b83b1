import Testing

@testable import LedgerStore

@Suite("When a commit waits for more")
struct CommitPaceTests {
    @Test(
        "few or enough events are written immediately; in between, a commit waits",
        arguments: [
            (0, false), (CommitPace.leastEventCount - 1, false), (CommitPace.leastEventCount, true),
            (CommitPace.enoughEventCount - 1, true), (CommitPace.enoughEventCount, false),
            (LogLimits.batchEventCount, false),
        ])
    func gathers(_ waiting: Int, _ isPaused: Bool) {
        let pause = CommitPace.pause(waiting: waiting, sinceLast: .zero)
        #expect(pause == (isPaused ? CommitPace.interval : .zero))
    }

    @Test("the pause ends one interval after the last commit began, and is never negative")
    func ends() {
        let count = CommitPace.leastEventCount
        let most = CommitPace.interval
        #expect(
            CommitPace.pause(waiting: count, sinceLast: most - .microseconds(1)) == .microseconds(1)
        )
        #expect(CommitPace.pause(waiting: count, sinceLast: most) == .zero)
        #expect(CommitPace.pause(waiting: count, sinceLast: .seconds(9)) == .zero)
    }
}
