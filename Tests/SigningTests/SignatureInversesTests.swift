import AppStore
import Simulator
import Testing

@testable import Signing

@Suite("Several signatures share one inversion, and each is verified as by itself")
struct SignatureInversesTests {
    private let key: PrivateKey
    private let prepared: PreparedPoint

    init() throws {
        key = try PrivateKey(generating: .p256)
        prepared = try #require(PreparedPoint(publicKeyInfo: key.publicKeyInfo))
    }

    private static let zero = [UInt8](repeating: 0, count: 32)
    private static let one: [UInt8] = Array(repeating: 0, count: 31) + [1]
    private static let beforeOrder: [UInt8] =
        SignatureTests.order.dropLast() + [SignatureTests.order[31] - 1]

    @Test("No inverses of fewer than two, nor where an s is outside 1…n−1 or of another length")
    func refused() throws {
        let genuine = try key.signES256(Array("message".utf8))
        let r = Array(genuine[..<32])
        #expect(prepared.inverses(of: []) == nil)
        #expect(prepared.inverses(of: [genuine]) == nil)
        #expect(prepared.inverses(of: [genuine, genuine]) != nil)
        let most = [UInt8](repeating: 0xFF, count: 32)
        for s in [Self.zero, SignatureTests.order, most] {
            #expect(prepared.inverses(of: [genuine, r + s]) == nil)
            #expect(prepared.inverses(of: [r + s, genuine]) == nil)
        }
        for s in [Self.one, Self.beforeOrder] {
            #expect(prepared.inverses(of: [genuine, r + s]) != nil)
        }
        #expect(prepared.inverses(of: [genuine, Array(genuine.dropLast())]) == nil)
        #expect(prepared.inverses(of: [genuine, genuine + [0]]) == nil)
    }

    @Test("1 and n−1 are their own inverses, in any place among any number of signatures")
    func known() throws {
        let genuine = try key.signES256(Array("message".utf8))
        let r = Array(genuine[..<32])
        for count in 2...5 {
            for place in 0..<count {
                for s in [Self.one, Self.beforeOrder] {
                    var all = Array(repeating: genuine, count: count)
                    all[place] = r + s
                    let inverses = try #require(prepared.inverses(of: all))
                    #expect(inverses.entries.count == count)
                    let found = s.withUnsafeBufferPointer { inverses.inverse(of: $0) }
                    #expect(found == s)
                    let absent = Self.zero.withUnsafeBufferPointer { inverses.inverse(of: $0) }
                    #expect(absent == nil)
                }
            }
        }
    }

    @Test("With the inverses a signature holds over its own message and over no other")
    func verification() throws {
        let messages = (0..<60).map { Array("\($0)".utf8) }
        let signatures = try messages.map { try key.signES256($0) }
        for start in stride(from: 0, to: 60, by: 3) {
            let group = Array(signatures[start..<(start + 3)])
            let inverses = try #require(prepared.inverses(of: group))
            for offset in 0..<3 {
                let raw = group[offset]
                let digest = SHA256.hash(messages[start + offset])
                let other = SHA256.hash(messages[(start + offset + 1) % 60])
                let signature = try #require(ES256Signature(raw: raw))
                #expect(prepared.isValid(signature, over: digest, inverses: inverses))
                #expect(!prepared.isValid(signature, over: other, inverses: inverses))
                var changed = raw
                changed[(start + offset) % 64] ^= 1
                let forged = try #require(ES256Signature(raw: changed))
                #expect(!prepared.isValid(forged, over: digest, inverses: inverses))
            }
        }
    }

    @Test("What is found is what is used; where it were wrong, EVP_PKEY_verify has the last word")
    func used() throws {
        let message = Array("message".utf8)
        let raw = try key.signES256(message)
        let signature = try #require(ES256Signature(raw: raw))
        let wrong = SignatureInverses(entries: [.init(s: Array(raw[32...]), inverse: Self.one)])
        let digest = SHA256.hash(message)
        #expect(!prepared.isValid(signature, over: digest, inverses: wrong))
        let whole = try #require(VerificationKey(publicKeyInfo: key.publicKeyInfo))
        while !whole.isPrepared { _ = whole.isValid(raw, over: digest) }
        #expect(whole.isValid(raw, over: digest, inverses: wrong))
    }

