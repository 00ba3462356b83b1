import AppStore
import Foundation
import Simulator
import TestSupport
import Testing

@Suite("subledger sign")
struct SignCommandTests {
    private static let product = "com.example.pro"

    /// A ledger with one lapsed subscription, and the options of a key.
    private static func place() async throws -> (Workplace, ServedKey, [String]) {
        let (place, key) = (try await Workplace.taken(), try ServedKey())
        try place.write(Data(key.pem), to: "key.p8")
        let options =
            place.options + [
                "--key-id", key.keyId, "--issuer-id", key.issuerId, "--key-file", "key.p8",
            ]
        return (place, key, options)
    }

    @Test("What cannot be signed is refused with a code, and without a key nothing is signed")
    func refusals() async throws {
        let (place, key, options) = try await SignCommandTests.place()
        for (name, text) in [("request.json", "{}"), ("broken.json", "{")] {
            try place.write([text], to: name)
        }
        let cases: [([String], Int32, String)] = [
            (["promotional-offer", "a b", "o"], 64, "invalidSignatureField"),
            (["promotional-offer", "p", "o", "--if-eligible"], 64, "invalidOption"),
            (
                ["promotional-offer", "p", "o", "--customer", "", "--if-eligible"], 64,
                "invalidOption"
            ),
            (["advanced-commerce", place.file("request.json")], 64, "invalidCommerceRequest"),
            (["advanced-commerce", place.file("broken.json")], 64, "invalidCommerceRequest"),
            (["advanced-commerce", place.file("none.json")], 74, "unreadableInput"),
            (
                ["introductory-offer", "p", "--transaction", "7", "--if-eligible"], 1,
                "noSuchSubscription"
            ),
            (
                ["promotional-offer", "p", "o", "--customer", "ann", "--if-eligible"], 1,
                "notEligible"
            ),
        ]
        let signer = [
            "--bundle-id", Evidence.app, "--key-id", key.keyId, "--issuer-id", key.issuerId,
            "--key-file", place.file("key.p8"),
        ]
        for (arguments, exit, code) in cases {
            let refused = try await Outcome.answered(
                ["sign"] + arguments + signer, over: place.file("data"))
            #expect(refused.code == exit && refused.errorCode == code, "\(arguments)")
            #expect(refused.out.isEmpty)
        }
        let bare = try await place.run(["sign", "introductory-offer", "p"] + options)
        #expect(bare.code == 64 && bare.errorCode == "usage" && bare.out.isEmpty)
        let lone = try await place.run(
            ["sign", "promotional-offer", "p", "o", "--customer", "ann"] + options)
        #expect(lone.code == 64 && lone.errorCode == "invalidOption" && lone.out.isEmpty)
        #expect(lone.err.contains("(--customer) needs ifEligible (--if-eligible)"))
        let denied = try await place.run(
            ["sign", "introductory-offer", "p", "--transaction", "1", "--deny", "--if-eligible"]
                + options)
        #expect(denied.code == 64 && denied.errorCode == "invalidOption" && denied.out.isEmpty)
        #expect(denied.err.contains("(--deny) exclude each other"))
        // To an empty ledger every customer is new.
        let empty = try await place.run(
            ["sign", "introductory-offer", "p", "--transaction", "1", "--customer", "ann"]
                + ["--if-eligible", "--environment", "sandbox"] + options)
        #expect(empty.code == 0 && empty.err.contains("warning: the ledger is empty"))
        let keyless = try await place.run("sign", "promotional-offer", "p", "o")
        #expect(keyless.code == 78 && keyless.errorCode == "missingKey")
    }

