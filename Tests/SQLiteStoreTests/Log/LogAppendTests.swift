import AppStore
import GRDB
import Ledger
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import TestSupport
import Testing

@Suite("Appending to the log")
struct LogAppendTests {
    @Test("No two lists of ids share a key")
    func keys() {
        let keys = [
            EventKey.make(.transaction, ["1", "23"]), EventKey.make(.transaction, ["12", "3"]),
            EventKey.make(.transaction, ["123"]), EventKey.make(.transaction, ["123", nil]),
            EventKey.make(.transaction, ["123", ""]), EventKey.make(.renewalPair, ["123"]),
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test("A header is stored once, however many events use it")
    func headersOnce() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<20))
        _ = try await log.append([try Sample.event("x", header: Sample.otherHeader)])
        await log.close()
        let queue = try DatabaseQueue(path: directory.file("log.sqlite"))
        let count = try await queue.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM headers")
        }
        #expect(count == 2)
        try queue.close()
    }
}
