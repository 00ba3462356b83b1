import AppStore
import LedgerTestSupport
import TestSupport
import Testing

@testable import Service

@Suite("The state of intake right after the start")
struct EarlyStatusTests {
    @Test("Before the projector has read anything, the end of the log is known")
    func head() async throws {
        let place = try TemporaryLedger()
        _ = try await place.ingest([MadeChain(id: "710000000000001").bought()])
        try await Gate.ledgers.pass {
            let host = try await LedgerHost.open(
                ServiceConfiguration(place.configuration), environments: [.production],
                roots: place.roots, steady: nil
            ) { TemporaryLedger.end }
            let status = try await host.status(.production)
            async let running: Void = host.run()
            host.stop()
            await running
            #expect(status.head == 1)
            #expect(status.projectedPosition == nil)
            #expect(status.lagPositions == 1)
        }
    }
}
