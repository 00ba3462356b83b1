import AppStore
import LedgerStore
import PostgresSupport
import TestSupport
import Testing

@testable import PostgresStore

extension StoreEngine {
    /// None where PostgreSQL is not installed, except in CI.
    static let postgres: [StoreEngine] =
        PostgresCluster.isPresent
        ? [StoreEngine(testDescription: "PostgreSQL", open: openPostgres)] : []

    /// The log in a schema that is named after the test's directory.
    private static func openPostgres(_ place: TemporaryDirectory) async throws -> any LedgerLog {
        let cluster = try PostgresCluster.sharedForErasures()
        let name = place.path.split(separator: "/").last.map(String.init) ?? ""
        let schema = "s_" + name.lowercased().replacing("-", with: "_").suffix(40)
        let string = try #require(ConnectionString(cluster.url(PostgresCluster.superuser)))
        return try await PostgresLog.open(
            try #require(PostgresLocation(string, schema: schema)), environment: .production)
    }
}
