import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Signing
import Simulator
import TestSupport
import Testing

@testable import LedgerStore
@testable import Projection

/// `audit verify --signatures` on rows that no intake made: with sound hashes, but other than
/// follows from their evidence.
@Suite("Rows compared with their evidence")
struct RecordedEvidenceTests {
    private static let chain = MadeChain()

    /// The event that the intake makes of a token.
    private static func event(
        _ token: [UInt8], of app: String = MadeChain.app, in environment: Environment = .production
    ) throws -> NewEvent {
        try event(.jws(token), of: app, in: environment)
    }

    private static func event(
        _ form: Submission.Form, of app: String = MadeChain.app,
        in environment: Environment = .production
    ) throws -> NewEvent {
        let preparation = EventPreparation(
            verifier: EvidenceVerifier(
                roots: TestAuthority.roots, allowedLocalEnvironments: [environment]),
            packer: EvidencePacker(), apps: [Configuration.App(bundleId: BundleId(app))],
            environment: environment, source: .webhook)
        let accepted = preparation.prepare(
            Submission(form: form, input: ""), now: chain.start)
        guard case .event(let event, _) = accepted else {
            throw VerificationError(.undecodablePayload, reason: "It is refused.")
        }
        return event
    }

    private static func token(_ chain: MadeChain = RecordedEvidenceTests.chain) throws -> [UInt8] {
        Array(try chain.bought().token().utf8)
    }

    /// The codes of the findings of a ledger that holds this event alone.
    private static func findings(
        _ event: NewEvent, in environment: Environment = .production
    ) async throws -> [String] {
        let ledger = try TemporaryLedger(environment: environment)
        try await ledger.ledger { _ = try await $0.log.append([event]) }
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(report.log.isSound)
        #expect(report.isSound == report.signatureFindings.isEmpty)
        #expect(report.signaturesVerified == (report.isSound ? 1 : 0))
        return report.signatureFindings.map(\.code)
    }

    @Test("Genuine evidence under another key or attribute is a finding")
    func changed() async throws {
        let ledger = try TemporaryLedger()
        var events = [try Self.event(try Self.token())]
        for (index, change) in RowChange.all.enumerated() {
            var event = try Self.event(try Self.token(MadeChain(id: "58000\(index)")))
            change.apply(&event)
            events.append(event)
        }
        try await ledger.ledger { _ = try await $0.log.append(events) }
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(report.log.isSound && !report.isSound)
        // Only the first is as its evidence has it.
        #expect(report.signaturesVerified == 1)
        let found = Dictionary(
            report.signatureFindings.map { ($0.position, $0.code) },
            uniquingKeysWith: { "\($0), \($1)" })
        for (index, change) in RowChange.all.enumerated() {
            #expect(found[Int64(index) + 2] == "attributesMismatch", "\(change.name)")
        }
        #expect(found.count == RowChange.all.count)
    }

    @Test(
        "Of a kind that Apple signs, a signature is verified whatever trust the row claims",
        arguments: [Trust.transport, .secret, .operator])
    func unsigned(trust: Trust) async throws {
        var event = try Self.event(try Self.token())
        let parts = try Self.chain.bought().token().split(separator: ".")
        let signature = Sample.text(of: String(repeating: "s", count: 64))
        event.evidence = try EvidencePacker().pack(
            .jws(Array("\(parts[0]).\(parts[1]).\(signature)".utf8)))
        event.attributes.trust = trust
        #expect(try await Self.findings(event) == ["signatureMismatch"])
    }

    @Test("Genuine evidence of another environment is a finding beyond the first events, too")
    func otherEnvironment() async throws {
        let sandbox = try Self.event(
            try Self.token(MadeChain(id: "7", environment: .sandbox)), in: .sandbox)
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(Self.chain.life)
        try await ledger.ledger { _ = try await $0.log.append([sandbox]) }
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(report.signatureFindings.map(\.code) == ["wrongEnvironment"])
        #expect(report.signatureFindings.map(\.position) == [5])
    }

    @Test("Genuine evidence of another app, recorded as of this one, is a finding")
    func otherApp() async throws {
        let other = MadeChain(bundleId: "com.example.other")
        var event = try Self.event(try Self.token(other), of: other.bundleId)
        #expect(try await Self.findings(event) == [])
        event.attributes.bundleId = BundleId(MadeChain.app)
        #expect(try await Self.findings(event) == ["wrongApp"])
    }

