import AppStore
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import Synchronization
import Testing

@testable import AppleSync

@Suite("Recovery beside live deliveries")
struct RecoveryBesideLiveTests {
    @Test(
        "live deliveries meanwhile are not missing: the report equals a quiet recovery's"
    )
    func quiet() async throws {
        // Deliveries of the last days change states and access of many chains.
        let during = try MisledCustomerTests.later()
        #expect(during.count > 20)
        let quiet = try await MisledCustomerTests.recovered.value.report
        let busy = try await MisledCustomerTests.earlier()
        let loud = try await busy.recover(
            RecoveryWorld.request(40, 30), meanwhile: during
        ).report
        #expect(quiet.newCount > 10)
        #expect(!quiet.customers.isEmpty)
        #expect(loud.newCount == quiet.newCount)
        #expect(loud.fetchedCount == quiet.fetchedCount)
        #expect(loud.chains == quiet.chains)
        #expect(loud.customers == quiet.customers)
    }

    @Test("an erasure after the state that a report is of has the report made again")
    func erased() async throws {
        let world = try RecoveryWorld()
        let count = Mutex(0)
        let done = try await world.recover(
            RecoveryWorld.request(40, 30),
            projected: { (ledger) async throws(StoreError) in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                // The first state is not that of the report.
                guard number == 2 else { return }
                try await ledger.operations.erase(chains: [], ids: ["7"], positions: [])
            })
        #expect(count.withLock { $0 } == 3)
        #expect(done.report.newCount > 0)
        let reports = try await world.ledger.ledger { try await $0.operations.recoveryReports() }
        #expect(reports.count == 1)
    }

    @Test("only events that the recovery appended count as recovered, whatever stands between them")
    func brought() {
        let cases: [(others: [Int64], found: [Int64])] = [
            ([], [11, 12, 13, 14, 15]), ([12], [11, 13, 14, 15]), ([11, 13, 15], [12, 14]),
            ([11, 12, 14], [13, 15]), ([12, 13, 14, 15], [11]), ([13, 14], [11, 12, 15]),
        ]
        for (others, found) in cases {
            // given
            var brought = RecoveredEvents(after: 10)
            // when
            for position in others { brought.leaveOut(position) }
            // then
            let contained = (9...15).filter { brought.contains($0) }
            #expect(contained == found)
        }
    }
}
