import AppStore
import Signing
import Testing

@testable import LedgerStore
@testable import PostgresStore

@Suite("Keys of uploads")
struct UploadKeyTests {
    private let one = SHA256.hash(Array("one".utf8))
    private let two = SHA256.hash(Array("two".utf8))
    private let start = Timestamp(milliseconds: 1_770_000_000_000)
    private let record = UploadRecord(
        result: "appended", eventPosition: 7, claim: "moved",
        at: Timestamp(milliseconds: 1_770_000_000_001), position: 8)

    @Test("A key belongs to one request; its first answer stays")
    func kept() async throws {
        try await OperationsEngine.each { store in
            #expect(try await store.take(uploadKey: "k", request: one, at: start) == .new)
            #expect(try await store.take(uploadKey: "k", request: two, at: start) == .taken)
            #expect(try await store.take(uploadKey: "k", request: one, at: start) == .open)
            #expect(try await store.keep(record, uploadKey: "k") == record)
            var later = record
            later.result = "duplicate"
            later.claim = nil
            #expect(try await store.keep(later, uploadKey: "k") == record)
            #expect(
                try await store.take(uploadKey: "k", request: one, at: start) == .answered(record))
            try await store.forget(uploadKey: "k", takenAt: start)
            #expect(try await store.take(uploadKey: "k", request: two, at: start) == .taken)
            #expect(try await store.keep(later, uploadKey: "unknown") == later)
        }
    }

    @Test("A key whose request was refused is free again")
    func forgotten() async throws {
        try await OperationsEngine.each { store in
            _ = try await store.take(uploadKey: "k", request: one, at: start)
            try await store.forget(uploadKey: "k", takenAt: start)
            #expect(try await store.take(uploadKey: "k", request: two, at: start) == .new)
        }
    }

    @Test("A refusal does not release a key that the same request has taken again meanwhile")
    func takenAgain() async throws {
        try await OperationsEngine.each { store in
            #expect(try await store.take(uploadKey: "k", request: one, at: start) == .new)
            #expect(try await store.take(uploadKey: "k", request: one, at: start) == .open)
            try await store.forget(uploadKey: "k", takenAt: start)
            #expect(try await store.take(uploadKey: "k", request: two, at: start) == .taken)
            #expect(try await store.keep(record, uploadKey: "k") == record)
            #expect(
                try await store.take(uploadKey: "k", request: one, at: start) == .answered(record))
        }
    }

    @Test("A key is kept for a day, and not a millisecond longer")
    func day() async throws {
        let end = start.advanced(byMilliseconds: OperationsLimits.uploadKeyMilliseconds)
        let last = end.advanced(byMilliseconds: -1)
        try await OperationsEngine.each { store in
            _ = try await store.take(uploadKey: "k", request: one, at: start)
            #expect(try await store.take(uploadKey: "k", request: two, at: last) == .taken)
            #expect(try await store.take(uploadKey: "k", request: two, at: end) == .new)
        }
    }

    @Test("Keys are kept up to the bound; one more drops the oldest")
    func count() async throws {
        try await OperationsEngine.each { store in
            try await store.fillUploadKeys(OperationsLimits.uploadKeyCount - 1, at: start)
            _ = try await store.take(
                uploadKey: "last", request: one, at: start.advanced(byMilliseconds: 1))
            #expect(try await store.uploadKeyCount() == OperationsLimits.uploadKeyCount)
            let next = start.advanced(byMilliseconds: 2)
            #expect(try await store.take(uploadKey: "more", request: one, at: next) == .new)
            #expect(try await store.uploadKeyCount() == OperationsLimits.uploadKeyCount)
            #expect(try await store.take(uploadKey: "last", request: two, at: next) == .taken)
        }
    }
}

extension OperationalState {
    fileprivate func fillUploadKeys(_ count: Int, at time: Timestamp) async throws {
        let text = "'key ' || number"
        let key = self is PostgresOperations ? "convert_to(\(text), 'UTF8')" : text
        // On a busy machine one statement for all of them outlasts the timeout of an answer.
        for first in stride(from: 1, through: count, by: 5_000) {
            _ = try await writeTables(.uploads) { tables in
                try tables.execute(
                    """
                    WITH RECURSIVE numbers (number) AS (
                        SELECT $1::bigint
                        UNION ALL SELECT number + 1 FROM numbers WHERE number < $2::bigint)
                    INSERT INTO @upload_keys (key, request, taken_at)
                    SELECT \(key), $4::bytea, $3::bigint FROM numbers
                    """, all: [first, min(first + 4_999, count), time, [0] as [UInt8]])
            }
        }
    }

    fileprivate func uploadKeyCount() async throws -> Int {
        try await readTables { try $0.count("upload_keys") }
    }
}