    @Test("A pair that no reader of facts sees verifies nothing", arguments: [true, false])
    func hiddenPair(isExported: Bool) async throws {
        let signed = Self.chain.start.advanced(byMilliseconds: 60_000)
        let line = try MadeDelivery(
            receivedAt: signed,
            evidence: .pair(
                Self.chain.transaction(0, signed: signed), Self.chain.renewal(0, signed: signed),
                Raw(.active))
        ).line()
        let submission = try #require(try InputLine.submissions(line, input: "").first)
        var event = try Self.event(submission.form)
        #expect(try await Self.findings(event) == [])
        let genuine = try event.evidence.packed.originalBytes()
        if isExported {
            var json = JSONWriter()
            json.object { json in
                json.member("kind", EventKind.renewalPair.rawValue)
                json.member("signedPayload", String(decoding: genuine, as: UTF8.self))
                json.member("signedTransactionInfo", Sample.token(Sample.transaction("7")))
                json.member("signedRenewalInfo", Sample.token(Sample.renewal("7")))
                json.member("status", Int64(1))
            }
            event.evidence = try EvidencePacker().pack(.verbatim(json.bytes))
        } else {
            // The same pair, with a member more.
            event.evidence = try EvidencePacker().pack(
                .verbatim(Array(genuine.dropLast()) + Array(#","x":1}"#.utf8)))
        }
        #expect(try await Self.findings(event) == ["attributesMismatch"])
    }

    static let unsignedKinds: [(EventKind, Trust)] = [
        (.verifyReceipt, .transport), (.sweep, .transport), (.notificationV1, .secret),
        (.command, .operator), (.erasure, .operator),
    ]

    @Test("Evidence that Apple does not sign has one trust", arguments: unsignedKinds)
    func unsignedTrust(kind: EventKind, trust: Trust) throws {
        let judge = Audit.Judge(verifier: EvidenceVerifier(), environment: .production)
        for claimed in [Trust.signed, .transport, .secret, .operator, .xcode] {
            var event = try Sample.command("c", Array("{}".utf8))
            event.attributes.kind = kind
            event.attributes.trust = claimed
            let row = event.row(
                at: 1, key: event.key, identity: nil, receivedAt: event.receivedAt)
            let logged = LoggedEvent(event: row, evidence: nil)
            guard case .failed(let finding) = Audit.check(logged, judge) else {
                #expect(claimed == trust)
                continue
            }
            #expect(claimed != trust)
            #expect(finding.code == "attributesMismatch")
        }
    }

    // MARK: Genuine rows

    @Test("A second event under the same identity is a conflict, and sound")
    func conflict() async throws {
        let ledger = try TemporaryLedger()
        let bought = Self.chain.bought()
        let summary = try await ledger.ingest([
            bought, bought.withTransaction { $0.storefront = "DEU" },
        ])
        #expect(summary.conflicts == 1)
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(report.isSound)
        #expect(report.signaturesVerified == 2)
    }

    @Test("A row of an earlier release, without the fingerprint of its root, is sound")
    func withoutRoot() async throws {
        var event = try Self.event(try Self.token())
        event.attributes.rootFingerprint = nil
        #expect(try await Self.findings(event) == [])
    }

    @Test("A date after the year 9999, which earlier releases accepted, is sound")
    func clampedDate() async throws {
        let bought = Self.chain.bought()
        var event = try Self.event(Array(bought.token().utf8))
        let later = bought.withTransaction {
            $0.expiresDate = Timestamp(milliseconds: 253_402_300_800_000)
        }
        let token = Array(try later.token().utf8)
        // The intake refuses it today.
        #expect(throws: VerificationError.self) { _ = try Self.event(token) }
        event.evidence = try EvidencePacker().pack(.jws(token))
        #expect(try await Self.findings(event) == [])
        event.attributes.chain = OriginalTransactionId("777000777")
        #expect(try await Self.findings(event) == ["attributesMismatch"])
    }

    @Test("The chain \"\", which earlier releases stored of notifications that name none, is sound")
    func emptyChain() async throws {
        var event = try Self.event(try Self.token(MadeChain(id: "")))
        #expect(event.attributes.chain == nil)
        event.attributes.chain = OriginalTransactionId("")
        #expect(try await Self.findings(event) == [])
        event.attributes.chain = OriginalTransactionId("0")
        #expect(try await Self.findings(event) == ["attributesMismatch"])
        var named = try Self.event(try Self.token())
        named.attributes.chain = OriginalTransactionId("")
        #expect(try await Self.findings(named) == ["attributesMismatch"])
    }

    /// A receipt as Xcode makes it, of one purchase.
    private static func receipt(original: String) throws -> [UInt8] {
        let purchase = ReceiptContents.subscription(
            productId: MadeChain.product, transactionId: "0", originalTransactionId: original,
            purchaseDate: chain.start, expiresDate: chain.start(1))
        return try ReceiptAuthority.signAsXcode(
            payload: ReceiptContents(
                type: .xcode, bundleId: MadeChain.app, creationDate: chain.start,
                purchases: [purchase]
            ).payload)
    }

    @Test("The chain \"0\", which earlier releases stored of Xcode's receipts, is sound")
    func receiptOfXcode() async throws {
        var event = try Self.event(
            .receipt(try Self.receipt(original: "7")), in: .xcode)
        event.attributes.chain = OriginalTransactionId("0")
        #expect(try await Self.findings(event, in: .xcode) == ["attributesMismatch"])
        // The intake refuses it today.
        let unnamed = try Self.receipt(original: "")
        event.evidence = try EvidencePacker().pack(.verbatim(unnamed))
        event.key = EventKey.make(.receipt, [event.evidence.payloadHash.hexadecimal])
        #expect(try await Self.findings(event, in: .xcode) == [])
        event.attributes.chain = OriginalTransactionId("")
        #expect(try await Self.findings(event, in: .xcode) == ["attributesMismatch"])
    }

    @Test("Data of Xcode, which earlier releases stored as signed, is sound", Fixtures.condition)
    func xcode() async throws {
        var event = try Self.event(
            try Fixtures.jws("098-XCODE-transaction.jws"),
            of: "com.example.naturelab.backyardbirds.example", in: .xcode)
        #expect(event.attributes.trust == .xcode)
        #expect(try await Self.findings(event, in: .xcode) == [])
        event.attributes.trust = .signed
        #expect(try await Self.findings(event, in: .xcode) == [])
        event.attributes.chain = OriginalTransactionId("777000777")
        #expect(try await Self.findings(event, in: .xcode) == ["attributesMismatch"])
    }
}
