import AppStore
internal import LedgerStore
internal import Projection
internal import Service

/// Pages of the console, by the time until the last byte of an answer.
extension HTTPBench {
    /// Browsers that load pages at once.
    static let browserCount = 4
    static let pageSeconds: Int64 = 5

    /// Runs the look-ups and timelines, without the long reports; stops the service at the end.
    public func console() async throws -> [BenchRow] {
        try await serving { port in
            let head = try await host.ledger(.production).ledger.log.head().position
            var rows: [BenchRow] = []
            for (name, paths) in pages(head: head) {
                rows += try await measure(name, port, paths)
            }
            return rows
        }
    }

    /// Addresses in an order unrelated to theirs.
    private func pages(head: Int64) -> [(String, [String])] {
        let home = "/console/production"
        let some = { (count: Int) in (0..<min(count, 5_000)).map { $0 &* 7_919 % max(count, 1) } }
        let ids = some(chainCount).map { chains($0) }
        let people = some(customers.count).map { customers[$0] }
        let positions = some(Int(min(head, 1_000_000))).map { Int64($0) * head / 1_000_000 + 1 }
        return [
            ("console.home", ["\(home)"]), ("console.intake", ["\(home)/intake"]),
            ("console.find", ids.map { "\(home)/find?q=\($0.dropLast())" }),
            ("console.customer", people.map { "\(home)/customers/\($0)" }),
            ("console.subscription", ids.map { "\(home)/subscriptions/\($0)" }),
            ("console.event", positions.map { "\(home)/events/\($0)" }),
            ("console.events", positions.map { "\(home)/events?before=\($0)" }),
        ]
    }

    private func measure(
        _ name: String, _ port: Int, _ paths: [String]
    ) async throws -> [BenchRow] {
        guard !paths.isEmpty else { return [] }
        let load = try await HTTPBench.load(
            port, paths.map { HTTPBench.get($0) }, connectionCount: HTTPBench.browserCount,
            seconds: HTTPBench.pageSeconds)
        return [load.time("\(name).p50", 0.5), load.time("\(name).p99", 0.99)]
    }
}