    @Test("A refusal has the decision and its events as JSON")
    func ineligible() async throws {
        let (place, _, options) = try await SignCommandTests.place()
        let refused = try await place.run(
            [
                "sign", "promotional-offer", SignCommandTests.product, "comeback", "--customer",
                "ann", "--if-eligible", "--json",
            ] + options)
        #expect(refused.code == 1 && refused.errorCode == "notEligible")
        let answer = try refused.json()
        #expect(
            answer.object?.map(\.key) == ["code", "message", "reason", "evidence"])
        #expect(answer["code"]?.string == "notEligible")
        #expect(answer["reason"]?.string == "neverSubscribed")
        #expect(answer["evidence"]?.array == [])
        let sentence = try #require(answer["message"]?.string)
        #expect(refused.err.contains(sentence))
    }

    @Test("What an error says of eligibility and keys can be given in that command")
    func names() async throws {
        let (place, _, options) = try await SignCommandTests.place()
        let first = try await place.run(
            ["sign", "promotional-offer-v1", "p", "o", "--if-eligible"] + options)
        #expect(first.errorCode == "invalidOption")
        #expect(first.err.contains("appAccountToken") && !first.err.contains("transaction"))
        let offer = ["sign", "promotional-offer", "p", "o"]
        let absent = try await place.run(offer + options + ["--key-file", "nokey"])
        #expect(absent.code == 78 && absent.errorCode == "unreadableFile")
        #expect(absent.err.contains("--key-file: ") && !absent.err.contains("apps["))
        for (option, value) in [("--key-id", "a b"), ("--issuer-id", "a b")] {
            let unusable = try await place.run(offer + options + [option, value])
            #expect(unusable.code == 78 && unusable.errorCode == "invalidValue", "\(option)")
            #expect(unusable.err.contains("--key-id: "))
        }
    }

    @Test("A key that the configuration names is called by its setting")
    func configured() async throws {
        let place = try Workplace()
        try place.write(
            [
                "apps:", "  - bundleId: \(Evidence.app)",
                "    api: { keyId: K, issuerId: I, privateKeyFile: nokey }",
            ], to: "own.yaml")
        let absent = try await place.run(
            ["sign", "promotional-offer", "p", "o", "--config", "own.yaml"])
        #expect(absent.code == 78 && absent.errorCode == "unreadableFile", "\(absent.err)")
        #expect(absent.err.contains("apps[0].api.privateKeyFile: "))
    }

    @Test("An eligible customer's signature comes with the events that decide it")
    func eligible() async throws {
        let (place, _, options) = try await SignCommandTests.place()
        let lapsed = try await place.run(
            [
                "sign", "promotional-offer", SignCommandTests.product, "comeback",
                "--transaction", Evidence.id, "--if-eligible", "--json",
            ] + options)
        #expect(lapsed.code == 0, "\(lapsed.err)")
        let eligibility = try lapsed.json()["eligibility"]
        #expect(eligibility?["reason"]?.string == "lapsed")
        #expect(eligibility?["evidence"]?.array?.isEmpty == false)
        #expect(eligibility?["position"]?.int64 == 4)
        let never = try await place.run(
            [
                "sign", "introductory-offer", SignCommandTests.product, "--transaction",
                Evidence.id, "--if-eligible",
            ] + options)
        #expect(never.code == 0 && never.out.hasPrefix("signature: "))
        #expect(never.out.contains("eligible: noIntroductoryOffer\n"))
    }

    /// The values of a signature, as in the bodies of `POST /v1/signatures/…`, and its arguments.
    private static let requests: [(values: String, arguments: [String])] = [
        (
            #"{"productId":"\#(product)","offerId":"comeback"}"#,
            ["promotional-offer", product, "comeback"]
        ),
        (
            #"{"productId":"\#(product)","offerId":"comeback","transactionId":"2000"}"#,
            ["promotional-offer", product, "comeback", "--transaction", "2000"]
        ),
        (
            #"{"productId":"\#(product)","offerId":"comeback"}"#,
            ["promotional-offer-v1", product, "comeback"]
        ),
        (
            #"{"productId":"\#(product)","offerId":"comeback","appAccountToken":"F3A86F0D-52BE"}"#,
            [
                "promotional-offer-v1", product, "comeback", "--app-account-token",
                "F3A86F0D-52BE",
            ]
        ),
        (
            #"{"productId":"\#(product)","allowIntroductoryOffer":true,"transactionId":"2000"}"#,
            ["introductory-offer", product, "--transaction", "2000"]
        ),
        (
            #"{"productId":"\#(product)","allowIntroductoryOffer":false,"transactionId":"2000"}"#,
            ["introductory-offer", product, "--transaction", "2000", "--deny"]
        ),
    ]

    /// The same of every kind of Advanced Commerce request, each written to a file.
    private static func commerce(
        _ place: Workplace
    ) throws -> [(values: String, arguments: [String])] {
        let file = Fixtures.repository.appending(path: "Tests/Signatures/commerce.json")
        let requests = try JSONValue.parse(Array(try Data(contentsOf: file))).array ?? []
        #expect(requests.count == 5)
        return try requests.enumerated().map { number, request in
            let text = String(decoding: request.encoded(), as: UTF8.self)
            let name = "request-\(number).json"
            try place.write([text], to: name)
            return (#"{"request":\#(text)}"#, ["advanced-commerce", name])
        }
    }

    @Test("Every signature equals that of Apple's own library, claim by claim")
    func appleLibrary() async throws {
        let (place, key, options) = try await SignCommandTests.place()
        let requests = SignCommandTests.requests + (try SignCommandTests.commerce(place))
        var entries: [String] = []
        for (values, arguments) in requests {
            let made = try await place.run(["sign"] + arguments + options + ["--json"])
            #expect(made.code == 0, "\(made.err)")
            let text = made.out.trimmingCharacters(in: .newlines)
            entries.append(#"{"values":\#(values),"made":\#(text)}"#)
        }
        try place.write(["[\(entries.joined(separator: ","))]"], to: "signatures.json")
        try place.write(Data(), to: "compare.out")
        try place.write(Data(), to: "compare.err")
        let repository = Fixtures.repository
        let code = try await Child(
            path: "/bin/bash",
            arguments: [
                repository.appending(path: "Tests/Signatures/run.sh").path,
                repository.appending(path: ".build/signatures").path, "key.p8", key.keyId,
                key.issuerId, Evidence.app, "signatures.json",
            ],
            directory: place.path,
            // No test fails for want of a network.
            variables: Workplace.inherited.filter { $0.key != "CI" }, input: "/dev/null",
            output: place.file("compare.out"), errors: place.file("compare.err")
        ).run()
        let said = try String(contentsOfFile: place.file("compare.out"), encoding: .utf8)
        let failed = try String(contentsOfFile: place.file("compare.err"), encoding: .utf8)
        #expect(code == 0, "\(said)\(failed)")
        if said.hasPrefix("SKIPPED") {
            print(said)
        } else {
            #expect(said.hasPrefix("ok  \(requests.count) "))
        }
    }
}
