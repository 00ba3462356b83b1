import AppStore
import Foundation
import LedgerStore
import LedgerTestSupport
import Projection
import Testing

@testable import Intake
@testable import Service

/// A secret outside `password` would be readable in the log: such a body is refused and not kept.
/// Bodies that cost more to parse than their password justifies; bodies without an app.
@Suite("Exposed secrets, and bodies before verification")
struct ExposedSecretTests {
    private let chain = MadeChain()

    private func place() throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        try ledger.share()
        return ledger
    }

    private var good: String {
        String(
            decoding: chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0)),
            as: UTF8.self)
    }

    private func with(_ members: String, of password: String = MadeChain.secret) -> [UInt8] {
        let body = good.replacing(MadeChain.secret, with: password)
        return Array("\(body.dropLast()),\(members)}".utf8)
    }

    private func codes(_ bodies: [UInt8]..., in ledger: TemporaryLedger) async throws -> [String] {
        try await ledger.ingest(bodies).errors.map(\.code)
    }

    private func expectNowhere(_ secret: String, _ ledger: TemporaryLedger) throws {
        let root = ledger.configuration.dataDirectory
        for name in try #require(FileManager.default.enumerator(atPath: root)) {
            // The secret's own file is beside the data.
            guard let name = name as? String,
                let file = FileManager.default.contents(atPath: "\(root)/\(name)")
            else { continue }
            #expect(file.range(of: Data(secret.utf8)) == nil, "\(name)")
            #expect(file.range(of: Data(ExposedSecretTests.spelled(secret).utf8)) == nil, "\(name)")
        }
    }

    /// Its first character escaped.
    private static func spelled(_ secret: String) -> String {
        let first = secret.utf8.first.map { String($0, radix: 16) } ?? ""
        return "\\u00\(first)" + secret.dropFirst()
    }

    static let places: [String] = {
        let escaped = spelled(MadeChain.secret)
        return [
            "\"Password\":\"\(MadeChain.secret)\"", "\"x\":{\"password\":\"\(MadeChain.secret)\"}",
            "\"x\":[[\"a \(MadeChain.secret) b\"]]", "\"\(MadeChain.secret)\":1",
            "\"x\":\"\(escaped)\"", "\"\(escaped)\":1",
        ]
    }()

    @Test("With the secret anywhere else a body is refused, and not kept")
    func exposed() async throws {
        let ledger = try place()
        let found = try await ledger.ingest(Self.places.map { with($0) }).errors.map(\.code)
        #expect(found == Self.places.map { _ in "secretExposed" })
        try expectNowhere(MadeChain.secret, ledger)
    }

    @Test("Nor is an unknown password kept from another place")
    func foreign() async throws {
        let ledger = try place()
        let foreign = "another-secret-of-somebody"
        let bodies = Self.places.map { members in
            let other = members.replacing(MadeChain.secret, with: foreign)
                .replacing(
                    ExposedSecretTests.spelled(MadeChain.secret),
                    with: ExposedSecretTests.spelled(foreign))
            return with(other, of: foreign)
        }
        let found = try await ledger.ingest(bodies).errors.map(\.code)
        #expect(found == bodies.map { _ in "wrongSharedSecret" })
        try expectNowhere(foreign, ledger)
    }

    @Test("A verifyReceipt response that repeats the secret is refused")
    func answer() async throws {
        let ledger = try place()
        let answer = String(
            decoding: chain.verifyReceipt(through: 0, at: chain.start(0)), as: UTF8.self)
        let summary = try await ledger.ingest(
            Self.places.map { Array("\(answer.dropLast()),\($0)}".utf8) })
        // Values of `password` are removed at any depth, and the response is accepted.
        let refused = Self.places.enumerated().filter { !$0.element.contains("\"password\"") }
        #expect(summary.errors.map(\.code) == refused.map { _ in "secretExposed" })
        #expect(
            zip(summary.errors, refused).allSatisfy { $0.input.hasSuffix(":\($1.offset + 1)") })
        try expectNowhere(MadeChain.secret, ledger)
    }

    @Test("Escapes that hide no secret change nothing")
    func escapes() async throws {
        let ledger = try place()
        #expect(try await codes(with("\"x\":\"a\\/b\\u0020\""), in: ledger) == [])
        // Refused, it is kept like any other.
        let foreign = with("\"x\":\"a\\/b\"", of: "another-secret-of-somebody")
        #expect(try await codes(foreign, in: ledger) == ["wrongSharedSecret"])
        let kept = try await ledger.ledger { try await Quarantine(ledger: $0).items() }
        #expect(kept.map(\.byteCount) != [0])
    }

    static let strays: [String] = {
        let secret = MadeChain.secret
        let body = Array("{\"password\":\"\(secret)\",\"x\":1}".utf8)
        return [
            "{\"hello\":\"\(secret)\"}", "password=\(secret)&a=b", "{password: \(secret)}", secret,
            "{\"status\":21003,\"zz\":\(secret)}", "{\"x\":\"\(spelled(secret))\"}",
            "{\"x\":\"\(secret.prefix(1))\\u0031\(secret.dropFirst(2))\"}",
            Data(body).base64EncodedString(), Data([32] + body).base64EncodedString(),
            Data([32, 32] + body).base64EncodedString(),
        ]
    }()

    @Test("Lines that are no whole body are kept without the secret, and the message says so")
    func stray() async throws {
        let ledger = try place()
        for line in Self.strays {
            #expect(try await ledger.ingest([Array(line.utf8)]).errors.count == 1, "\(line)")
        }
        for text in [MadeChain.secret] + Self.strays { try expectNowhere(text, ledger) }
        let kept = try await ledger.ledger { try await Quarantine(ledger: $0).items() }
        #expect(kept.allSatisfy { $0.message.contains("contains an app's shared secret") })
        // Escaped spellings cannot be replaced.
        #expect(kept.map { $0.byteCount == 0 } == Self.strays.map { $0.contains("\\u0031") })
    }

    @Test("A body with the secret after it is kept without either")
    func behind() async throws {
        let ledger = try place()
        _ = try await ledger.ingest([Array("\(good) \(MadeChain.secret)".utf8)])
        try expectNowhere(MadeChain.secret, ledger)
    }

    // MARK: Cost

    @Test(
        "Values before the password are skipped up to a limit; one more is too large",
        arguments: [0, 1])
    func values(excess: Int) async throws {
        let ledger = try place()
        let members = try JSONValue.parse(Array(good.utf8)).object ?? []
        let read = ["password", "bid", "environment", "notification_type"]
        // Skipped values of the body itself, and the list; the receipt itself is parsed.
        let others =
            members.filter { !read.contains($0.key) }
            .reduce(1) { $0 + $1.value.valueCount } - 1
        let filling = NotificationV1.unreadValueCount - others + excess
        let list = "\"x\":[\(Array(repeating: "0", count: filling).joined(separator: ","))]"
        #expect(
            try await codes(with(list), in: ledger) == (excess == 0 ? [] : ["payloadTooLarge"]))
        #expect(
            try await codes(with(list, of: "another-secret-of-somebody"), in: ledger)
                == [excess == 0 ? "wrongSharedSecret" : "payloadTooLarge"])
    }

    @Test("The same limit holds before the version is known", arguments: [0, 1])
    func posted(excess: Int) throws {
        let filling = NotificationV1.unreadValueCount - 1 + excess
        let list = Array(repeating: "0", count: filling).joined(separator: ",")
        let body = Array("{\"notification_type\":\"X\",\"x\":[\(list)]}".utf8)
        if excess == 0 {
            #expect(try NotificationBody(body) == .versionOne(NotificationV1Body(body)))
        } else {
            let error = #expect(throws: IntakeRefusal.self) { try NotificationBody(body) }
            #expect(error?.code == "payloadTooLarge")
        }
    }

    // MARK: Without an app

    private var nameless: String {
        good.replacing("\"bid\":\"\(MadeChain.app)\",", with: "")
    }

    @Test("A body that names no app belongs to the app whose secret it was sent with")
    func bySecret() async throws {
        let ledger = try place()
        #expect(!nameless.contains("\"bid\""))
        #expect(try await codes(Array(nameless.utf8), in: ledger) == [])
        let shown = try await ledger.show(chain.id, at: chain.start(0, 60_000))
        #expect(shown["bundleId"]?.string == MadeChain.app)
        let wrong = nameless.replacing(MadeChain.secret, with: "another-secret-of-somebody")
        #expect(try await codes(Array(wrong.utf8), in: ledger) == ["wrongSharedSecret"])
    }

    @Test("With several apps sharing the secret it is ambiguous; without any secret it waits")
    func undecided() async throws {
        var ledger = try place()
        var other = ledger.configuration.apps[0]
        other.bundleId = BundleId("com.example.other")
        ledger.configuration.apps.append(other)
        #expect(try await codes(Array(nameless.utf8), in: ledger) == ["undecodablePayload"])
        let bare = try TemporaryLedger()
        #expect(try await codes(Array(nameless.utf8), in: bare) == ["sharedSecretMissing"])
    }
}

extension JSONValue {
    /// Itself, and everything inside it.
    fileprivate var valueCount: Int {
        (object?.map(\.value) ?? array ?? []).reduce(1) { $0 + $1.valueCount }
    }
}
