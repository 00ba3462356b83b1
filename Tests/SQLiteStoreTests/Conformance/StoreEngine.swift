import LedgerStore
import SQLiteStore
import TestSupport
import Testing

/// One engine behind `LedgerLog`, as seen by the conformance suite: to test another engine, add a
/// value to `all`.
struct StoreEngine: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Opens the log in the test's own directory, creating it when missing. It contains what was
    /// acknowledged there before, and may be open several times at once, as by two processes.
    let open: @Sendable (_ place: TemporaryDirectory) async throws -> any LedgerLog

    static let all: [StoreEngine] = [.sqlite] + postgres

    static let sqlite = StoreEngine(testDescription: "SQLite") { place in
        try await EventLog.open(directory: place.path)
    }

    /// Opens a new log, runs `body` and closes it.
    func withLog(_ body: (any LedgerLog) async throws -> Void) async throws {
        let place = try TemporaryDirectory()
        let log = try await open(place)
        let result = await Result { try await body(log) }
        await log.close()
        try result.get()
    }
}

extension LedgerLog {
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
