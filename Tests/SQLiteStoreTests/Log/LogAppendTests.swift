import AppStore
import GRDB
import Ledger
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import Signing
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

    @Test("A key is SHA-256 over kind and ids, each preceded by its length in eight bytes")
    func keyBytes() {
        // given: ids of two characters in three bytes, absent, and empty
        let ids: [String?] = ["\u{E9}1", nil, ""]
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 11] + Array("transaction".utf8)
        bytes += [0, 0, 0, 0, 0, 0, 0, 3, 0xC3, 0xA9, 0x31]
        bytes += [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        bytes += [0, 0, 0, 0, 0, 0, 0, 0]
        // when
        let key = EventKey.make(.transaction, ids)
        let conflict = EventKey.conflict(identity: key, payloadHash: SHA256.hash([1]))
        // then
        #expect(key == SHA256.hash(bytes))
        #expect(conflict == SHA256.hash(key.bytes + SHA256.hash([1]).bytes))
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
