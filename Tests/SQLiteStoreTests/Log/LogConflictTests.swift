import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import TestSupport
import Testing

@Suite("Duplicates and conflicts")
struct LogConflictTests {
    @Test("Signed again with another header and signature: a duplicate")
    func signedAgain() async throws {
        let results = try await append([
            try Sample.event("n"),
            try Sample.event("n", signature: 2, header: Sample.otherHeader),
        ])
        #expect(results == [.appended(position: 1), .duplicate(of: 1)])
    }

    @Test("Keys in another order: a duplicate")
    func reordered() async throws {
        let results = try await append([
            try Sample.event("n"), try Sample.event("n", signature: 3, reversed: true),
        ])
        #expect(results == [.appended(position: 1), .duplicate(of: 1)])
    }

    @Test("Another claim inside a signed part: a conflict, appended and marked")
    func nestedClaim() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let original = try Sample.event("n", price: 1)
        let other = try Sample.event("n", price: 2)
        #expect(
            try await log.append([original, other])
                == [.appended(position: 1), .conflict(position: 2)])
        let row = try #require(try await log.event(at: 2)).event
        #expect(row.isConflict)
        #expect(row.identity == original.key)
        #expect(row.key != original.key)
        #expect(row.attributes == other.attributes)
        await log.close()
    }

    @Test("A third delivery equal to one of two conflicting ones is its duplicate")
    func third() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append([
            try Sample.event("n", price: 1), try Sample.event("n", price: 2),
            try Sample.event("n", price: 3),
        ])
        let results = try await log.append([
            try Sample.event("n", price: 2, signature: 9, reversed: true),
            try Sample.event("n", price: 1, signature: 9, reversed: true),
            try Sample.event("n", price: 3, signature: 9, header: Sample.otherHeader),
            try Sample.event("n", price: 4),
        ])
        #expect(
            results == [
                .duplicate(of: 2), .duplicate(of: 1), .duplicate(of: 3), .conflict(position: 4),
            ])
        await log.close()
    }

    @Test("The order of two conflicting events changes only positions", arguments: [false, true])
    func eitherOrder(reversed: Bool) async throws {
        let pair = [try Sample.event("n", price: 1), try Sample.event("n", price: 2)]
        let results = try await append(reversed ? pair.reversed() : pair)
        #expect(results == [.appended(position: 1), .conflict(position: 2)])
    }

    @Test("A pair is compared by both payloads and its status")
    func pairs() async throws {
        func pair(_ price: Int, _ status: Int64?, _ signature: UInt8) throws -> NewEvent {
            let transaction = Sample.token(
                Sample.transaction("t", price: price), signature: signature)
            let renewal = Sample.token(Sample.renewal("t"), signature: signature)
            return try Sample.event(
                "t", kind: .renewalPair,
                evidence: .pair(
                    transaction: Array(transaction.utf8), renewal: Array(renewal.utf8),
                    status: status))
        }
        let results = try await append([
            try pair(1, 1, 1), try pair(1, 1, 2), try pair(1, nil, 1), try pair(2, 1, 1),
            try pair(1, nil, 3),
        ])
        #expect(
            results == [
                .appended(position: 1), .duplicate(of: 1), .conflict(position: 2),
                .conflict(position: 3), .duplicate(of: 2),
            ])
    }

    @Test("Commands compare as JSON if they are JSON, otherwise as bytes")
    func commands() async throws {
        let results = try await append([
            try Sample.command("c", Array(#"{"a":1,"b":2}"#.utf8)),
            try Sample.command("c", Array(#"{ "b":2, "a":1 }"#.utf8)),
            try Sample.command("c", Array(#"{"a":1}"#.utf8)),
            try Sample.command("d", [0xFF]), try Sample.command("d", [0xFE]),
            try Sample.command("d", [0xFF]),
        ])
        #expect(
            results == [
                .appended(position: 1), .duplicate(of: 1), .conflict(position: 2),
                .appended(position: 3), .conflict(position: 4), .duplicate(of: 3),
            ])
    }

    private func append(_ events: [NewEvent]) async throws -> [AppendResult] {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let results = try await log.append(events)
        #expect(try await log.verify().isSound)
        await log.close()
        return results
    }
}
