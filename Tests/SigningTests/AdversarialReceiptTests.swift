import AppStore
import TestSupport
import Testing

@testable import Signing

@Suite("Receipts under fake authorities", Fixtures.condition)
struct AdversarialReceiptTests {
    private static func bytes(_ name: String) throws -> [UInt8] {
        try Fixtures.bytes("adversarial/\(name).der")
    }

    /// The receipt under Apple's roots and the fake one.
    private static func verify(
        _ name: String, root: String = "receipt-root"
    ) throws -> VerifiedReceipt {
        let roots = try TrustedRoots.apple.adding(try bytes(root))
        return try ReceiptVerifier(roots: roots).verify(try bytes(name), receivedAt: Trial.now)
    }

    private static let identity = AppIdentity(
        bundleId: BundleId("com.example.app"), appAppleId: 123_456_789, environment: .sandbox)

    @Test("The plain receipt matches the manifest, for its device only")
    func plain() throws {
        let manifest = try JSONValue.parse(try Fixtures.bytes("adversarial/manifest.json"))
        let expected = try #require(manifest["receipt"])
        let verified = try Self.verify("receipt")
        let receipt = verified.receipt
        #expect(receipt.receiptType?.rawValue == expected["receiptType"]?.string)
        #expect(receipt.bundleId?.rawValue == expected["bundleId"]?.string)
        #expect(receipt.applicationVersion == expected["appVersion"]?.string)
        #expect(receipt.originalApplicationVersion == expected["originalAppVersion"]?.string)
        #expect(receipt.creationDate == (try ReceiptFixtures.date(expected["creationDate"])))
        #expect(receipt.opaqueValue == [1, 2, 3, 4, 5, 6, 7, 8])
        let products = expected["inAppProductIds"]?.array?.compactMap(\.string)
        #expect(receipt.inAppPurchases.compactMap { $0.productId?.rawValue } == products)
        #expect(
            receipt.inAppPurchases.last?.expiresDate
                == (try ReceiptFixtures.date(expected["vipExpiresDate"])))
        #expect(receipt.otherAttributes.map(\.value) == [[1, 2, 3]])
        #expect(verified.trust.rootFingerprint == verified.rootFingerprint)
        #expect(verified.trust != .apple)
        try Self.identity.require(verified)

        let device = try #require(
            Hexadecimal.bytes(try Fixtures.bytes("adversarial/device-guid.hex")))
        #expect(device.count == 16)
        try verified.requireDevice(device)
        for wrong in [
            [], Array(device.dropLast()), device + [0], [device[0] ^ 1] + device.dropFirst(),
        ] {
            #expect(Trial.code { try verified.requireDevice(wrong) } == .wrongDevice)
        }
    }

    @Test(
        "Each fake gives the recorded outcome",
        arguments: [
            ("receipt", "receipt-root", nil),
            ("receipt-type-production", "receipt-root", nil),
            ("receipt-type-vpp", "receipt-root", nil),
            ("receipt-type-vpp-sandbox", "receipt-root", nil),
            ("receipt-no-type", "receipt-root", nil),
            ("receipt-double-wrapped", "receipt-root", nil),
            ("receipt-foreign", "receipt-root", .untrustedRoot),
            ("receipt-no-signer-oid", "receipt-no-signer-oid-root", .missingAppleMarker),
            ("receipt-expired-historical", "receipt-expired-root", nil),
            ("receipt-expired-fresh", "receipt-expired-root", .certificateNotValidAtSigning),
            ("receipt-no-signer-oid-root", "receipt-root", .malformedReceipt),
        ] as [(String, String, VerificationCode?)])
    func outcome(_ name: String, _ root: String, _ expected: VerificationCode?) throws {
        #expect(Trial.code { _ = try Self.verify(name, root: root) } == expected)
        // Without the fake root everything is rejected.
        let bytes = try Self.bytes(name)
        let code = Trial.code { _ = try ReceiptVerifier().verify(bytes, receivedAt: Trial.now) }
        #expect(code == (expected == .malformedReceipt ? .malformedReceipt : .untrustedRoot))
    }

    @Test(
        "A receipt's type decides its environment",
        arguments: [
            ("receipt", .sandbox), ("receipt-type-production", .production),
            ("receipt-type-vpp", .production), ("receipt-type-vpp-sandbox", .sandbox),
            ("receipt-no-type", nil),
        ] as [(String, Environment?)])
    func environment(_ name: String, _ environment: Environment?) throws {
        let verified = try Self.verify(name)
        #expect(verified.receipt.environment == environment)
        for each in Environment.allCases {
            let identity = AppIdentity(
                bundleId: BundleId("com.example.app"), environment: each)
            #expect(
                Trial.code { try identity.require(verified) }
                    == (each == environment ? nil : .wrongEnvironment))
        }
        let other = AppIdentity(
            bundleId: BundleId("com.example.other"), environment: environment ?? .production)
        #expect(Trial.code { try other.require(verified) } == .wrongApp)
    }

    @Test("A doubly wrapped payload is the same receipt")
    func doubleWrapped() throws {
        #expect(try Self.verify("receipt-double-wrapped").receipt == Self.verify("receipt").receipt)
    }
}
