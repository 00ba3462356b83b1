import AppStore
import Simulator
import Testing

@testable import Signing

@Suite("Parts of one piece of evidence")
struct EvidenceTests {
    private let authority: Authority
    private let verifier: EvidenceVerifier

    init() throws {
        authority = Trial.authority
        verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
    }

    private func notification(
        transaction: [UInt8]? = nil, renewal: [UInt8]? = nil, environment: String? = "Sandbox",
        bundleId: String = "com.example.app", signedDate: Int64? = Trial.now.milliseconds
    ) throws -> [UInt8] {
        try authority.sign(
            Trial.notification(
                transaction: try transaction.map(authority.sign),
                renewal: try renewal.map(authority.sign), environment: environment,
                bundleId: bundleId, signedDate: signedDate))
    }

    private func error(_ jws: [UInt8]) -> VerificationError? {
        Trial.error { _ = try verifier.verifyNotification(jws, receivedAt: Trial.now) }
    }

    @Test("A notification has its parts, each with its own date")
    func parts() throws {
        let date = Trial.now.milliseconds
        let jws = try notification(
            transaction: Trial.transaction(signedDate: date - 5),
            renewal: Trial.renewal(signedDate: date + 13))
        let verified = try verifier.verifyNotification(jws, receivedAt: Trial.now)
        #expect(verified.effectiveDate.milliseconds == date)
        #expect(verified.transaction?.effectiveDate.milliseconds == date - 5)
        #expect(verified.renewal?.effectiveDate.milliseconds == date + 13)
        #expect(verified.transaction?.payload.transactionId?.rawValue == "2000000000000001")
        #expect(verified.renewal?.payload?.autoRenewStatus?.rawValue == 1)
        #expect(verified.trust == .extraRoot(SHA256.hash(authority.rootDER)))
        #expect(verified.payloadBytes == (try CompactJWS(parsing: jws)).payload)
    }

    @Test("The digest is that of all three segments, with a known or an unknown header")
    func digest() throws {
        let transaction = try authority.sign(Trial.transaction())
        for _ in 0..<2 {
            let jws = try notification(transaction: Trial.transaction())
            let verified = try verifier.verifyNotification(jws, receivedAt: Trial.now)
            #expect(verified.signed.digest == SHA256.hash(jws))
            let alone = try verifier.verifyTransaction(transaction, receivedAt: Trial.now)
            #expect(alone.signed.digest == SHA256.hash(transaction))
            #expect(alone.payloadBytes == (try CompactJWS(parsing: transaction)).payload)
        }
    }

