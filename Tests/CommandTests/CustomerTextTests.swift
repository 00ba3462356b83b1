import AppStore
import Ledger
import LedgerTestSupport
import Projection
import Queries
import Testing
import subledger

@Suite("Customers for people")
struct CustomerTextTests {
    private let place: TemporaryLedger
    private let chain = MadeChain()

    init() throws { place = try TemporaryLedger() }

    private func day(_ number: Int64) -> Timestamp {
        chain.start.advanced(byMilliseconds: number * 86_400_000)
    }

    @Test("A timeline has the notes with author and text")
    func notes() async throws {
        _ = try await place.ingest(chain.life)
        try await place.decide(.link(CustomerId("ann")), chain.chainId, at: day(5))
        try await place.decide(.note(CustomerId("ann")), at: day(21))
        try await place.session { session in
            let ann = try await session.snapshot.reading(
                of: CustomerId("ann"), moment: place.moment(day(100)))
            #expect(ann.timelineText().contains("note, by sara: a ticket"))
        }
    }

    @Test("A period that continued without the customer is over")
    func past() async throws {
        _ = try await place.ingest([chain.bought()])
        try await place.decide(.link(CustomerId("ann")), chain.chainId, at: day(5))
        try await place.decide(.link(CustomerId("bob")), chain.chainId, at: day(20))
        try await place.session { session in
            for (customer, words) in [("ann", "was subscribed, "), ("bob", "  subscribed, ")] {
                let text = try await session.snapshot.entitlements(
                    of: CustomerId(stated: customer), moment: place.moment(day(25))
                ).text()
                #expect(text.contains(words), "\(text)")
            }
        }
    }
}
