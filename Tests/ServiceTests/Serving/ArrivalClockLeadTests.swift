import AppStore
import Testing

@testable import Service

@Suite("Arrivals dated ahead of the clock")
struct ArrivalLeadTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    @Test("A tolerable lead is not reported, one millisecond more is, once")
    func bound() {
        let bound = ArrivalClockLead.tolerableMilliseconds
        var lead = ArrivalClockLead(newest: at(bound + 1))
        #expect(lead.note(receivedAt: at(1)) == nil)
        #expect(lead.note(receivedAt: at(0)) == bound + 1)
        #expect(lead.note(receivedAt: at(0)) == nil)
    }

    @Test("A log without arrivals has no lead; others are measured by its first arrival")
    func first() {
        var lead = ArrivalClockLead(newest: nil)
        #expect(lead.note(receivedAt: at(1_000_000)) == nil)
        #expect(lead.note(receivedAt: at(0)) == 1_000_000)
    }

    @Test("Once caught up, it is reported again")
    func again() {
        var lead = ArrivalClockLead(newest: at(1_000_000))
        #expect(lead.note(receivedAt: at(0)) == 1_000_000)
        #expect(lead.note(receivedAt: at(1_000_000)) == nil)
        #expect(lead.note(receivedAt: at(500_000)) == 500_000)
    }
}