    @Test("Without its own date a notification has the latest of its parts, else receivedAt")
    func effectiveDates() throws {
        let date = Trial.now.milliseconds
        let later = Timestamp(milliseconds: date + 1000)
        let dated = try notification(
            transaction: Trial.transaction(signedDate: date - 5),
            renewal: Trial.renewal(signedDate: date - 3), signedDate: nil)
        #expect(
            try verifier.verifyNotification(dated, receivedAt: later).effectiveDate.milliseconds
                == date - 3)
        let half = try notification(
            transaction: Trial.transaction(signedDate: date - 5),
            renewal: Trial.json("null"), signedDate: nil)
        let verified = try verifier.verifyNotification(half, receivedAt: later)
        #expect(verified.effectiveDate.milliseconds == date - 5)
        #expect(verified.renewal?.effectiveDate.milliseconds == date - 5)
        #expect(verified.renewal?.payload == nil)
        let undated = try notification(
            transaction: Trial.transaction(signedDate: nil), signedDate: nil)
        #expect(try verifier.verifyNotification(undated, receivedAt: later).effectiveDate == later)
        let tooLate = Timestamp(milliseconds: 4_000_000_000_000)
        #expect(
            Trial.code { _ = try verifier.verifyNotification(undated, receivedAt: tooLate) }
                == .certificateNotValidAtSigning)
    }

    @Test("A part whose chain was not valid at its date invalidates the notification")
    func nestedDate() throws {
        let jws = try notification(transaction: Trial.transaction(signedDate: 3_000_000_000_000))
        #expect(
            error(jws)
                == VerificationError(
                    .nestedPartInvalid, part: .transaction, reason: "",
                    cause: .certificateNotValidAtSigning))
    }

    @Test("A part that contradicts its envelope or another part invalidates the notification")
    func binding() throws {
        let transaction = Trial.transaction()
        func expect(
            _ jws: [UInt8], _ part: EvidencePart, _ cause: VerificationCode?,
            _ location: SourceLocation = #_sourceLocation
        ) {
            #expect(
                error(jws)
                    == VerificationError(
                        .nestedPartInvalid, part: part, reason: "", cause: cause),
                sourceLocation: location)
        }
        expect(
            try notification(transaction: Trial.transaction(environment: "Production")),
            .transaction, .wrongEnvironment)
        expect(
            try notification(transaction: Trial.transaction(bundleId: "com.example.other")),
            .transaction, .wrongApp)
        expect(
            try notification(
                transaction: transaction, renewal: Trial.renewal(environment: "Production")),
            .renewal, .wrongEnvironment)
        expect(
            try notification(
                transaction: transaction, renewal: Trial.renewal(original: "9")),
            .renewal, nil)
        expect(
            try notification(transaction: Trial.transaction(environment: "Xcode")),
            .transaction, .wrongEnvironment)
        expect(
            try notification(
                transaction: Trial.transaction(environment: "Xcode"), environment: nil),
            .transaction, .wrongEnvironment)
    }

    @Test("Absent values in envelope or part are no contradiction")
    func absence() throws {
        let jws = try notification(
            transaction: Trial.json(#"{"transactionId":"1","bundleId":"com.example.app"}"#),
            renewal: Trial.json(#"{"autoRenewStatus":0}"#), environment: nil)
        let verified = try verifier.verifyNotification(jws, receivedAt: Trial.now)
        #expect(verified.transaction != nil && verified.renewal != nil)
    }

    @Test(
        "A part that is malformed, forged or not an object is named with the cause",
        arguments: [
            ("garbage", VerificationCode.malformedJWS), ("", .malformedJWS),
            ("foreign", .untrustedRoot), ("forged", .signatureMismatch),
            ("array", .undecodablePayload), ("number", .undecodablePayload),
            ("text", .undecodablePayload), ("broken", .undecodablePayload),
        ])
    func nested(kind: String, cause: VerificationCode) throws {
        let part: [UInt8]
        switch kind {
        case "foreign": part = try Authority().sign(Trial.transaction())
        case "forged":
            let signed = try CompactJWS(parsing: try authority.sign(Trial.transaction()))
            part = CompactJWS.assemble(
                headerSegment: signed.headerSegment, payload: Trial.transaction(id: "2"),
                signature: signed.signature)
        case "array": part = try authority.sign(Trial.json("[]"))
        case "number": part = try authority.sign(Trial.json("1"))
        case "text": part = try authority.sign(Trial.json("\"a\""))
        case "broken": part = try authority.sign(Trial.json("{"))
        default: part = Trial.json(kind)
        }
        for (first, second) in [(part, nil), (nil, part)] as [([UInt8]?, [UInt8]?)] {
            let jws = try authority.sign(
                Trial.notification(transaction: first, renewal: second))
            #expect(
                error(jws)
                    == VerificationError(
                        .nestedPartInvalid, part: first == nil ? .renewal : .transaction,
                        reason: "", cause: cause))
        }
    }

    /// An AppTransaction whose appAppleId is not its envelope's.
    private static func appTransaction(
        _ environment: String = "Production", bundleId: String = "com.example.app",
        date: Int64 = Trial.now.milliseconds - 5
    ) -> [UInt8] {
        Trial.json(
            """
            {"receiptType":"\(environment)","bundleId":"\(bundleId)","appAppleId":8,\
            "receiptCreationDate":\(date)}
            """)
    }

    /// A notification around a signed AppTransaction.
    private func consent(_ part: [UInt8], isDated: Bool = true) throws -> [UInt8] {
        let date = isDated ? ",\"signedDate\":\(Trial.now.milliseconds)" : ""
        return try authority.sign(
            Trial.json(
                """
                {"notificationType":"RESCIND_CONSENT","notificationUUID":"u","appData":\
                {"appAppleId":7,"bundleId":"com.example.app","environment":"Production",\
                "signedAppTransactionInfo":"\(Trial.text(part))"}\(date)}
                """))
    }

    @Test(
        "A notification's AppTransaction is verified like its other parts",
        arguments: [
            ("own", nil), ("null", nil), ("forged", .signatureMismatch),
            ("foreign", .untrustedRoot), ("early", .certificateNotValidAtSigning),
            ("other app", .wrongApp), ("sandbox", .wrongEnvironment),
            ("transaction", .undecodablePayload),
        ] as [(String, VerificationCode?)])
    func nestedAppTransaction(kind: String, cause: VerificationCode?) throws {
        // given
        let own = Self.appTransaction()
        let part: [UInt8] =
            switch kind {
            case "null": try authority.sign(Trial.json("null"))
            case "forged": try Trial.forged(authority.sign(own))
            case "foreign": try Authority().sign(own)
            case "early": try authority.sign(Self.appTransaction(date: 0))
            case "other app": try authority.sign(Self.appTransaction(bundleId: "com.example.other"))
            case "sandbox": try authority.sign(Self.appTransaction("Sandbox"))
            case "transaction": try authority.sign(Trial.transaction(environment: "Production"))
            default: try authority.sign(own)
            }
        // when
        let found = error(try consent(part))
        // then
        let expected = cause.map {
            VerificationError(.nestedPartInvalid, part: .appTransaction, reason: "", cause: $0)
        }
        #expect(found == expected)
    }

    @Test("An AppTransaction dates a notification without a date, and may have another appAppleId")
    func appTransactionDate() throws {
        // given
        let jws = try consent(authority.sign(Self.appTransaction()), isDated: false)
        let tooLate = Timestamp(milliseconds: 4_000_000_000_000)
        // when
        let verified = try verifier.verifyNotification(jws, receivedAt: tooLate)
        // then
        let date = Trial.now.advanced(byMilliseconds: -5)
        #expect(verified.effectiveDate == date)
        #expect(verified.appTransaction?.effectiveDate == date)
        #expect(verified.appTransaction?.payload.appAppleId == 8)
        let identity = AppIdentity(
            bundleId: BundleId("com.example.app"), appAppleId: 7, environment: .production)
        #expect(Trial.code { try identity.require(verified) } == nil)
    }

    @Test("A signed null is not a transaction, nor an AppTransaction")
    func nullTransaction() throws {
        let jws = try notification(transaction: Trial.json("null"))
        #expect(
            try verifier.verifyNotification(jws, receivedAt: Trial.now).transaction == nil)
        let app = try consent(authority.sign(Trial.json("null")))
        #expect(
            try verifier.verifyNotification(app, receivedAt: Trial.now).appTransaction == nil)
        let bare = try authority.sign(Trial.json("null"))
        #expect(
            Trial.code { _ = try verifier.verifyAny(bare, receivedAt: Trial.now) }
                == .undecodablePayload)
    }

    @Test("A pair is verified like the parts of a notification")
    func pairs() throws {
        func code(_ transaction: [UInt8], _ renewal: [UInt8]) throws -> VerificationError? {
            let first = try authority.sign(transaction)
            let second = try authority.sign(renewal)
            return Trial.error {
                _ = try verifier.verifyPair(
                    transaction: first, renewal: second, receivedAt: Trial.now)
            }
        }
        #expect(try code(Trial.transaction(), Trial.renewal()) == nil)
        #expect(try code(Trial.transaction(), Trial.json("null")) == nil)
        #expect(
            try code(Trial.transaction(), Trial.renewal(original: "9"))
                == VerificationError(.nestedPartInvalid, part: .renewal, reason: ""))
        #expect(
            try code(Trial.transaction(), Trial.renewal(environment: "Production"))
                == VerificationError(
                    .nestedPartInvalid, part: .renewal, reason: "", cause: .wrongEnvironment))
        #expect(
            try code(Trial.renewal(), Trial.renewal())
                == VerificationError(.nestedPartInvalid, part: .transaction, reason: ""))
        #expect(
            try code(Trial.transaction(), Trial.transaction())
                == VerificationError(.nestedPartInvalid, part: .renewal, reason: ""))
        #expect(
            try code(Trial.transaction(), Trial.renewal(signedDate: 0))
                == VerificationError(.certificateNotValidAtSigning, part: .renewal, reason: ""))
    }

    @Test("A part of a pair has its own date, else that of the other, else receivedAt")
    func pairDates() throws {
        // given
        let date = Trial.now.milliseconds
        let tooLate = Timestamp(milliseconds: 4_000_000_000_000)
        func dates(_ transaction: [UInt8], _ renewal: [UInt8]) throws -> [Int64] {
            let verified = try verifier.verifyPair(
                transaction: authority.sign(transaction), renewal: authority.sign(renewal),
                receivedAt: tooLate)
            return [verified.transaction.effectiveDate, verified.renewal.effectiveDate]
                .map(\.milliseconds)
        }
        let undated = Trial.transaction(signedDate: nil)
        let dated = Trial.renewal(signedDate: date - 3)
        let without = Trial.renewal(signedDate: nil)
        // then
        #expect(try dates(Trial.transaction(), dated) == [date, date - 3])
        #expect(try dates(Trial.transaction(), without) == [date, date])
        #expect(try dates(Trial.transaction(), Trial.json("null")) == [date, date])
        #expect(try dates(undated, dated) == [date - 3, date - 3])
        let code = Trial.code { _ = try dates(undated, without) }
        #expect(code == .certificateNotValidAtSigning)
    }

    @Test(
        "The kind is recognised by the payload's own members only",
        arguments: [
            (#"{"data":{"notificationType":"TEST"},"transactionId":"1"}"#, "transaction"),
            (#"{"receiptType":"Sandbox","transactionId":"1"}"#, "transaction"),
            (#"{"receiptCreationDate":1722945600000}"#, "appTransaction"),
            (#"{"a":"\"","b\"c":[{"transactionId":1}],"receiptType":"Sandbox"}"#, "appTransaction"),
            (#"{"a":"transactionId","notificationType":"TEST"}"#, "notification"),
            (#"{"autoRenewStatus":1}"#, nil), (#"{"originalTransactionId":"1"}"#, nil),
            (#"{}"#, nil), ("null", nil), ("[]", nil), (#"["transactionId"]"#, nil),
            (#"{"transactionId":null}"#, nil), (#"{"transactionId":"1""#, nil), ("", nil),
        ] as [(String, String?)])
    func kinds(payload: String, kind: String?) throws {
        // An empty payload cannot be signed, because a segment must not be empty.
        let jws = try authority.sign(Trial.json(payload.isEmpty ? " " : payload))
        var found: String?
        let code = Trial.code {
            switch try verifier.verifyAny(jws, receivedAt: Trial.now) {
            case .notification: found = "notification"
            case .transaction: found = "transaction"
            case .appTransaction: found = "appTransaction"
            }
        }
        #expect(found == kind)
        #expect(code == (kind == nil ? .undecodablePayload : nil))
    }

    @Test("A lone renewal info is rejected with a hint to its transaction")
    func bareRenewal() throws {
        let jws = try authority.sign(Trial.renewal())
        let error = Trial.error { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
        #expect(error?.code == .undecodablePayload)
        #expect(error?.reason.contains("transaction") == true)
        #expect(try verifier.verifyRenewal(jws, fallbackDate: Trial.now).payload != nil)
    }

    @Test("No reason contains any of the payload")
    func reasons() throws {
        let secret = "4f9b1a"
        let jws = try authority.sign(Trial.json(#"{"transactionId":"\#(secret)","price":"x"}"#))
        let error = Trial.error { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
        #expect(error?.code == .undecodablePayload)
        #expect(error?.description.contains(secret) == false)
    }
}
