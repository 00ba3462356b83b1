import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Unreadable positions")
struct UnreadablePositionsTests {
    @Test("Each is reported once, in order")
    func once() {
        var positions = UnreadablePositions()
        for position in [7, 3, 7] as [Int64] { positions.note(position) }
        #expect(positions.take() == [3, 7])
        positions.note(3)
        positions.note(5)
        #expect(positions.take() == [5])
        #expect(positions.take() == [])
    }

    @Test("At most as many as the bound are reported")
    func bound() {
        var positions = UnreadablePositions()
        let bound = Int64(LogLimits.unreadablePositionCount)
        for position in 1...(bound + 1) { positions.note(position) }
        #expect(positions.take() == Array(1...bound))
        positions.note(bound + 2)
        #expect(positions.take() == [])
    }
}
