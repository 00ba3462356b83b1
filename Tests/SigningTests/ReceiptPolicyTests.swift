import AppStore
import Testing

@testable import Signing
@testable import Simulator

@Suite("Requirements on receipt signers")
struct ReceiptPolicyTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expected: VerificationCode?
        let change: @Sendable (inout AuthorityShape) -> Void

        init(
            _ testDescription: String, _ expected: VerificationCode?,
            _ change: @escaping @Sendable (inout AuthorityShape) -> Void
        ) {
            self.testDescription = testDescription
            self.expected = expected
            self.change = change
        }
    }

    private static let faults: [Fault] = [
        Fault("no marker in the signer", .missingAppleMarker) { $0.hasLeafMarker = false },
        Fault("the signer is an authority", .invalidCertificate) { $0.isLeafCAForData = true },
        Fault("the intermediate is not an authority", .invalidCertificate) {
            $0.isIntermediateCA = false
        },
        Fault("the signer may not sign", .invalidCertificate) { $0.mayLeafSign = false },
        Fault("the signer is forged", .invalidCertificate) { $0.isLeafForged = true },
        Fault("the intermediate is forged", .invalidCertificate) {
            $0.isIntermediateForged = true
        },
        Fault("the signer is misnamed", .invalidCertificate) { $0.isLeafMisnamed = true },
        Fault("certificates over MD5", .invalidCertificate) { $0.digest = "MD5" },
        Fault("certificates over SHA-1", nil) { $0.digest = "SHA1" },
        // Required of Apple's own chain alone.
        Fault("no marker in the intermediate", nil) { $0.hasIntermediateMarker = false },
    ]

    @Test("An authority with one fault is rejected", arguments: faults)
    func shapes(_ fault: Fault) throws {
        var shape = AuthorityShape.receipts
        fault.change(&shape)
        let authority = try ReceiptTrial.authority.reshaped(shape)
        let receipt = try authority.sign(ReceiptTrial.contents())
        let verifier = try ReceiptTrial.verifier(authority)
        #expect(
            Trial.code { _ = try verifier.verify(receipt, receivedAt: Trial.now) }
                == fault.expected)
        #expect(verifier.cachedCount == (fault.expected == nil ? 1 : 0))
    }

    @Test("Apple's own chain also requires the intermediate's marker")
    func intermediateMarker() throws {
        for isMarked in [true, false] {
            var shape = AuthorityShape.receipts
            shape.hasIntermediateMarker = isMarked
            let authority = try ReceiptTrial.authority.reshaped(shape)
            let envelope = try ReceiptEnvelope(
                parsing: try authority.sign(ReceiptTrial.contents()))
            // In DER the members of a set are sorted by their bytes.
            let rootIndex = try #require(envelope.certificates.firstIndex(of: authority.rootDER))
            let code = Trial.code {
                _ = try ReceiptCertificateChainPolicy.verify(
                    envelope, rootIndex: rootIndex, rootFingerprint: SHA256.hash(authority.rootDER),
                    needsIntermediateMarker: true)
            }
            #expect(code == (isMarked ? nil : .missingAppleMarker))
        }
    }

    @Test("A signer's key has 2048 to 4096 bits", arguments: [1024, 2047, 2048, 4096, 4104])
    func bits(_ count: Int) throws {
        var shape = AuthorityShape.receipts
        shape.leafBitCount = count
        let authority = try ReceiptTrial.authority.reshaped(shape)
        let receipt = try authority.sign(ReceiptTrial.contents())
        let verifier = try ReceiptTrial.verifier(authority)
        let isEnough = (2048...4096).contains(count)
        #expect(
            Trial.code { _ = try verifier.verify(receipt, receivedAt: Trial.now) }
                == (isEnough ? nil : .invalidCertificate))
    }

    @Test(
        "So have the keys of the authorities above it",
        arguments: [(1024, 2048), (2048, 1024), (2048, 2048)])
    func bitsAbove(_ intermediate: Int, _ root: Int) throws {
        // given
        let usual = ReceiptTrial.authority
        func key(_ count: Int, _ own: RSAPrivateKey) throws -> RSAPrivateKey {
            count == own.bitCount ? own : try RSAPrivateKey(generatingBitCount: count)
        }
        let authority = try ReceiptAuthority(
            shape: .receipts, rootKey: key(root, usual.rootKey),
            intermediateKey: key(intermediate, usual.intermediateKey), signerKey: usual.signerKey)
        let verifier = try ReceiptTrial.verifier(authority)
        let receipt = try authority.sign(ReceiptTrial.contents())
        // when
        let code = Trial.code { _ = try verifier.verify(receipt, receivedAt: Trial.now) }
        // then
        let isEnough = min(intermediate, root) == 2048
        #expect(code == (isEnough ? nil : .invalidCertificate))
    }

    @Test("All encodings are one receipt")
    func writings() throws {
        let authority = ReceiptTrial.authority
        let verifier = try ReceiptTrial.verifier(authority)
        let contents = ReceiptTrial.contents()
        for bits in 0..<16 {
            var writing = ReceiptEncoding()
            writing.digest = bits & 1 != 0 ? "SHA1" : "SHA256"
            writing.hasSignedAttributes = bits & 2 != 0
            writing.isIndefinite = bits & 4 != 0
            writing.usesKeyIdentifier = bits & 8 != 0
            let bytes = try authority.sign(contents, writing: writing)
            let verified = try verifier.verify(bytes, receivedAt: Trial.now)
            #expect(verified.payloadBytes == contents.payload)
            #expect(verified.bytes == bytes)
            #expect(verified.rootFingerprint == SHA256.hash(authority.rootDER))
            #expect(verified.trust == .extraRoot(SHA256.hash(authority.rootDER)))
            #expect(verified.receipt.originalTransactionIds.map(\.rawValue) == ["2000000000000001"])
        }
        // Identified by issuer and serial number, and by the key.
        #expect(verifier.cachedCount == 2)
    }

    @Test("Other digests, and other numbers of signers, are rejected")
    func writingsRefused() throws {
        let authority = ReceiptTrial.authority
        var writing = ReceiptEncoding()
        writing.digest = "SHA512"
        #expect(
            try ReceiptTrial.code(authority.sign(ReceiptTrial.contents(), writing: writing))
                == .unsupportedAlgorithm)
        writing = ReceiptEncoding()
        writing.signerCount = 2
        #expect(
            try ReceiptTrial.code(authority.sign(ReceiptTrial.contents(), writing: writing))
                == .malformedReceipt)
    }

    @Test("The certificates may be in any order, with others, but all three are required")
    func certificates() throws {
        let authority = ReceiptTrial.authority
        let other = try ReceiptTrial.stranger()
        let (signer, intermediate, root) = (
            authority.signerDER, authority.intermediateDER, authority.rootDER
        )
        let (stranger, bystander) = (other.signerDER, other.intermediateDER)
        let cases: [([[UInt8]], VerificationCode?)] = [
            ([root, intermediate, signer], nil), ([intermediate, root, signer], nil),
            ([stranger, signer, bystander, intermediate, root], nil),
            ([signer, bystander, intermediate, root, other.rootDER], nil),
            ([], .invalidChainLength), ([signer], .invalidChainLength),
            ([signer, intermediate], .invalidChainLength),
            ([signer, intermediate, other.rootDER], .untrustedRoot),
            ([signer, intermediate, bystander], .untrustedRoot),
            ([stranger, intermediate, root], .invalidCertificate),
            ([signer, bystander, root], .invalidCertificate),
            ([signer, stranger, root], .invalidCertificate),
            ([root, intermediate, bystander], .invalidCertificate),
        ]
        for (certificates, expected) in cases {
            var writing = ReceiptEncoding()
            writing.certificates = certificates
            #expect(
                try ReceiptTrial.code(authority.sign(ReceiptTrial.contents(), writing: writing))
                    == expected)
        }
    }

    @Test("Every certificate was valid when the receipt was made, to the second at both ends")
    func dates() throws {
        var shape = AuthorityShape.receipts
        let (from, until) = (Timestamp(milliseconds: 1_500_000_000_000), Trial.now)
        shape.leafValidity = from...until
        let authority = try ReceiptTrial.authority.reshaped(shape)
        let verifier = try ReceiptTrial.verifier(authority)
        let cases: [(Timestamp, VerificationCode?)] = [
            (from.advanced(byMilliseconds: -1000), .certificateNotValidAtSigning), (from, nil),
            (until, nil), (until.advanced(byMilliseconds: 1000), .certificateNotValidAtSigning),
        ]
        for (date, expected) in cases {
            let receipt = try authority.sign(ReceiptTrial.contents(creationDate: date))
            // The time of receipt does not matter.
            for receivedAt: Int64 in [0, date.milliseconds, 4_000_000_000_000] {
                let moment = Timestamp(milliseconds: receivedAt)
                #expect(
                    Trial.code { _ = try verifier.verify(receipt, receivedAt: moment) } == expected)
            }
            // A receipt without a date is verified at the time of receipt.
            var contents = ReceiptTrial.contents()
            contents.attributes.removeAll { $0.type == 12 }
            let undated = try authority.sign(contents)
            #expect(Trial.code { _ = try verifier.verify(undated, receivedAt: date) } == expected)
        }
    }

    @Test("Xcode's receipts are accepted only if Xcode is allowed")
    func xcode() throws {
        let authority = ReceiptTrial.authority
        let contents = ReceiptTrial.contents(type: .xcode)
        let local = try ReceiptAuthority.signAsXcode(payload: contents.payload)
        let genuine = try authority.sign(contents)
        let strict = try ReceiptTrial.verifier(authority)
        let lenient = try ReceiptTrial.verifier(authority, allowing: [.xcode])
        #expect(
            Trial.code { _ = try strict.verify(local, receivedAt: Trial.now) }
                == .invalidChainLength)
        #expect(
            Trial.code { _ = try strict.verify(genuine, receivedAt: Trial.now) }
                == .wrongEnvironment)
        #expect(try lenient.verify(local, receivedAt: Trial.now).trust == .local)
        #expect(Trial.code { _ = try lenient.verify(genuine, receivedAt: Trial.now) } == nil)
        // A receipt signed by Xcode's certificate must state that it is Xcode's.
        for type in ReceiptType.allCases where type != .xcode {
            let forged = try ReceiptAuthority.signAsXcode(
                payload: ReceiptTrial.contents(type: type).payload)
            #expect(
                Trial.code { _ = try lenient.verify(forged, receivedAt: Trial.now) }
                    == .invalidChainLength)
        }
        var other = local
        other[other.count - 1] ^= 1
        #expect(
            Trial.code { _ = try lenient.verify(other, receivedAt: Trial.now) }
                == .signatureMismatch)
    }

    @Test("Unknown chains have a budget; foreign and known ones need none")
    func budget() throws {
        let authority = ReceiptTrial.authority
        let budget = CertificateChainBudget()
        let verifier = try ReceiptTrial.verifier(authority, budget: budget)
        let receipt = try authority.sign(ReceiptTrial.contents())
        _ = try verifier.verify(receipt, receivedAt: Trial.now)
        let future = ContinuousClock.now.advanced(by: .seconds(3600))
        while budget.take(now: future) {}
        #expect(Trial.code { _ = try verifier.verify(receipt, receivedAt: Trial.now) } == nil)
        var writing = ReceiptEncoding()
        writing.usesKeyIdentifier = true
        let unknown = try authority.sign(ReceiptTrial.contents(), writing: writing)
        let error = Trial.error { _ = try verifier.verify(unknown, receivedAt: Trial.now) }
        #expect(error?.code == .tooManyUnknownChains)
        #expect(error?.isRetryable == true)
        let foreign = try ReceiptTrial.stranger().sign(ReceiptTrial.contents())
        #expect(
            Trial.code { _ = try verifier.verify(foreign, receivedAt: Trial.now) }
                == .untrustedRoot)
    }

    @Test("Receipts have a budget of their own, and none where JWS have none")
    func ownBudget() throws {
        let authority = ReceiptTrial.authority
        let budget = CertificateChainBudget()
        let future = ContinuousClock.now.advanced(by: .seconds(3600))
        while budget.take(now: future) {}
        let shared = EvidenceVerifier(
            roots: try TrustedRoots.apple.adding(authority.rootDER), chainBudget: budget)
        let receipt = try authority.sign(ReceiptTrial.contents())
        func code(_ verifier: EvidenceVerifier) -> VerificationCode? {
            Trial.code { _ = try verifier.receipts.verify(receipt, receivedAt: Trial.now) }
        }
        #expect(code(shared) == .tooManyUnknownChains)
        let apart = shared.budgeted(by: budget)
        #expect(apart.jws.budget === budget)
        #expect(code(apart) == nil)
        #expect(shared.budgeted(by: nil).receipts.budget == nil)
    }

    @Test("A different app id is another app in Production")
    func appAppleId() throws {
        let authority = ReceiptTrial.authority
        let verifier = try ReceiptTrial.verifier(authority)
        func code(_ type: ReceiptType, _ id: Int64, _ environment: Environment) throws
            -> VerificationCode?
        {
            let receipt = try authority.sign(ReceiptTrial.contents(type: type))
            let verified = try verifier.verify(receipt, receivedAt: Trial.now)
            let identity = AppIdentity(
                bundleId: BundleId("com.example.app"), appAppleId: id, environment: environment)
            return Trial.code { try identity.require(verified) }
        }
        #expect(try code(.production, 1_234_567_890, .production) == nil)
        #expect(try code(.production, 1, .production) == .wrongApp)
        // Sandbox receipts have none.
        #expect(try code(.productionSandbox, 1, .sandbox) == nil)
    }
}
