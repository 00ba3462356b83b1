import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Reports
import Signing
import Testing

@testable import Proofs

/// Bundles whose inclusion proofs and seals hold, made by a key's owner who lies.
@Suite("Bundles that contradict themselves, or rest on the operator's word")
struct ForgedBundleTests {
    private static let chain = MadeChain()
    private static let customer = CustomerId("anna")

    /// A purchase as a ledger records it.
    private static let genuine = Task {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought()])
        let logged = try #require(try await ledger.ledger { try await $0.log.event(at: 1) })
        return NewEvent(copying: logged.event, logged.evidence)
    }

    /// The check of a bundle of a log of these two events alone.
    ///
    /// - Parameter isErased: whether the first one has no evidence.
    private static func report(
        _ events: [NewEvent], isErased: Bool = false
    ) throws -> BundleCheck.Report {
        let leaves = events.enumerated().map { index, event in
            event.row(
                at: Int64(index) + 1, key: event.key, identity: nil, receivedAt: event.receivedAt
            ).leafData
        }
        let hashes = leaves.map { SHA256.hash([0] + $0) }
        let root = SHA256.hash([1] + hashes[0].bytes + hashes[1].bytes)
        let key = try NoteSignerKey(name: ProvenStory.origin)
        let bundle = try ProofBundle(
            environment: .production,
            checkpoint: LogCheckpoint(origin: ProvenStory.origin, size: 2, root: root)
                .signed(by: key),
            key: key.verifier,
            events: try events.indices.map { index in
                ProofBundle.Event(
                    position: Int64(index) + 1, leafData: leaves[index],
                    inclusion: [hashes[1 - index]],
                    evidence: isErased && index == 0
                        ? nil : try events[index].evidence.packed.originalBytes())
            }, answer: nil
        ).sealed(by: key)
        return ProvenStory.check(try ProofBundle(bundle.bytes))
    }

    private static func reasons(_ report: BundleCheck.Report) -> [String] {
        report.lines.filter { !$0.isGood }.map(\.text)
    }

    @Test("One event at two positions proves nothing")
    func twice() async throws {
        let event = try await Self.genuine.value
        let reasons = Self.reasons(try Self.report([event, event]))
        #expect(reasons == ["Events 1 and 2 have one key: a log has each event once."])
    }

    @Test("An erasure next to the evidence that it erased proves nothing; alone it does")
    func erasedAndPresent() async throws {
        let event = try await Self.genuine.value
        let erasure = try NewEvent(
            Erasure(id: "e", actor: "a", reason: "r", positions: [1], chains: [], facts: []),
            receivedAt: event.receivedAt, packer: Sample.packer)
        let reasons = Self.reasons(try Self.report([event, erasure]))
        #expect(reasons.first?.contains("event 2 erased its evidence") == true)
        #expect(try Self.report([event, erasure], isErased: true).isProven)
    }

    @Test("Unsigned evidence of another app, environment or subscription than its leaf is refused")
    func otherLeaf() async throws {
        let genuine = try await Self.genuine.value
        let app = MadeChain.app
        let cases: [(EventKind, Trust, String?, String, Bool)] = [
            (.notificationV1, .secret, nil, #"{"bid":"\#(app)","environment":"PROD"}"#, true),
            (.notificationV1, .secret, nil, #"{"notification_type":"DID_RENEW"}"#, true),
            (.notificationV1, .secret, nil, #"{"bid":"\#(app)","environment":"Sandbox"}"#, false),
            (.notificationV1, .secret, nil, #"{"bid":"other","environment":"PROD"}"#, false),
            (
                .notificationV1, .secret, nil,
                #"{"unified_receipt":{"environment":"Sandbox"}}"#, false
            ),
            (
                .command, .operator, "1",
                #"{"bundleId":"\#(app)","originalTransactionId":"1"}"#, true
            ),
            (
                .command, .operator, "2",
                #"{"bundleId":"\#(app)","originalTransactionId":"1"}"#, false
            ),
            (.command, .operator, nil, #"{"bundleId":"o","originalTransactionId":"1"}"#, false),
        ]
        for (kind, trust, chain, text, isProven) in cases {
            var event = try Sample.event(
                "u", kind: kind, evidence: .verbatim(Array(text.utf8)))
            event.attributes = EventAttributes(
                kind: kind, source: .operator, trust: trust, bundleId: BundleId(app),
                chain: chain.map { OriginalTransactionId($0) })
            let report = try Self.report([genuine, event])
            #expect(report.isProven == isProven, "\(text)")
        }
    }

    @Test("A checkpoint with more lines than three proves nothing")
    func moreLines() async throws {
        try await ProvenStory.small { _, maker, signer in
            let bundle = try await maker.events([1])
            for (more, isProven) in [("", true), ("more\n", false)] {
                let note = try SignedNote(bundle.checkpoint.text + more, signedBy: signer.key)
                let other = try ProofBundle(
                    environment: bundle.environment, checkpoint: note, key: bundle.key,
                    events: bundle.events, answer: nil
                ).sealed(by: signer.key)
                #expect(ProvenStory.check(try ProofBundle(other.bytes)).isProven == isProven)
            }
        }
    }

    @Test("Events that state nothing about the subject are named")
    func unrelated() async throws {
        let chain = MadeChain(appAccountToken: "0ab11111-2222-4333-8444-555555555555")
        let other = MadeChain(id: "600000000000001")
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought(), other.bought()])
        let customer = CustomerId(token: try #require(chain.appAccountToken))
        let moment = Moment(at: nil, now: ledger.now)
        let key = try NoteSignerKey(name: ProvenStory.origin)
        try await ledger.session { session in
            let (maker, _) = ProvenStory.maker(session, key)
            let all = try await maker.events([1, 2])
            for made in [
                try await maker.subscription(chain.id, bundleId: nil, moment: moment),
                try await maker.customer(customer, moment: moment),
            ] {
                let padded = try ProofBundle(
                    environment: all.environment, checkpoint: all.checkpoint, key: all.key,
                    events: all.events, answer: made.answer
                ).sealed(by: key)
                for (bundle, isNamed) in [(made, false), (padded, true)] {
                    let report = ProvenStory.check(bundle)
                    let line = report.lines.first { $0.part == "answer" }
                    #expect(line?.text.contains("#2 state nothing about it.") == isNamed)
                }
            }
        }
    }

    @Test("The sentence says where it rests on evidence without a signature, and on a link")
    func unsigned() async throws {
        let (chain, key) = (Self.chain, try NoteSignerKey(name: ProvenStory.origin))
        let now = chain.start(0, 15 * 86_400_000)
        for (isSigned, ofChain, ofCustomer, ofCell) in [
            (true, "entitled", " (by a link)", "1 (count)"),
            (
                false, "entitled (trust transport)", " (by a link, trust transport)",
                "1 (count, 1 of 1 subscription without a signature)"
            ),
        ] {
            let ledger = try TemporaryLedger()
            _ =
                isSigned
                ? try await ledger.ingest([chain.bought()])
                : try await ledger.ingest([chain.verifyReceipt(through: 0, at: chain.start)])
            let day: Int64 = 86_400_000
            try await ledger.decide(.link(Self.customer), chain.chainId, at: chain.start(0, day))
            let moment = Moment(at: now, now: TemporaryLedger.end)
            try await ledger.session { session in
                let (maker, _) = ProvenStory.maker(session, key)
                var parameters = CellParameters(column: "new")
                parameters.from = "2026-01-01"
                for (bundle, words) in [
                    (
                        try await maker.subscription(chain.id, bundleId: nil, moment: moment),
                        ofChain
                    ),
                    (try await maker.customer(Self.customer, moment: moment), ofCustomer),
                    (
                        try await maker.cell(
                            .churn(isPaid: false), parameters, reportTimeZone: "UTC",
                            bundleId: nil, moment: moment), ofCell
                    ),
                ] {
                    let report = ProvenStory.check(try ProofBundle(bundle.bytes))
                    #expect(report.isProven)
                    #expect(report.summary?.hasSuffix(words) == true, "\(report.summary ?? "")")
                }
            }
        }
    }

    @Test("A cell of proceeds is named an estimate")
    func estimate() throws {
        let start = Self.chain.start
        for (name, isEstimate) in [("proceeds", true), ("revenue", false)] {
            let cell = BundledCell(
                name: name, isPaid: false, column: name, from: start, to: start, timeZone: "UTC",
                group: [], filters: [], chains: [])
            let answer = ProofBundle.Answer(
                query: BundleQuery(subject: .cell(cell), at: start, now: start, knownPosition: 1),
                reducerVersion: 1, catalogue: .null,
                value: try JSONValue.parse(Array(#"{"amount":7,"unit":"milliunits"}"#.utf8)))
            let words = isEstimate ? "7 (milliunits, an estimate)" : "7 (milliunits)"
            #expect(answer.summary(by: [:]).hasSuffix(words))
        }
    }
}
