import AppStore
import Foundation
import LedgerTestSupport
import Signing
import TestSupport
import Testing

@testable import Proofs

/// Bundles whose key's owner signs what is not so: of one or two events in a tree of their own.
@Suite("Bundles of other events, checked by another program")
struct AlteredBundleTests {
    /// An event without its position: the fields of its leaf from the second one on.
    private struct Event {
        var fields: [[UInt8]?]
        var evidence: String
        var position: Int64?

        func leaf(at position: Int64) -> [UInt8] {
            let fields: [[UInt8]?] = [Event.bytes(self.position ?? position)] + fields
            return fields.flatMap { field in
                Event.bytes(field.map { UInt32($0.count) } ?? .max) + (field ?? [])
            }
        }

        /// With the field of this number, as `Log.md` numbers them.
        func with(_ number: Int, _ field: [UInt8]?) -> Event {
            var event = self
            event.fields[number - 2] = field
            return event
        }

        static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }

        init(_ json: JSONValue) throws {
            evidence = try #require(json["evidence"]?.string)
            let text = try #require(json["leafData"]?.string)
            var rest = try #require(Base64.standard.decode(Array(text.utf8)))[...]
            fields = []
            while !rest.isEmpty {
                let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(4)
                fields.append(length == 0xFFFF_FFFF ? nil : Array(rest.prefix(length)))
                if length != 0xFFFF_FFFF { rest = rest.dropFirst(length) }
            }
            fields.removeFirst()
        }

