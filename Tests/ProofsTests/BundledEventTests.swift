import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Signing
import Testing

@testable import Proofs

/// Logs in which every proof of inclusion holds, and whose owner filed the evidence as they liked.
@Suite("Events of a bundle, compared with their evidence")
struct BundledEventTests {
    /// The event that a ledger makes of a purchase.
    private static func event(_ chain: MadeChain = MadeChain()) async throws -> NewEvent {
        let ledger = try TemporaryLedger(
            environment: chain.environment ?? .production, apps: [chain.bundleId])
        _ = try await ledger.ingest([chain.bought()])
        let logged = try #require(try await ledger.ledger { try await $0.log.event(at: 1) })
        return NewEvent(copying: logged.event, logged.evidence)
    }

    private static let genuine = Task { try await event() }

    /// The parts that fail in a bundle of a log of this event alone.
    private static func failures(
        _ event: NewEvent, statedAt position: Int64 = 1, in environment: Environment = .production
    ) throws -> [String] {
        let leaf = event.row(
            at: position, key: event.key, identity: nil, receivedAt: event.receivedAt
        ).leafData
        let key = try NoteSignerKey(name: ProvenStory.origin)
        let checkpoint = LogCheckpoint(
            origin: ProvenStory.origin, size: 1, root: SHA256.hash([0] + leaf))
        let bundle = try ProofBundle(
            environment: environment, checkpoint: try checkpoint.signed(by: key),
            key: key.verifier,
            events: [
                ProofBundle.Event(
                    position: 1, leafData: leaf, inclusion: [],
                    evidence: try event.evidence.packed.originalBytes())
            ], answer: nil
        ).sealed(by: key)
        let report = ProvenStory.check(try ProofBundle(bundle.bytes))
        return report.lines.filter { !$0.isGood }.map(\.part)
    }

    @Test("Genuine evidence that was logged under another chain, key or attribute proves nothing")
    func otherRow() async throws {
        // given
        let genuine = try await BundledEventTests.genuine.value
        #expect(try BundledEventTests.failures(genuine) == [])
        for change in RowChange.all {
            // when
            var event = genuine
            change.apply(&event)
            // then
            let failures = try BundledEventTests.failures(event)
            #expect(failures == ["evidence"], "\(change.name)")
        }
    }

    @Test("Genuine evidence of another app, or of another environment, proves nothing")
    func elsewhere() async throws {
        // given
        var other = try await BundledEventTests.event(MadeChain(bundleId: "com.example.other"))
        let sandbox = try await BundledEventTests.event(MadeChain(environment: .sandbox))
        #expect(try BundledEventTests.failures(other) == [])
        #expect(try BundledEventTests.failures(sandbox, in: .sandbox) == [])
        // when
        other.attributes.bundleId = BundleId(MadeChain.app)
        // then
        #expect(try BundledEventTests.failures(other) == ["evidence"])
        #expect(try BundledEventTests.failures(sandbox) == ["evidence"])
    }

    @Test("An event whose leaf states another position than its place proves nothing")
    func otherPosition() async throws {
        let genuine = try await BundledEventTests.genuine.value
        #expect(try BundledEventTests.failures(genuine, statedAt: 2) == ["evidence"])
    }

    @Test("What Apple does not sign is proven as the operator's word, with the trust of its kind")
    func unsigned() throws {
        let cases: [(EventKind, Trust, Bool)] = [
            (.sweep, .transport, true), (.command, .operator, true),
            (.notificationV1, .secret, true), (.sweep, .operator, false),
            (.command, .transport, false), (.notificationV1, .operator, false),
        ]
        for (kind, trust, isPlausible) in cases {
            var event = try Sample.event("u", kind: kind, evidence: .verbatim([1]))
            event.attributes = EventAttributes(
                kind: kind, source: .operator, trust: trust, bundleId: BundleId("com.example"))
            let failures = try BundledEventTests.failures(event)
            #expect(failures == (isPlausible ? [] : ["evidence"]), "\(kind) \(trust)")
        }
    }

    @Test("Evidence with a date that only earlier releases accepted is proven")
    func clampedDate() async throws {
        var event = try await BundledEventTests.genuine.value
        let later = MadeChain().bought().withTransaction {
            $0.expiresDate = Timestamp(milliseconds: 253_402_300_800_000)
        }
        event.evidence = try EvidencePacker().pack(.jws(Array(try later.token().utf8)))
        #expect(try BundledEventTests.failures(event) == [])
    }
}