    @Test("A key that is not prepared looks for no signatures")
    func unprepared() throws {
        let whole = try #require(VerificationKey(publicKeyInfo: key.publicKeyInfo))
        let raw = try key.signES256(Array("message".utf8))
        var askedCount = 0
        let ask = {
            askedCount += 1
            return [raw, raw]
        }
        #expect(whole.inverses(of: ask) == nil)
        #expect(askedCount == 0)
        while !whole.isPrepared { _ = whole.isValid(raw, over: SHA256.hash([])) }
        #expect(whole.inverses(of: ask)?.entries.count == 2)
        #expect(askedCount == 1)
    }

    // MARK: Where the signatures stand

    private static func found(_ payload: [UInt8]) -> [[UInt8]] {
        payload.withUnsafeBufferPointer { SignatureSearch.signatures(in: $0) }
    }

    private static func found(_ text: String) -> [[UInt8]] { found(Array(text.utf8)) }

    private static let text = String(repeating: "A", count: 86)

    @Test("Only 64 bytes between a dot and a quote are a signature")
    func form() {
        let zeros = [UInt8](repeating: 0, count: 64)
        #expect(Self.found("") == [])
        #expect(Self.found(".\(Self.text)\"") == [zeros])
        #expect(Self.found("x..\(Self.text)\"") == [zeros])
        #expect(Self.found(".\(Self.text)") == [])
        #expect(Self.found(".\(Self.text)'") == [])
        #expect(Self.found(".\(Self.text)A\"") == [])
        #expect(Self.found(".\(Self.text.dropLast())\"") == [])
        // A character of no alphabet, and bits that no 64 bytes have.
        #expect(Self.found(".\(Self.text.dropLast())!\"") == [])
        #expect(Self.found(".\(Self.text.dropLast())B\"") == [])
        #expect(Self.found("\(Self.text)\"") == [])
    }

    @Test("As many signatures and dots as are allowed, and not one more")
    func bounds() {
        let one = ".\(Self.text)\","
        let most = String(repeating: one, count: SignatureSearch.maximumCount)
        #expect(Self.found(most).count == SignatureSearch.maximumCount)
        #expect(Self.found(most + one).count == SignatureSearch.maximumCount)
        let dots = String(repeating: ". ", count: SignatureSearch.maximumDotCount - 1)
        #expect(Self.found(dots + one).count == 1)
        #expect(Self.found(". " + dots + one).isEmpty)
    }

    // MARK: Form before signature

    @Test(
        "A payload that is no base64url is malformed, whatever the signature, known header or not")
    func formFirst() throws {
        let authority = try Authority()
        let verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let genuine = try authority.sign(Trial.transaction())
        let other = try authority.sign(Trial.transaction(id: "2000000000000002"))
        var spoiled = genuine
        let dot = try #require(genuine.firstIndex(of: UInt8(ascii: ".")))
        spoiled[dot + 1] = UInt8(ascii: "!")
        let wronglySigned = Array(spoiled.dropLast(86)) + Array(other.suffix(86))
        func tryBoth() {
            for jws in [spoiled, wronglySigned] {
                let code = Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
                #expect(code == .malformedJWS)
            }
        }
        tryBoth()
        _ = try verifier.verifyAny(genuine, receivedAt: Trial.now)
        tryBoth()
    }

    // MARK: Notifications

