import AppStore
import Foundation
import Simulator

@testable import Signing

/// Untrusted app receipts: the outer structure, its certificates, the attributes, iOS 6 receipts.
/// Every accepted receipt has a payload that was signed.
struct ReceiptTarget: FuzzTarget {
    let name = "receipts"
    let maximumByteCount = 16 * 1_024
    private let receipts: [[UInt8]]
    private let payloads: Set<[UInt8]>
    private let verifier: ReceiptVerifier
    private let xcode: ReceiptVerifier

    private static let rootName = "root.der"
    private static let moment = Timestamp(milliseconds: 1_700_000_000_000)

    /// Receipts are created once per directory, and their keys discarded: an input found under one
    /// root is meaningless under another.
    init(directory: String) throws {
        let folder = directory + "/receipts"
        if !FileManager.default.fileExists(atPath: folder) {
            try ReceiptTarget.make(in: folder)
        }
        func read(_ name: String) throws -> [UInt8] {
            [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
        }
        let roots = try TrustedRoots.apple.adding(try read(ReceiptTarget.rootName))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        receipts = try names.filter { $0 != ReceiptTarget.rootName }.map { try read($0) }
        payloads = Set(try receipts.map { try ReceiptEnvelope(parsing: $0).content })
        verifier = ReceiptVerifier(roots: roots)
        xcode = ReceiptVerifier(roots: roots, allowedLocalEnvironments: [.xcode])
    }

    private static func make(in folder: String) throws {
        let unfinished = "\(folder).partial-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: unfinished, withIntermediateDirectories: true)
        let authority = try ReceiptAuthority()
        try Data(authority.rootDER).write(to: URL(filePath: "\(unfinished)/\(rootName)"))
        for (number, receipt) in try forms(authority).enumerated() {
            try Data(receipt).write(to: URL(filePath: "\(unfinished)/\(number).der"))
        }
        try FileManager.default.moveItem(atPath: unfinished, toPath: folder)
    }

    /// Every encoding, with and without purchases, and Xcode's.
    private static func forms(_ authority: ReceiptAuthority) throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        for bits in 0..<16 {
            var writing = ReceiptEncoding()
            writing.digest = bits & 1 != 0 ? "SHA1" : "SHA256"
            writing.hasSignedAttributes = bits & 2 != 0
            writing.isIndefinite = bits & 4 != 0
            writing.usesKeyIdentifier = bits & 8 != 0
            all.append(try authority.sign(contents(purchases: bits % 3), writing: writing))
        }
        let local = contents(type: .xcode, purchases: 1).payload
        return all + [try ReceiptAuthority.signAsXcode(payload: local)]
    }

    private static func contents(
        type: ReceiptType = .production, purchases: Int
    ) -> ReceiptContents {
        ReceiptContents(
            type: type, creationDate: moment,
            purchases: (0..<purchases).map { number in
                ReceiptContents.subscription(
                    productId: "pro", transactionId: "\(number)", purchaseDate: moment,
                    expiresDate: moment, cancellationDate: number == 1 ? moment : nil)
            })
    }

    func seeds(_ source: SeedSource) throws -> [[UInt8]] {
        let purchase = Base64.standard.encode(Array("{ \"transaction-id\" = \"1\"; }".utf8))
        let text = Array("{ \"purchase-info\" = \"".utf8) + purchase + Array("\"; }".utf8)
        return receipts + payloads.sorted { $0.count < $1.count }.prefix(3)
            + [Base64.standard.encode(receipts[0]), text, Base64.standard.encode(text)]
    }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let input = Array(bytes)
        let strict = verified(verifier, input)
        if let strict {
            require(payloads.contains(strict.payloadBytes), "only a signed payload is accepted")
            require(strict.trust != .local, "a local signature is not accepted")
        }
        let lenient = verified(xcode, input)
        if let lenient, lenient.trust == .local {
            require(lenient.receipt.environment == .xcode, "a local receipt is Xcode's")
        } else {
            require(lenient?.receipt == strict?.receipt, "allowing Xcode changes no other receipt")
        }
        if let lenient {
            let plain = try? ReceiptVerifier.readUnverified(input)
            require(plain == lenient.receipt, "an unverified read equals the verified receipt")
            let text = verified(xcode, Base64.standard.encode(lenient.bytes))
            require(text?.receipt == lenient.receipt, "a receipt in base64 is the same receipt")
        }
        if let receipt = try? AppReceipt.decode(input) { check(receipt) }
        if let name = SignerName(input), let certificate = Certificate(der: input) {
            _ = name.matches(certificate)
        }
        _ = SignedAttributes.name([1], in: input)
        _ = ReceiptForm.transactionReceipt(input)
    }

    private func verified(_ verifier: ReceiptVerifier, _ input: [UInt8]) -> VerifiedReceipt? {
        try? verifier.verify(input, receivedAt: ReceiptTarget.moment)
    }

    private func check(_ receipt: AppReceipt) {
        require(
            receipt.inAppPurchases.count <= AppReceiptLimits.inAppPurchaseCount,
            "purchases are bounded")
        require(
            receipt.otherAttributes.count <= AppReceiptLimits.attributeCount,
            "attributes are bounded")
        let ids = receipt.originalTransactionIds
        require(Set(ids).count == ids.count, "each chain occurs once")
        require(ids.count <= receipt.inAppPurchases.count, "chains come from purchases")
    }
}
