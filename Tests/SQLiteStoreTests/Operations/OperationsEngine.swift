import AppStore
import LedgerStore
import PostgresSupport
import SQLiteStore
import TestSupport
import Testing

@testable import PostgresStore

/// One engine behind `OperationalState`. Tests of the protocol run with each.
struct OperationsEngine: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Opens the store in the test's own directory, with what was written there before.
    let open: @Sendable (_ place: TemporaryDirectory) async throws -> any OperationalState

    static let all: [OperationsEngine] = [sqlite] + postgres

    static let sqlite = OperationsEngine(testDescription: "SQLite") { place in
        try await OperationsStore.open(directory: place.path)
    }

    /// None where PostgreSQL is not installed, except in CI.
    static let postgres: [OperationsEngine] =
        PostgresCluster.isPresent
        ? [OperationsEngine(testDescription: "PostgreSQL", open: openPostgres)] : []

    /// The state in a schema that is named after the test's directory.
    private static func openPostgres(
        _ place: TemporaryDirectory
    ) async throws -> any OperationalState {
        let cluster = try PostgresCluster.sharedForErasures()
        let name = place.path.split(separator: "/").last.map(String.init) ?? ""
        let schema = "o_" + name.lowercased().replacing("-", with: "_").suffix(40)
        let string = try #require(ConnectionString(cluster.url(PostgresCluster.superuser)))
        return try await PostgresOperations.open(
            try #require(PostgresLocation(string, schema: schema)), environment: .production)
    }

    /// Runs `body` with a new store of every engine.
    static func each(_ body: (any OperationalState) async throws -> Void) async throws {
        for engine in all {
            let place = try TemporaryDirectory()
            let store = try await engine.open(place)
            let result = await Result { try await body(store) }
            await store.close()
            try result.get()
        }
    }
}
