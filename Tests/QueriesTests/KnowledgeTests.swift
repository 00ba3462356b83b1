import AppStore
import Ledger
import LedgerTestSupport
import Queries
import Simulator
import TestSupport
import Testing

@Suite("Knowledge")
struct KnowledgeTests {
    private let chain = MadeChain()
    private let other = MadeChain(id: "540000000000001")

    private var deliveries: [MadeDelivery] {
        zip(chain.life, other.life).flatMap { [$0, $1] }
    }

    private var moments: [Timestamp] {
        (0...2).flatMap { [chain.start($0), chain.start($0).advanced(byMilliseconds: 86_400_000)] }
    }

    /// All answers of a ledger by a knowledge, without the stamps that name it.
    private func answers(
        _ ledger: TemporaryLedger, _ knowledge: AsOf
    ) async throws -> [String] {
        try await ledger.session { session in
            var found: [String] = []
            for at in moments + [ledger.now] {
                let export = Export(
                    snapshot: session.snapshot, moment: ledger.moment(at, knowledge))
                for subject in [Export.Subject.subscriptions, .transitions, .facts] {
                    var bytes: [UInt8] = []
                    try await export.run(subject, format: .ndjson) { bytes += $0 }
                    guard subject == .subscriptions else {
                        found.append(String(decoding: bytes, as: UTF8.self))
                        continue
                    }
                    for line in bytes.split(separator: UInt8(ascii: "\n")) {
                        let value = try JSONValue.parse(Array(line)).without("knownAt", "position")
                        found.append(String(decoding: value.encoded(), as: UTF8.self))
                    }
                }
            }
            return found
        }
    }

    @Test("By knowledge up to a position, a ledger answers like one without later events")
    func knownPosition() async throws {
        let whole = try TemporaryLedger()
        let lines = try deliveries.map { try $0.line() }
        _ = try await whole.ingest(lines)
        for count in stride(from: 1, through: lines.count, by: 3) {
            let part = try TemporaryLedger()
            _ = try await part.ingest(Array(lines.prefix(count)))
            let expected = try await answers(part, .everything)
            #expect(try await answers(whole, .knownPosition(Int64(count))) == expected)
        }
    }

    @Test("The answer names the requested position, but none beyond the log")
    func stamps() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(chain.life)
        for (asked, named) in [(2, 2), (4, 4), (5, 4), (Int64.max, 4)] as [(Int64, Int64)] {
            let show = try await ledger.show(chain.id, knowledge: .knownPosition(asked))
            #expect(show["position"]?.int64 == named)
            #expect(show["knownAt"]?.isNull == true)
        }
        for asked in [0, -1, Int64.min] {
            let error = await #expect(throws: QueryError.self) {
                try await ledger.show(chain.id, knowledge: .knownPosition(asked))
            }
            #expect(error?.code == "noSuchSubscription")
            #expect(error?.message.contains("at position 1, was received on ") == true)
        }
    }

    @Test("By knowledge at a time, only events received by then count, to the millisecond")
    func knownAt() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(chain.life)
        for (index, delivery) in chain.life.enumerated() {
            let position = Int64(index + 1)
            let then = delivery.receivedAt
            let show = try await ledger.show(chain.id, knowledge: .knownAt(then))
            let expected = try await ledger.show(chain.id, knowledge: .knownPosition(position))
            #expect(show.without("knownAt", "position") == expected.without("knownAt", "position"))
            #expect(show["knownAt"]?.string == then.rfc3339)
            let before = AsOf.knownAt(then.advanced(byMilliseconds: -1))
            guard position > 1 else {
                let error = await #expect(throws: QueryError.self) {
                    try await ledger.show(chain.id, knowledge: before)
                }
                #expect(error?.message.contains("was received on \(then.rfc3339)") == true)
                continue
            }
            let earlier = try await ledger.show(
                chain.id, knowledge: .knownPosition(position - 1))
            #expect(
                try await ledger.show(chain.id, knowledge: before).without("knownAt", "position")
                    == earlier.without("knownAt", "position"))
        }
    }

    @Test("Earlier knowledge may differ from current knowledge about the same moment")
    func beliefs() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought(), chain.renewed(1)])
        let at = chain.start(1).advanced(byMilliseconds: 60_000)
        let then = try await ledger.show(chain.id, at: at, knowledge: .knownPosition(1))
        let now = try await ledger.show(chain.id, at: at)
        #expect(then["state"]?.string == "expired")
        #expect(then.noticeCodes == ["renewalOverdue"])
        #expect(now["state"]?.string == "renewing")
        #expect(now.noticeCodes.isEmpty)
    }

    // MARK: Shared transactions

    /// The chain's first renewal, also stated under the other chain.
    private var intruder: MadeDelivery {
        other.renewed(1).withTransaction { [chain] payload in
            payload.transactionId = TransactionId(chain.transactionId(1))
        }
    }

    @Test("One transactionId in two chains is a contradiction in both, with its evidence")
    func sharedTransaction() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(chain.life + [other.bought(), intruder])
        for id in [chain.id, other.id] {
            let show = try await ledger.show(id)
            let notice = try #require(
                show["notices"]?.array?.first { $0["code"]?.string == "contradiction" })
            #expect(notice.evidence == [2, 6])
        }
        let exported = try await ledger.exportLines(.subscriptions)
        #expect(exported.count == 2)
        for line in exported { #expect(line.noticeCodes.contains("contradiction")) }
        do {
            _ = try await ledger.show(chain.transactionId(1))
            Issue.record("an id of two chains was answered")
        } catch let error as QueryError {
            #expect(error.code == "ambiguousId")
            #expect(error.message.contains(chain.id))
            #expect(error.message.contains(other.id))
        }
    }

    @Test("By knowledge before the second chain named it, there is no contradiction")
    func sharedTransactionBefore() async throws {
        let ledger = try TemporaryLedger()
        var intruder = intruder
        intruder.receivedAt = ledger.now
        _ = try await ledger.ingest(chain.life + [other.bought(), intruder])
        let before = intruder.receivedAt.advanced(byMilliseconds: -1)
        for knowledge in [AsOf.knownPosition(5), .knownAt(before)] {
            let show = try await ledger.show(chain.id, knowledge: knowledge)
            #expect(!show.noticeCodes.contains("contradiction"))
            let lines = try await ledger.exportLines(.subscriptions, knowledge: knowledge)
            for line in lines { #expect(!line.noticeCodes.contains("contradiction")) }
            let asked = try await ledger.show(chain.transactionId(1), knowledge: knowledge)
            #expect(asked["originalTransactionId"]?.string == chain.id)
        }
    }
}
