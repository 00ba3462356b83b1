import LedgerStore
import SQLiteStore
import Testing

/// One engine behind `EventStore`, as the conformance suite knows it: another is tested by adding
/// a value to `all`, and nothing else.
struct StoreEngine: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Opens the one log that lives at a place of the test's own, made when it is missing. What was
    /// acknowledged there before is in it; it may be open several times at once, as two processes
    /// have it.
    let open: @Sendable (_ place: TemporaryDirectory) async throws -> OpenStore

    static let all: [StoreEngine] = [.sqlite, .memory]

    static let sqlite = StoreEngine(testDescription: "SQLite") { place in
        let log = try await EventLog.open(directory: place.path)
        return OpenStore(store: log) { await log.close() }
    }

    /// Shows that the suite is about the protocol, not about SQLite.
    static let memory = StoreEngine(testDescription: "memory") { place in
        let store = MemoryStore(disk: MemoryDisk.at(place.path))
        return OpenStore(store: store) { store.close() }
    }
}

/// A store that was opened.
struct OpenStore: Sendable {
    let store: any EventStore
    /// Ends it as a process does that ends orderly.
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
