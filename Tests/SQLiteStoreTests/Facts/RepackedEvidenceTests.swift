import AppStore
import Ledger
import LedgerTestSupport
import Signing
import Testing

@testable import LedgerStore
@testable import SQLiteStore

/// The facts of a notification follow from its original bytes, however these are divided into
/// pieces: nothing but the original bytes is signed and hashed.
@Suite("Facts of evidence that was packed again")
struct RepackedEvidenceTests {
    /// A piece of a decoded payload (`PackedEvidence`).
    enum Piece {
        case text(String)
        case part(header: String, payload: String)
    }

    private static let refunded = """
        {"transactionId":"7","originalTransactionId":"1","bundleId":"com.example",\
        "productId":"p","purchaseDate":1000,"expiresDate":9000,"revocationDate":5000,\
        "revocationReason":0,"signedDate":5000,"type":"Auto-Renewable Subscription"}
        """
    private static let renewal = Sample.renewal("1")
    private static let start =
        #"{"notificationType":"REFUND","data":{"status":5,"signedTransactionInfo":""#
    private static let middle = #"","signedRenewalInfo":""#
    private static let end = #""}}"#
    private static let whole =
        start + Sample.token(refunded) + middle + Sample.token(renewal) + end

    private static func packed(_ pieces: [Piece]) -> PackedEvidence {
        let signature = [UInt8](repeating: 1, count: CompactJWS.signatureByteCount)
        var headers = [Sample.header]
        var body: [UInt8] = []
        for value in [1, 1, pieces.count << 1 | 1] { Varint.append(value, to: &body) }
        for piece in pieces {
            switch piece {
            case .text(let text):
                Varint.append(text.utf8.count << 1, to: &body)
                body += Array(text.utf8)
            case .part(let header, let payload):
                Varint.append(headers.count << 1 | 1, to: &body)
                headers.append(header)
                Varint.append(payload.utf8.count << 1, to: &body)
                body += Array(payload.utf8) + signature
            }
        }
        return PackedEvidence(
            form: .token,
            headers: headers.map { header in
                EvidenceHeader(hash: SHA256.hash(Array(header.utf8)), bytes: Array(header.utf8))
            }, body: body + signature)
    }

    private static func logged(_ evidence: PackedEvidence, of token: [UInt8]) -> LoggedEvent {
        let hash = SHA256.hash(token)
        let event = RecordedEvent(
            position: 1, key: hash,
            attributes: EventAttributes(
                kind: .notification, source: .webhook, trust: .signed,
                bundleId: BundleId("com.example"), chain: OriginalTransactionId("1")),
            receivedAt: Timestamp(milliseconds: 6_000), receivedAtClaimed: false, identity: nil,
            payloadHash: PackedEvidence.payload(ofToken: token).map { SHA256.hash($0) } ?? hash,
            evidenceHash: hash)
        return LoggedEvent(event: event, evidence: evidence)
    }

    private static func fact(_ evidence: PackedEvidence, of token: [UInt8]) throws -> Fact? {
        FactDecoder.decode(logged(evidence, of: token)).first?.fact
    }

    /// The findings of an audit about the row alone.
    private static func findings(
        _ evidence: PackedEvidence, of token: [UInt8]
    ) -> [LogFinding.Code] {
        let event = logged(evidence, of: token).event
        return AuditRow(position: 1, event: event, evidence: .packed(evidence)).findings()
            .map(\.code)
    }

    /// Earlier releases left a part in place where its header began unusually.
    static let readable: [[Piece]] = [
        [
            .text(start), .part(header: Sample.header, payload: refunded), .text(middle),
            .part(header: Sample.header, payload: renewal), .text(end),
        ],
        [
            .text(start + Sample.token(refunded) + middle),
            .part(header: Sample.header, payload: renewal), .text(end),
        ],
        [
            .text(start), .part(header: Sample.header, payload: refunded),
            .text(middle + Sample.token(renewal) + end),
        ],
        [.text(whole)],
    ]

    @Test("A part that stays in the text states the same as an extracted one", arguments: readable)
    func inPlace(pieces: [Piece]) throws {
        let token = Array(Sample.token(Self.whole).utf8)
        let packed = Self.packed(pieces)
        #expect(try packed.originalBytes() == token)
        let expected = try Self.fact(try Sample.packer.pack(.jws(token)).packed, of: token)
        #expect(expected?.flaw == nil)
        #expect(expected?.transaction?.revocationDate == Timestamp(milliseconds: 5_000))
        #expect(expected?.renewal != nil)
        #expect(try Self.fact(packed, of: token) == expected)
        #expect(Self.findings(packed, of: token) == [])
    }

    static let unreadable: [[Piece]] = [
        // A header that holds the first part and the text after it.
        [
            .text(start),
            .part(
                header: Sample.token(refunded) + middle + Sample.header, payload: renewal),
            .text(end),
        ],
        // A header that begins before the string, and one that begins within it.
        [
            .text(String(start.dropLast())),
            .part(header: "\"" + Sample.header, payload: refunded),
            .text(middle + Sample.token(renewal) + end),
        ],
        [
            .text(start + Sample.header.prefix(4)),
            .part(header: String(Sample.header.dropFirst(4)), payload: refunded),
            .text(middle + Sample.token(renewal) + end),
        ],
        // Text in several pieces, and none at the end.
        [
            .text(start), .text(Sample.token(refunded) + middle),
            .part(header: Sample.header, payload: renewal), .text(end),
        ],
        [.text(start), .text(String(whole.dropFirst(start.count)))],
    ]