    @Test("Under a prepared key notifications are believed and refused as before it was prepared")
    func notifications() throws {
        let authority = try Authority()
        let verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let transaction = try authority.sign(Trial.transaction())
        let renewal = try authority.sign(Trial.renewal())
        let genuine = try authority.sign(
            Trial.notification(transaction: transaction, renewal: renewal))
        let trials: [([UInt8], VerificationCode?, EvidencePart?)] = [
            (genuine, nil, nil),
            (try Trial.forged(genuine), .signatureMismatch, .outer),
            (
                try authority.sign(
                    Trial.notification(
                        transaction: try Trial.forged(transaction), renewal: renewal)),
                .nestedPartInvalid, .transaction
            ),
            (
                try authority.sign(
                    Trial.notification(transaction: transaction, renewal: try Trial.forged(renewal))
                ), .nestedPartInvalid, .renewal
            ),
        ]
        func tryAll() {
            for (jws, code, part) in trials {
                let error = Trial.error { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
                #expect(error?.code == code)
                #expect(error?.part == part)
            }
        }
        tryAll()
        let known = try verifier.jws.verify(genuine)
        let leaf = try #require(known.chain?.leafKey)
        #expect(!leaf.isPrepared && known.inverses == nil)
        while !leaf.isPrepared { _ = try verifier.verifyAny(genuine, receivedAt: Trial.now) }
        tryAll()
        let outer = try verifier.jws.verify(genuine)
        #expect(outer.inverses?.entries.count == 3)
        for jws in [genuine, transaction, renewal] {
            let s = try CompactJWS(parsing: jws).signature.suffix(32)
            #expect(outer.inverses?.entries.contains { $0.s == Array(s) } == true)
        }
        #expect(try verifier.jws.verify(transaction).inverses == nil)
    }

    @Test("Nested parts are verified with the inverses of the notification around them")
    func handedOn() throws {
        let authority = try Authority()
        let verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let transaction = try authority.sign(Trial.transaction())
        let genuine = try authority.sign(
            Trial.notification(
                transaction: transaction, renewal: try authority.sign(Trial.renewal())))
        let leaf = try #require(try verifier.jws.verify(genuine).chain?.leafKey)
        while !leaf.isPrepared { _ = try verifier.verifyAny(genuine, receivedAt: Trial.now) }
        let outer = try verifier.jws.verify(genuine)
        let part = try verifier.nested(
            TransactionPayload.self, Trial.text(transaction), in: outer, part: .transaction)
        #expect(part?.jws.inverses?.entries.map(\.s) == outer.inverses?.entries.map(\.s))
        #expect(part?.jws.inverses?.entries.count == 3)
    }

    @Test("What only looks like a signature changes nothing, under one leaf key or several")
    func decoys() throws {
        let (authority, other) = (try Authority(), try Authority())
        let verifier = EvidenceVerifier(
            roots: try TrustedRoots.apple.adding(authority.rootDER).adding(other.rootDER))
        let transaction = try authority.sign(Trial.transaction())
        let theirs = try other.sign(Trial.transaction())
        let renewal = try authority.sign(Trial.renewal())
        let decoys = [
            Self.text,  // r and s are 0
            String(repeating: "_", count: 85) + "w",  // both beyond the order
            Trial.text(Array(transaction.suffix(86))),
            Trial.text(Array(theirs.suffix(86))),
        ]
        var genuine: [[UInt8]] = []
        for part in [transaction, theirs] {
            for decoy in decoys {
                let payload = Trial.notification(transaction: part, renewal: renewal)
                let member = "{\"decoy\":\"a.\(decoy)\","
                genuine.append(try authority.sign(Array(member.utf8) + payload.dropFirst()))
            }
        }
        func tryAll() throws {
            for jws in genuine {
                let code = Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
                #expect(code == nil)
                let forged = try Trial.forged(jws)
                let refusal = Trial.code {
                    _ = try verifier.verifyAny(forged, receivedAt: Trial.now)
                }
                #expect(refusal == .signatureMismatch)
            }
        }
        try tryAll()
        let keys = try [transaction, theirs].map { try verifier.jws.verify($0).chain?.leafKey }
        while !keys.allSatisfy({ $0?.isPrepared == true }) {
            for jws in [transaction, theirs] { _ = try verifier.jws.verify(jws) }
        }
        try tryAll()
        // Where a decoy has no inverse nobody has one; else the first two found have.
        let counts = try genuine.map { try verifier.jws.verify($0).inverses?.entries.count }
        #expect(counts == [nil, nil, 3, 3, nil, nil, 3, 3])
    }
}
