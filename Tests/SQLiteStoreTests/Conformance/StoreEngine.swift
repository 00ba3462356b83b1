import LedgerStore
import SQLiteStore
import TestSupport
import Testing

/// One engine behind `EventStore`, as seen by the conformance suite: to test another engine, add a
/// value to `all`.
struct StoreEngine: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Opens the log in the test's own directory, creating it when missing. It contains what was
    /// acknowledged there before, and may be open several times at once, as by two processes.
    let open: @Sendable (_ place: TemporaryDirectory) async throws -> OpenStore

    static let all: [StoreEngine] = [.sqlite, .memory] + postgres

    static let sqlite = StoreEngine(testDescription: "SQLite") { place in
        let log = try await EventLog.open(directory: place.path)
        return OpenStore(store: log) { await log.close() }
    }

    /// Proves that the suite tests the protocol, not SQLite.
    static let memory = StoreEngine(testDescription: "memory") { place in
        let store = MemoryStore(disk: MemoryDisk.at(place.path))
        return OpenStore(store: store) { store.close() }
    }
}

/// An open store.
struct OpenStore: Sendable {
    let store: any EventStore
    /// Closes it as a process does at a regular exit.
    let close: @Sendable () async -> Void
}

extension StoreEngine {
    /// Opens a new log, runs `body` and closes it.
    func withStore<Value>(
        _ body: (any EventStore) async throws -> Value
    ) async throws -> Value {
        let place = try TemporaryDirectory()
        let open = try await open(place)
        do {
            let value = try await body(open.store)
            await open.close()
            return value
        } catch {
            await open.close()
            throw error
        }
    }
}

extension StoreEngine {
    /// Those that keep whole logs.
    static let logs: [StoreEngine] = [.sqlite] + postgres

    /// As `withStore`, with the whole log.
    func withLog(_ body: (any LedgerLog) async throws -> Void) async throws {
        try await withStore { try await body(try #require($0 as? any LedgerLog)) }
    }
}

extension EventStore {
    /// All rows, page by page.
    func allEvents() async throws -> [RecordedEvent] {
        var found: [RecordedEvent] = []
        while true {
            let page = try await events(
                after: found.last?.position ?? 0, through: .max, limit: LogLimits.pageEventCount)
            if page.isEmpty { return found }
            found += page
        }
    }
}