    @Test("Other divisions of the same bytes are unreadable, and a finding", arguments: unreadable)
    func divided(pieces: [Piece]) throws {
        let token = Array(Sample.token(Self.whole).utf8)
        let packed = Self.packed(pieces)
        #expect(try packed.originalBytes() == token)
        #expect(throws: PackedEvidence.unreadable) { try packed.payloads(of: .notification) }
        #expect(throws: PackedEvidence.unreadable) { try packed.computedHashes() }
        #expect(try Self.fact(packed, of: token)?.flaw == .undecodable)
        #expect(Self.findings(packed, of: token) == [.evidenceUnreadable])
    }

    @Test("Two parts under one key are unreadable")
    func twice() throws {
        let part = Piece.part(header: Sample.header, payload: Self.refunded)
        let packed = Self.packed([
            .text(Self.start), part, .text(#"","signedTransactionInfo":""#), part, .text(Self.end),
        ])
        #expect(throws: PackedEvidence.unreadable) { try packed.payloads(of: .notification) }
    }

    static let places: [(template: String, isStated: Bool)] = [
        (#"{"notificationType":"REFUND","data":{"signed\u0054ransactionInfo":"TOKEN"}}"#, true),
        (
            #"{"notificationType":"REFUND","subtype":"signedTransactionInfo","#
                + #""data":{"signedTransactionInfo":"TOKEN"}}"#, true
        ),
        (
            #"{"notificationType":"REFUND","data":{"signedTransactionInfo":"TOKEN","#
                + #""signedRenewalInfo":"eyX"}}"#, true
        ),
        (#"{"notificationType":"REFUND","signedTransactionInfo":"TOKEN"}"#, false),
        (#"{"notificationType":"REFUND","data":{"x":{"signedTransactionInfo":"TOKEN"}}}"#, false),
    ]

    @Test("A part is stated where Apple puts it, packed or verbatim", arguments: places)
    func place(template: String, isStated: Bool) throws {
        let payload = template.replacing("TOKEN", with: Sample.token(Self.refunded))
        let token = Array(Sample.token(payload).utf8)
        let fact = try Self.fact(try Sample.packer.pack(.jws(token)).packed, of: token)
        #expect((fact?.transaction != nil) == isStated)
        let verbatim = PackedEvidence(form: .verbatim, headers: [], body: token)
        #expect(try Self.fact(verbatim, of: token) == fact)
    }

    // MARK: Pairs

    /// A pair with these texts around its parts.
    private static func pair(
        _ texts: [String], header: String = Sample.header
    ) -> PackedEvidence {
        var body: [UInt8] = []
        Varint.append(texts.count * 2 - 1, to: &body)
        for (index, text) in texts.enumerated() {
            Varint.append(text.utf8.count << 1, to: &body)
            body += Array(text.utf8)
            guard index < texts.count - 1 else { break }
            let payload = Array((index == 0 ? refunded : renewal).utf8)
            Varint.append(1, to: &body)
            Varint.append(payload.count << 1, to: &body)
            body += payload + [UInt8](repeating: 1, count: CompactJWS.signatureByteCount)
        }
        let bytes = Array(header.utf8)
        return PackedEvidence(
            form: .pair, headers: [EvidenceHeader(hash: SHA256.hash(bytes), bytes: bytes)],
            body: body)
    }

    @Test("A pair is read between the texts of a pair", arguments: [nil, 2, -1, 0] as [Int64?])
    func pair(status: Int64?) throws {
        let packed = Self.pair([
            PairText.start, PairText.middle, PairText.end(status: status),
        ])
        let made = try Sample.packer.pack(
            .pair(
                transaction: Array(Sample.token(Self.refunded).utf8),
                renewal: Array(Sample.token(Self.renewal).utf8), status: status))
        #expect(made.packed.body == packed.body)
        let payloads = try packed.payloads(of: .renewalPair)
        #expect(payloads.transaction == Array(Self.refunded.utf8))
        #expect(payloads.renewal == Array(Self.renewal.utf8))
        #expect(payloads.status == status)
        #expect(try packed.computedHashes().payload == made.payloadHash)
    }

    static let otherTexts: [[String]] = [
        // A whole pair in the first text, before the parts.
        [
            PairText.start + Sample.token(refunded) + PairText.middle + Sample.token(renewal)
                + #"","status":1,"x":""#, #"","y":""#, #"","status":2}"#,
        ],
        [PairText.start, PairText.middle, #"","z":1,"status":2}"#],
        [PairText.start, PairText.middle, #"","status":2,"z":1}"#],
        [PairText.start, PairText.middle, #"","status":02}"#],
        [PairText.start, PairText.middle, #"","z":2}"#],
        [PairText.start, PairText.middle, "\"} "],
        [PairText.start, #"", "signedRenewalInfo":""#, PairText.end(status: 2)],
        [" " + PairText.start, PairText.middle, PairText.end(status: nil)],
        [PairText.start, PairText.middle],
    ]

    @Test("With other texts, or a quotation mark in a header, it is unreadable")
    func otherPairs() throws {
        var pairs = Self.otherTexts.map { Self.pair($0) }
        for header in ["\"" + Sample.header, Sample.header + #"","x":"e"#] {
            pairs.append(
                Self.pair(
                    [PairText.start, PairText.middle, PairText.end(status: 1)], header: header))
        }
        for packed in pairs {
            #expect(throws: PackedEvidence.unreadable) {
                try packed.payloads(of: .renewalPair)
            }
            #expect(throws: PackedEvidence.unreadable) { try packed.computedHashes() }
        }
    }
}
