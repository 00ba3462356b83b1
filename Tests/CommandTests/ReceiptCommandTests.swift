import AppStore
import Foundation
import LedgerTestSupport
import Simulator
import TestSupport
import Testing

@Suite("subledger receipt")
struct ReceiptCommandTests {
    private static let device = [UInt8](16..<32)
    private static let deviceText = "10111213-1415-1617-1819-1a1b1c1d1e1f"
    private static let created = Timestamp(milliseconds: 1_722_945_600_000)

    /// A place that tests only read.
    private static func usual() throws -> Workplace { try shared.get() }

    private static let shared = Result { try place(in: .shared()) }

    /// A place with a receipt of two chains in `receipt.der`, and its root.
    private static func place(
        bundleId: String = "com.example.app", ids: [String] = ["42", "41", "42"],
        creationDate: Timestamp = created, in directory: TemporaryDirectory? = nil
    ) throws -> Workplace {
        let place = try Workplace(in: directory)
        let authority = TestAuthority.receipts
        let contents = ReceiptContents(
            type: .productionSandbox, bundleId: bundleId, creationDate: creationDate,
            deviceIdentifier: device,
            purchases: ids.enumerated().map { index, id in
                ReceiptContents.subscription(
                    productId: "pro", transactionId: "9\(index)", originalTransactionId: id,
                    purchaseDate: creationDate,
                    expiresDate: creationDate.advanced(byMilliseconds: 3_600_000))
            })
        try place.write(Data(try authority.sign(contents)), to: "receipt.der")
        try place.write(Data(authority.rootDER), to: "receipts.der")
        return place
    }

    private static func run(
        _ place: Workplace, _ arguments: String..., trusts: Bool = true, input: String = ""
    ) async throws -> Outcome {
        let trust = trusts ? ["--trust-root", "receipts.der"] : []
        return try await place.run(["receipt"] + arguments + trust, input: input)
    }

