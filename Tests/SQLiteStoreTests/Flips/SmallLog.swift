import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import Signing
import TestSupport

/// A log with every kind of content, small enough to corrupt each of its bytes in turn.
enum SmallLog {
    /// Evidence of every form, with shared and unshared headers; a conflict, a claimed time, and
    /// NULL columns.
    static func variety() throws -> [NewEvent] {
        let header = Sample.text(of: #"{"alg":"ES256"}"#)
        let part = Sample.token(Sample.transaction("t"), header: Sample.otherHeader)
        let renewal = Sample.token(Sample.renewal("t"), header: header)
        let notification = #"{"data":{"signedTransactionInfo":"\#(part)"}}"#
        var command = try Sample.command("c", Array(#"{"a":1}"#.utf8))
        command.attributes = EventAttributes(
            kind: .command, source: .operator, trust: .operator, bundleId: BundleId("b"))
        return [
            try event("n", .jws(Array(Sample.token(notification, header: header).utf8))),
            try event("n", .jws(Array(Sample.token(#"{"b":2}"#, header: header).utf8))),
            try Sample.event(
                "p", kind: .renewalPair,
                evidence: .pair(
                    transaction: Array(part.utf8), renewal: Array(renewal.utf8), status: 3)),
            command,
            try Sample.event("v", evidence: .verbatim(Array("süß".utf8)), at: 7, claimed: true),
        ]
    }

    private static func event(_ id: String, _ evidence: Evidence) throws -> NewEvent {
        try Sample.event(id, evidence: evidence)
    }

    /// As `variety`, with enough small events that every tree has inner pages where possible, and
    /// evidence that needs overflow pages.
    static func crowd() throws -> [NewEvent] {
        var events = try variety()
        events.append(
            try Sample.command("large", (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }))
        for number in 0..<220 {
            events.append(try Sample.command("c\(number)", Array("\(number)".utf8)))
        }
        return events
    }

    /// Creates a log with these events and closes it.
    static func make(_ events: [NewEvent], in directory: TemporaryDirectory) async throws {
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(events)
        await log.close()
    }
}
