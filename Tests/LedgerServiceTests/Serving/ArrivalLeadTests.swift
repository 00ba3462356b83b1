import AppStore
@testable import Service
import Testing


@Suite("Arrivals dated ahead of the clock")
struct ArrivalLeadTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    @Test("What is tolerable is not told, one millisecond more is, once")
    func bound() {
        let bound = ArrivalLead.tolerableMilliseconds
        var lead = ArrivalLead(newest: at(bound + 1))
        #expect(lead.note(receivedAt: at(1)) == nil)
        #expect(lead.note(receivedAt: at(0)) == bound + 1)
        #expect(lead.note(receivedAt: at(0)) == nil)
    }

    @Test("A log without arrivals is ahead of nothing; its first is what others are measured by")
    func first() {
        var lead = ArrivalLead(newest: nil)
        #expect(lead.note(receivedAt: at(1_000_000)) == nil)
        #expect(lead.note(receivedAt: at(0)) == 1_000_000)
    }

    @Test("Caught up, it is told of again")
    func again() {
        var lead = ArrivalLead(newest: at(1_000_000))
        #expect(lead.note(receivedAt: at(0)) == 1_000_000)
        #expect(lead.note(receivedAt: at(1_000_000)) == nil)
        #expect(lead.note(receivedAt: at(500_000)) == 500_000)
    }
}
