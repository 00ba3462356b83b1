import AppStore
import LedgerStore
import PostgresSupport
import Testing

@testable import PostgresStore

/// A schema for one test, in a database that tests share or in one of its own.
final class Database: Sendable {
    let cluster: PostgresCluster
    let name: String
    let schema = PostgresCluster.newName()

    /// The database `postgres` of the shared cluster.
    init() throws {
        cluster = try PostgresCluster.shared()
        name = PostgresCluster.superuser
    }

    /// A database of its own.
    init(of cluster: PostgresCluster? = nil, _ options: String = "") throws {
        self.cluster = try cluster ?? PostgresCluster.shared()
        name = try self.cluster.makeDatabase(options)
    }

    /// Where the log is, through a proxy if its port is given.
    func place(
        port: UInt16? = nil, adding options: String = ""
    ) throws -> PostgresLocation {
        let string = try #require(
            ConnectionString("\(cluster.url(name, port: port)) \(options)"))
        return try #require(PostgresLocation(string, schema: schema))
    }

    func open(
        port: UInt16? = nil, seen: ProjectionCursor = .start, timeout: Duration = .seconds(60),
        faults: (any CommitFaults)? = nil
    ) async throws -> PostgresLog {
        try await PostgresLog.open(
            place(port: port), environment: .production, seen: seen, answerTimeout: timeout,
            faults: faults)
    }

    /// Opens a log with the same patience.
    static func open(
        _ place: PostgresLocation, environment: Environment = .production, ledger: LedgerId? = nil,
        seen: ProjectionCursor = .start
    ) async throws(StoreError) -> PostgresLog {
        try await PostgresLog.open(
            place, environment: environment, ledger: ledger, seen: seen,
            answerTimeout: .seconds(60), faults: nil)
    }

    @discardableResult
    func sql(_ text: String) throws -> String { try cluster.sql(text, database: name) }

    /// A connection of its own, on the current thread.
    func session(adding options: String = "") throws -> PostgresConnection {
        try PostgresSession(place: place(adding: options), answerTimeout: .seconds(5)).open()
    }
}

extension Trait where Self == ConditionTrait {
    /// Skipped where PostgreSQL is not installed, except in CI.
    static var postgres: ConditionTrait {
        .enabled(if: PostgresCluster.isPresent, "PostgreSQL (Debian's postgresql) is not installed")
    }
}

/// Equal to every error with that code.
func failure(_ code: StoreError.Code) -> StoreError { StoreError(code, reason: "", remedy: "") }

extension PostgresLog {
    /// Checks what must hold after every fault: positions contiguous, tree sound, and each event
    /// once.
    func expectSound(_ ids: Set<String>, _ location: SourceLocation = #_sourceLocation) async throws
    {
        let report = try await verify()
        #expect(report.isSound, "\(report.findings)", sourceLocation: location)
        var found: [String] = []
        var last: Int64 = 0
        while case let page = try await events(after: last), let end = page.last {
            found += page.compactMap { $0.attributes.notificationUUID?.rawValue }
            #expect(page.map(\.position) == Array(last + 1...end.position))
            last = end.position
        }
        #expect(Set(found) == ids && found.count == ids.count, sourceLocation: location)
        #expect(try await head().position == last, sourceLocation: location)
    }
}