        /// What no JWS signs.
        init(_ kind: String, trust: String, chain: String? = nil, _ evidence: String) {
            self.evidence = evidence
            let hash = SHA256.hash(Array(evidence.utf8)).bytes
            fields = [
                Event.bytes(Evidence.start), Array(kind.utf8), hash, hash, Array("import".utf8),
                Array(trust.utf8), [0], hash, Array(Evidence.app.utf8),
                chain.map { Array($0.utf8) }, nil, nil, nil, nil, nil, nil,
            ]
        }
    }

    private let place: Workplace
    private let key: NoteSignerKey
    private let purchase: Event

    init() async throws {
        place = try await ProofCommandTests.place().0
        key = try NoteSignerKey(String(contentsOfFile: place.file("audit.key"), encoding: .utf8))
        let made = try await place.run("audit", "prove", "--position", "1")
        purchase = try Event(try #require(try made.json()["events"]?.array?.first))
    }

    /// The file of one or two events, with one text replaced before it is sealed.
    private func bundle(_ events: [Event], replacing change: (String, String)?) throws -> String {
        let leaves = events.enumerated().map { $1.leaf(at: Int64($0) + 1) }
        let hashes = leaves.map { SHA256.hash([0] + $0) }
        let root = hashes.count == 1 ? hashes[0] : SHA256.hash(prefix: 1, hashes[0], hashes[1])
        let checkpoint = LogCheckpoint(
            origin: key.verifier.name, size: Int64(events.count), root: root)
        let bundle = ProofBundle(
            environment: .production, checkpoint: try checkpoint.signed(by: key),
            key: key.verifier,
            events: events.indices.map { index in
                ProofBundle.Event(
                    position: Int64(index) + 1, leafData: leaves[index],
                    inclusion: hashes.count == 1 ? [] : [hashes[1 - index]],
                    evidence: Array(events[index].evidence.utf8))
            }, answer: nil)
        var text = String(decoding: bundle.sealedBytes, as: UTF8.self)
        if let (old, new) = change {
            #expect(text.contains(old))
            text = text.replacing(old, with: new, maxReplacements: 1)
        }
        let seal = Base64.standard.encode(try key.key.sign(Array(text.utf8)))
        let line = text.dropFirst("\(ProofBundle.format)\n".count).dropLast("}\n".count)
        return "\(line),\"seal\":\"\(String(decoding: seal, as: UTF8.self))\"}\n"
    }

    /// What `check_bundle.py` says, and the script in `Proof.md`.
    private func check(
        _ events: [Event], replacing change: (String, String)? = nil
    ) async throws -> (program: Outcome, script: Outcome) {
        let page = try String(
            contentsOf: Fixtures.repository.appending(
                path: "Sources/Proofs/Proofs.docc/Proof.md"), encoding: .utf8)
        let start = try #require(page.firstRange(of: "```python\n"))
        let script = try #require(page[start.upperBound...].components(separatedBy: "```").first)
        try place.write(Data(script.utf8), to: "check.py")
        try place.write(Data(try bundle(events, replacing: change).utf8), to: "altered.json")
        return (
            try await ProofCommandTests.checkElsewhere(
                "altered.json", place, key.verifier.description),
            try await place.program("/usr/bin/python3", ["check.py", "altered.json"])
        )
    }

    /// Their exit codes.
    private func codes(
        _ events: [Event], replacing change: (String, String)? = nil
    ) async throws -> [Int32] {
        let (program, script) = try await check(events, replacing: change)
        return [program.code, script.code]
    }

    @Test("Evidence of another environment, app, chain, trust, key or payload is refused")
    func otherLeaves() async throws {
        #expect(try await codes([purchase]) == [0, 0])
        let name: (String) -> [UInt8] = { Array($0.utf8) }
        for (number, field) in [
            (10, name("com.example.other")), (11, name("1")), (7, name("operator")),
            (7, name("xcode")), (4, [UInt8](repeating: 1, count: 32)),
            (9, [UInt8](repeating: 1, count: 32)), (12, name("REFUND")),
            (17, [UInt8](repeating: 1, count: 32)),
        ] {
            let program = try await check([purchase.with(number, field)]).program
            #expect(program.code == 1, "field \(number)")
        }
        for environment in ["Sandbox", "Xcode"] {
            let change = ("\"environment\":\"Production\"", "\"environment\":\"\(environment)\"")
            #expect(try await check([purchase], replacing: change).program.code == 1)
        }
        #expect(try await check([purchase, purchase]).program.code == 1)
    }

    @Test("What no JWS signs is refused where it contradicts its leaf")
    func unsigned() async throws {
        let (app, other) = ("\"\(Evidence.app)\"", "\"com.example.other\"")
        let link = "{\"command\":\"link\",\"originalTransactionId\":\"7\"}"
        let cases: [(Event, Int32)] = [
            (Event("command", trust: "operator", "{\"bundleId\":\(app)}"), 0),
            (Event("command", trust: "operator", "{\"bundleId\":\(other)}"), 1),
            (Event("command", trust: "operator", chain: "7", link), 0),
            (Event("command", trust: "operator", chain: "8", link), 1),
            (Event("command", trust: "signed", chain: "7", link), 1),
            (Event("notificationV1", trust: "secret", "{\"bid\":\(app)}"), 0),
            (Event("notificationV1", trust: "secret", "{\"bid\":\(other)}"), 1),
            (Event("notificationV1", trust: "secret", "{\"environment\":\"PROD\"}"), 0),
            (Event("notificationV1", trust: "secret", "{\"environment\":\"Sandbox\"}"), 1),
            (Event("verifyReceipt", trust: "transport", "{\"environment\":\"Sandbox\"}"), 1),
        ]
        for (event, code) in cases {
            #expect(try await check([event]).program.code == code, "\(event.evidence)")
        }
    }

    @Test("Another spelling is refused, and evidence that is left out is not called erased")
    func spelling() async throws {
        let event = Event("command", trust: "operator", "{}")
        for (old, new) in [
            ("\"answer\":null", "\"answer\":null,\"more\":1"),
            ("\"answer\":null", "\"answer\":false"), ("\"position\":1", "\"position\":1.0"),
            ("\"{}\",\"evidenceEncoding\":\"text\"", "\"e30=\",\"evidenceEncoding\":\"base64\""),
        ] {
            #expect(try await check([event], replacing: (old, new)).program.code == 1, "\(new)")
        }
        let left = ("\"{}\",\"evidenceEncoding\":\"text\"", "null,\"evidenceEncoding\":null")
        let (program, script) = try await check([event], replacing: left)
        #expect(program.code == 0 && script.code == 0)
        #expect(program.out.contains("#1 command: its evidence is not here"))
        #expect(script.out == "in the log, without its evidence: 1\n")
    }

    @Test("The script on the page refuses positions that are not in the log, or not in order")
    func positions() async throws {
        let events = [
            Event("command", trust: "operator", "{}"),
            Event("command", trust: "operator", "{\"id\":\"b\"}"),
        ]
        #expect(try await codes(events) == [0, 0])
        var moved = events
        moved[1].position = 1
        #expect(try await codes(moved) == [1, 1])
        for position in [0, 1, 3, 6] {
            let change = ("\"position\":2", "\"position\":\(position)")
            #expect(try await codes(events, replacing: change) == [1, 1], "\(position)")
        }
    }
}
