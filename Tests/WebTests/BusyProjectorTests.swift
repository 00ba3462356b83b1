import AppStore
import LedgerStore
import Projection
import SQLiteStore
import Service
import Testing

@testable import Web

@Suite("Commands while the service is busy")
struct BusyProjectorTests {
    @Test(
        "A command gets the projector lock from a service that is never idle, which then continues"
    )
    func wished() async throws {
        let place = try ServedPlace.single()
        let directory = place.directory(of: .production)
        try await place.serve { client, host in
            let served = try host.ledger(.production)
            func notify(_ number: Int64) async throws {
                var purchase = MadePurchase()
                purchase.id = String(500_000_000_000_000 + number)
                let answer = try await client.notify(purchase.notificationBody())
                #expect(answer.status == 200)
            }
            try await notify(1)
            _ = try await served.snapshot(atLeast: 1, limit: .seconds(60))
            let wish = try #require(try ProjectorHandover.make(directory: directory))
            var (position, lock): (Int64, ProjectorLock?) = (1, nil)
            // A stream of events without idle time.
            while lock == nil, position < 1_000 {
                try await notify(position + 1)
                position += 1
                lock = try ProjectorLock.take(directory: directory, patienceMilliseconds: 0)
            }
            #expect(lock != nil)
            #expect(position < 1_000)
            lock = nil
            withExtendedLifetime(wish) {}
        }
        // Events accepted meanwhile are projected.
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let end = try await host.ledger(.production).ledger.log.head().position
            let snapshot = try await host.ledger(.production).snapshot(
                atLeast: end, limit: .seconds(60))
            #expect(snapshot.position == end && end > 1)
        }
    }
}