    @Test("Every member of the object is present, and what to fetch next")
    func object() async throws {
        let place = try Self.usual()
        let outcome = try await Self.run(place, "receipt.der", "--json")
        #expect(outcome.code == 0)
        #expect(outcome.err.isEmpty)
        let object = try outcome.json()
        #expect(
            object.object?.map(\.key) == [
                "form", "verified", "accepted", "code", "message", "signedBy", "rootFingerprint",
                "effectiveDate", "isOfDevice", "environment", "bundleId", "receipt",
                "transactionReceipt", "originalTransactionIds", "untypedProducts", "next",
            ])
        #expect(object["verified"]?.bool == true)
        #expect(object["accepted"]?.bool == true)
        #expect(object["code"]?.isNull == true)
        #expect(object["signedBy"]?.string == "extraRoot")
        #expect(object["environment"]?.string == "Sandbox")
        #expect(object["effectiveDate"]?.string == Self.created.rfc3339)
        #expect(object["originalTransactionIds"]?.array?.compactMap(\.string) == ["42", "41"])
        #expect(object["isOfDevice"]?.isNull == true)
        let purchase = try #require(object["receipt"]?["inAppPurchases"]?.array?.first)
        #expect(purchase["transactionId"]?.string == "90")
        #expect(purchase["type"]?.string == "Auto-Renewable Subscription")
        #expect(purchase["webOrderLineItemId"]?.string == "1000000030274153")
        #expect(purchase["cancellationDate"]?.isNull == true)
        #expect(purchase["isTrialPeriod"]?.bool == false)
        #expect(
            object["next"]?.array?.compactMap { $0["command"]?.string } == [
                "subledger receipt receipt.der --ids | subledger backfill -"
                    + " --environment sandbox --bundle-id com.example.app",
                "subledger api statuses 42 --environment sandbox --bundle-id com.example.app",
            ])
        // Inspecting a receipt stores nothing.
        #expect(!FileManager.default.fileExists(atPath: place.file("subledger-data")))
    }

    @Test("The ids alone, one per line, are accepted by backfill")
    func ids() async throws {
        let place = try Self.usual()
        let outcome = try await Self.run(place, "receipt.der", "--ids")
        #expect(outcome.code == 0)
        #expect(outcome.out == "42\n41\n")
        let foreign = try await Self.run(place, "receipt.der", "--ids", trusts: false)
        #expect(foreign.code == 1)
        #expect(foreign.out == "42\n41\n")
        #expect(foreign.err.hasPrefix("warning: untrustedRoot: "))
    }

    @Test("Text is for people, from standard input as well, binary in base64")
    func text() async throws {
        let place = try Self.usual()
        let bytes = try Data(contentsOf: URL(filePath: place.file("receipt.der")))
        let outcome = try await Self.run(
            place, "-", input: bytes.base64EncodedString(options: .lineLength76Characters))
        #expect(outcome.code == 0)
        #expect(outcome.out.contains("app receipt of com.example.app 1.2.3, first 1.0\n"))
        #expect(outcome.out.contains("verified        yes, under the extra root "))
        #expect(outcome.out.contains("purchases       3\n"))
        #expect(outcome.out.contains("subledger receipt FILE --ids | subledger backfill -"))
    }

    @Test(
        "A receipt that does not verify, or does not match, is exit code 1 with its code",
        arguments: [
            (["--bundle-id", "com.example.other"], "wrongApp"),
            (["--environment", "production"], "wrongEnvironment"),
            (["--environment", "sandbox", "--bundle-id", "com.example.app"], nil),
            (["--device-id", ReceiptCommandTests.deviceText], nil),
            (["--device-id", "101112131415161718191A1B1C1D1E1F"], nil),
            (["--device-id", "00:11:22:33:44:55"], "wrongDevice"),
        ] as [([String], String?)])
    func refused(_ arguments: [String], _ code: String?) async throws {
        let place = try Self.usual()
        let receipt = ["receipt", place.file("receipt.der"), "--json"]
        let outcome = try await Outcome.answered(
            receipt + ["--trust-root", place.file("receipts.der")] + arguments,
            over: place.file("data"))
        #expect(outcome.code == (code == nil ? 0 : 1))
        let object = try outcome.json()
        #expect(object["code"]?.string == code)
        #expect(object["accepted"]?.bool == (code == nil))
        #expect(object["verified"]?.bool == true)
        #expect(object["originalTransactionIds"]?.array?.count == 2)
        let isDeviceAsked = arguments.first == "--device-id"
        #expect(object["isOfDevice"]?.bool == (isDeviceAsked ? code == nil : nil))
    }

    @Test("A foreign receipt and an expired certificate chain are reported, with their contents")
    func unbelieved() async throws {
        let place = try Self.usual()
        let foreign = try await Self.run(place, "receipt.der", "--json", trusts: false)
        #expect(foreign.code == 1)
        let object = try foreign.json()
        #expect(object["code"]?.string == "untrustedRoot")
        #expect(object["verified"]?.bool == false)
        #expect(object["signedBy"]?.isNull == true)
        #expect(object["bundleId"]?.string == "com.example.app")
        // Its contents are arbitrary: nothing should be fetched.
        #expect(object["originalTransactionIds"]?.array?.count == 2)
        #expect(object["next"]?.array?.isEmpty == true)
        let text = try await Self.run(place, "receipt.der", trusts: false)
        #expect(!text.out.contains("next") && !text.out.contains("backfill"))
        let old = try Self.place(creationDate: Timestamp(milliseconds: 1_000_000_000_000))
        let outcome = try await Self.run(old, "receipt.der", "--json")
        #expect(outcome.code == 1)
        #expect(try outcome.json()["code"]?.string == "certificateNotValidAtSigning")
    }

    /// Not arguments: each would be encoded and printed.
    @Test("An invalid receipt has its code")
    func nothing() async throws {
        let place = try Self.usual()
        for (input, code) in [
            ("", "malformedReceipt"), ("MIIB", "malformedReceipt"),
            (String(repeating: "A", count: 4 << 20), "malformedReceipt"),
            (String(repeating: "A", count: (4 << 20) + 1), "payloadTooLarge"),
        ] {
            let outcome = try await Self.run(place, "--json", input: input)
            #expect(outcome.code == 1)
            let object = try outcome.json()
            #expect(object["code"]?.string == code, "\(input.prefix(8))")
            #expect(object["form"]?.isNull == true)
            #expect(object["next"]?.array?.isEmpty == true)
            let text = try await Self.run(place, input: input)
            #expect(text.out.hasPrefix("not a receipt\nverified        no: \(code): "))
        }
    }

    @Test("A transaction receipt of iOS 6 gives its id and does not verify")
    func transactionReceipt() async throws {
        let place = try Self.usual()
        let purchase = Data("{ \"transaction-id\" = \"77\"; }".utf8).base64EncodedString()
        let text = Data("{ \"purchase-info\" = \"\(purchase)\"; }".utf8).base64EncodedString()
        let outcome = try await Self.run(place, "--json", input: text)
        #expect(outcome.code == 1)
        let object = try outcome.json()
        #expect(object["form"]?.string == "transactionReceipt")
        #expect(object["code"]?.string == "unsupportedAlgorithm")
        #expect(object["transactionReceipt"]?["transactionId"]?.string == "77")
        #expect(object["originalTransactionIds"]?.array?.compactMap(\.string) == ["77"])
        #expect(object["next"]?.array?.isEmpty == true)
    }

    @Test("Names from outside cannot inject into shell or terminal")
    func hostileNames() async throws {
        let place = try Self.place(
            bundleId: "com.example;reboot\u{1B}[2J", ids: ["$(reboot)", "-1", "1\n2", "7"])
        let outcome = try await Self.run(place, "receipt.der")
        #expect(outcome.code == 0)
        #expect(!outcome.out.contains("\u{1B}"))
        let object = try await Self.run(place, "receipt.der", "--json").json()
        #expect(object["originalTransactionIds"]?.array?.compactMap(\.string) == ["7"])
        for command in object["next"]?.array?.compactMap({ $0["command"]?.string }) ?? [] {
            #expect(!command.contains("reboot"))
        }
        try FileManager.default.copyItem(
            atPath: place.file("receipt.der"), toPath: place.file("it's a receipt.der"))
        let quoted = try await Self.run(place, "it's a receipt.der")
        #expect(quoted.out.contains("subledger receipt 'it'\\''s a receipt.der' --ids"))
    }

    @Test("Xcode's receipts are inspected with --environment xcode, and suggest no requests")
    func xcode() async throws {
        let place = try Self.place()
        let receipt = try ReceiptAuthority.signAsXcode(
            payload: ReceiptContents(
                type: .xcode, creationDate: Self.created,
                purchases: [
                    ReceiptContents.subscription(
                        productId: "pro", transactionId: "0", purchaseDate: Self.created,
                        expiresDate: nil)
                ]
            ).payload)
        try place.write(Data(receipt), to: "xcode.der")
        let strict = try await Self.run(place, "xcode.der", "--json")
        #expect(strict.code == 1)
        #expect(try strict.json()["code"]?.string == "invalidChainLength")
        let outcome = try await Self.run(place, "xcode.der", "--json", "--environment", "xcode")
        #expect(outcome.code == 0)
        let object = try outcome.json()
        #expect(object["signedBy"]?.string == "Xcode")
        #expect(object["rootFingerprint"]?.isNull == true)
        #expect(object["next"]?.array?.isEmpty == true)
    }

    @Test("Unreadable input and invalid options have their exit codes")
    func usage() async throws {
        let place = try Self.usual()
        let missing = try await Self.run(place, "missing.der")
        #expect(missing.code == 74)
        #expect(missing.err.hasPrefix("error: unreadableInput: missing.der"))
        for id in ["zz", "101112131415161718191A1B1C1D1E1F00"] {
            let outcome = try await Self.run(place, "receipt.der", "--device-id=\(id)")
            #expect(outcome.code == 64)
            #expect(outcome.err.hasPrefix("error: invalidOption: --device-id"))
        }
        let noRoot = try await place.run(
            ["receipt", "receipt.der", "--trust-root", "receipt.der"])
        #expect(noRoot.code == 78)
    }

    @Test("A purchase of unknown type: what to do, by receipt and by show")
    func untyped() async throws {
        let place = try Self.place()
        let contents = ReceiptContents(
            type: .production, bundleId: "com.example.app", creationDate: Self.created,
            purchases: [
                [
                    .text(1702, "lifetime"), .text(1703, "77"), .text(1705, "77"),
                    .date(1704, Self.created), .date(1706, Self.created),
                ]
            ])
        try place.write(Data(try TestAuthority.receipts.sign(contents)), to: "untyped.der")
        let text = try await Self.run(place, "untyped.der")
        #expect(text.out.contains("lifetime: its kind is unknown"))
        let line = try Data(contentsOf: URL(filePath: place.file("untyped.der")))
            .base64EncodedString()
        let trust = ["--trust-root", "receipts.der"]
        let taken = try await place.run(["ingest", "-"] + place.options + trust, input: line)
        #expect(taken.code == 0)
        let shown = try await place.run("show", "77")
        #expect(shown.code == 1)
        #expect(shown.err.contains("error: noSuchSubscription: The data under 77 has no state."))
        #expect(shown.err.contains("list it under products"))
        // Once configured, it has the type in the catalogue.
        try place.write(
            ["products:", "  lifetime: { entitlements: [pro] }"], to: "listed.yaml")
        let listed = ["--config", place.file("listed.yaml")]
        let again = try await place.run(
            ["receipt", "untyped.der"] + listed + trust + place.options)
        #expect(!again.out.contains("its kind is unknown"))
        let owned = try await place.run(["show", "77", "--json"] + listed + place.options)
        #expect(try owned.json()["state"]?.string == "owned")
    }
}
