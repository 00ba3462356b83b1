import Testing

@testable import LedgerStore

@Suite("When a commit waits for more")
struct GroupCommitDelayTests {
    @Test(
        "few or enough events are written immediately; in between, a commit waits",
        arguments: [
            (0, false), (GroupCommitDelay.leastEventCount - 1, false),
            (GroupCommitDelay.leastEventCount, true),
            (GroupCommitDelay.enoughEventCount - 1, true),
            (GroupCommitDelay.enoughEventCount, false),
            (LogLimits.batchEventCount, false),
        ])
    func gathers(_ waiting: Int, _ isPaused: Bool) {
        let pause = GroupCommitDelay.pause(waiting: waiting, sinceLast: .zero)
        #expect(pause == (isPaused ? GroupCommitDelay.interval : .zero))
    }

    @Test("the pause ends one interval after the last commit began, and is never negative")
    func ends() {
        let count = GroupCommitDelay.leastEventCount
        let most = GroupCommitDelay.interval
        #expect(
            GroupCommitDelay.pause(waiting: count, sinceLast: most - .microseconds(1))
                == .microseconds(1)
        )
        #expect(GroupCommitDelay.pause(waiting: count, sinceLast: most) == .zero)
        #expect(GroupCommitDelay.pause(waiting: count, sinceLast: .seconds(9)) == .zero)
    }
}
