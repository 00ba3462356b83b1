import AppStore
import Service
import Testing

extension ServedPlace {
    /// As `serve`, with two periods of a purchase ingested and projected.
    func serve(
        renewed purchase: MadePurchase,
        _ body: @escaping @Sendable (WebClient, LedgerHost) async throws -> Void
    ) async throws {
        try await serve { (client: WebClient, host: LedgerHost) async throws in
            for period in 0...1 {
                let answer = try await client.notify(purchase.notificationBody(period))
                #expect(answer.status == 200)
            }
            _ = try await host.ledger(.production).snapshot(atLeast: 2, limit: .seconds(60))
            try await body(client, host)
        }
    }
}
