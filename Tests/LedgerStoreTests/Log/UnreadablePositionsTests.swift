@testable import LedgerStore
@testable import SQLiteStore
import Testing


@Suite("Positions that cannot be read")
struct UnreadablePositionsTests {
    @Test("Each is told once, in order")
    func once() {
        var positions = UnreadablePositions()
        for position in [7, 3, 7] as [Int64] { positions.note(position) }
        #expect(positions.take() == [3, 7])
        positions.note(3)
        positions.note(5)
        #expect(positions.take() == [5])
        #expect(positions.take() == [])
    }

    @Test("As many as the bound are told, and not one more")
    func bound() {
        var positions = UnreadablePositions()
        let bound = Int64(LogLimits.unreadablePositionCount)
        for position in 1...(bound + 1) { positions.note(position) }
        #expect(positions.take() == Array(1...bound))
        positions.note(bound + 2)
        #expect(positions.take() == [])
    }
}
