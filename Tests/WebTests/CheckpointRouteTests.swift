import AppStore
import AppStoreAPI
import Faults
import Foundation
import HTTPTypes
import LedgerStore
import LedgerTestSupport
import Projection
import Signing
import Synchronization
import TestSupport
import Testing

@testable import Proofs
@testable import Service
@testable import Web

@Suite("Checkpoints while the service runs")
struct CheckpointRouteTests {
    private static let origin = "example.com/subledger/production"
    private let purchase = MadePurchase()

    private final class Notes: Sendable {
        private let notes = Mutex<[ServingNote]>([])

        func add(_ note: ServingNote) { notes.withLock { $0.append(note) } }

        func take() -> [ServingNote] {
            notes.withLock { notes in
                defer { notes = [] }
                return notes
            }
        }
    }

    /// What a test of checkpoints works with.
    private struct Setup: Sendable {
        let client: WebClient
        let host: LedgerHost
        let loop: CheckpointLoop
        let witness: TestWitness
        let second: TestWitness
        let key: NoteVerifierKey
        let notes: Notes

        /// One more event, and one round.
        func next(_ purchase: MadePurchase, _ period: Int) async throws -> SignedNote {
            _ = try await client.notify(purchase.notificationBody(period))
            await loop.round()
            let answer = try await client.get("/v1/log/checkpoint")
            #expect(answer.status == 200)
            return try SignedNote(answer.text)
        }
    }

    /// Two witnesses, of which the first answers once the second was asked.
    private struct SlowFirst: APITransport {
        let first: TestWitness
        let second: TestWitness
        private let asked = AsyncStream<Void>.makeStream()

        init(_ first: TestWitness, _ second: TestWitness) {
            (self.first, self.second) = (first, second)
        }

        func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
            guard request.url.contains("//w1.") else {
                asked.continuation.finish()
                return try await second.send(request)
            }
            for await _ in asked.stream {}
            return try await first.send(request)
        }
    }

    private func serve(
        isPaired: Bool = false, _ body: @escaping @Sendable (Setup) async throws -> Void
    ) async throws {
        var place = try ServedPlace()
        let key = try NoteSignerKey(name: Self.origin)
        let file = place.directory.file("audit.key")
        try Data(key.secretText.utf8).write(to: URL(filePath: file))
        let (witness, second) = (try TestWitness(key.verifier), try TestWitness(key.verifier))
        let transport: any APITransport = isPaired ? SlowFirst(witness, second) : witness
        var audit = ServiceConfiguration.Audit(
            environment: .production, origin: Self.origin, keyFile: file)
        audit.witnesses = [
            .init(name: "w1", url: "https://w1.example.com/", key: witness.key.verifier)
        ]
        if isPaired {
            audit.witnesses.append(
                .init(name: "w2", url: "https://w2.example.com/", key: second.key.verifier))
        }
        place.configuration.audits = [audit]
        try await place.serve { [audit] (client: WebClient, host: LedgerHost) async throws in
            let notes = Notes()
            let loop = try CheckpointLoop(
                audit, host: host, transport: transport, clock: ManualClock(ServedPlace.now)
            ) { notes.add($0) }
            try await body(
                Setup(
                    client: client, host: host, loop: loop, witness: witness, second: second,
                    key: key.verifier, notes: notes))
        }
    }

    /// Requests for trees that are not there.
    private static let missing = [
        ("proof/4", 404, "noSuchEvent"), ("proof/0", 400, "invalidPath"),
        ("proof/x", 400, "invalidPath"), ("proof/1?size=4", 404, "noSuchEvent"),
        ("proof/3?size=2", 404, "noSuchEvent"), ("proof/1?size=-1", 400, "invalidParameter"),
        ("consistency", 400, "invalidParameter"),
        ("consistency?from=0&to=1", 400, "invalidParameter"),
        ("consistency?from=3&to=2", 404, "noSuchEvent"),
        ("consistency?from=1&to=4", 404, "noSuchEvent"),
        ("checkpoints?limit=0", 400, "invalidParameter"),
    ]

    @Test(
        "Each head is signed and witnessed, proofs between them hold, and of others there is none")
    func witnessed() async throws {
        try await serve { setup in
            await setup.loop.round()
            #expect(try await setup.client.get("/v1/log/checkpoint").code == "noSuchCheckpoint")
            var sizes: [Int64] = []
            for period in 0...2 {
                let note = try await setup.next(purchase, period)
                #expect(note.verify(setup.key).isValid)
                #expect(note.verify(setup.witness.key.verifier).isValid)
                sizes.append(try LogCheckpoint(note).size)
            }
            #expect(sizes == [1, 2, 3] && setup.notes.take().isEmpty)
            // Nothing new: no witness is asked.
            let count = setup.witness.requestCount
            await setup.loop.round()
            #expect(setup.witness.requestCount == count)

            let list = try await setup.client.get("/v1/log/checkpoints?after=1").json
            #expect(list["checkpoints"]?.array?.compactMap { $0["size"]?.int64 } == [2, 3])
            #expect(list["next"]?.isNull == true)
            let page = try await setup.client.get("/v1/log/checkpoints?limit=2").json
            #expect(page["checkpoints"]?.array?.count == 2 && page["next"]?.int64 == 2)
            let whole = try await setup.client.get("/v1/log/checkpoints?limit=3").json
            #expect(whole["checkpoints"]?.array?.count == 3 && whole["next"]?.isNull == true)
            let older = try await setup.host.keptCheckpoints(.production, before: nil, limit: 2)
            #expect(older.checkpoints.map(\.size) == [3, 2] && older.next == 2)
            let all = try await setup.host.keptCheckpoints(.production, before: nil, limit: 3)
            #expect(all.checkpoints.count == 3 && all.next == nil)
            let proof = try await setup.client.get("/v1/log/proof/1?size=2").json
            #expect(proof["treeSize"]?.int64 == 2 && proof["path"]?.array?.count == 1)
            let consistency = try await setup.client.get("/v1/log/consistency?from=1&to=3").json
            #expect(consistency["toRoot"]?.string == setup.witness.known?.root.hexadecimal)
            for (path, status, code) in Self.missing {
                let answer = try await setup.client.get("/v1/log/\(path)")
                #expect(answer.status == status && answer.code == code, "\(path)")
            }
        }
    }

    @Test(
        "A slow witness does not keep the next one from being asked", .timeLimit(.minutes(20)))
    func atOnce() async throws {
        try await serve(isPaired: true) { setup in
            let note = try await setup.next(purchase, 0)
            #expect(note.verify(setup.witness.key.verifier).isValid)
            #expect(note.verify(setup.second.key.verifier).isValid)
            #expect(setup.notes.take().isEmpty)
        }
    }

    @Test("A witness that fails delays nothing, and gets the next checkpoint")
    func faults() async throws {
        try await serve { setup in
            _ = try await setup.next(purchase, 0)
            for (period, fault) in [
                (1, TestWitness.Fault.down), (2, .unavailable), (3, .empty), (4, .stranger),
                (5, .untrusted),
            ] {
                setup.witness.fail(fault)
                let note = try await setup.next(purchase, period)
                #expect(note.verify(setup.key).isValid)
                #expect(!note.verify(setup.witness.key.verifier).isValid)
                let notes = setup.notes.take()
                #expect(notes.count == 1)
                #expect(notes.first?.message.contains("(tlsFailed: x)") == (fault == .untrusted))
            }
            setup.witness.fail(nil)
            let next = try await setup.next(purchase, 6)
            #expect(next.verify(setup.witness.key.verifier).isValid)
            // A witness that lost its memory names the size that it knows.
            setup.witness.forget()
            let last = try await setup.next(purchase, 7)
            #expect(last.verify(setup.witness.key.verifier).isValid)
            #expect(setup.notes.take().isEmpty)
        }
    }

    @Test("The page of the audit says of each checkpoint whether the configured keys signed it")
    func page() async throws {
        try await serve { setup in
            for period in 0...2 { _ = try await setup.next(purchase, period) }
            let operations = try setup.host.ledger(.production).ledger.operations
            let kept = try await operations.checkpoints(after: -1, limit: 3)
            // The second one is signed by another key of the origin alone, the third one by none.
            let other = try NoteSignerKey(name: Self.origin)
            let notes = try kept.map { try SignedNote($0.note) }
            // With a line of its own: a note of the same text would get the signatures kept.
            let foreign = try SignedNote(notes[1].text + "another line\n", signedBy: other).note
            let broken = notes[1].note.replacing("\n2\n", with: "\n3\n")
            for (stored, note) in [(kept[1], foreign), (kept[2], broken)] {
                try await operations.keep(
                    StoredCheckpoint(size: stored.size, note: note, signedAt: stored.signedAt))
            }
            let answer = try await setup.client.get("/console/production/audit")
            let page = answer.text
            #expect(page.ranges(of: ">signed by the configured key<").count == 1)
            #expect(page.ranges(of: "by another key of the origin alone").count == 1)
            #expect(page.ranges(of: "not signed by the configured key").count == 1)
            #expect(page.ranges(of: ">w1<").count == 1)
            let older = try await setup.client.get("/console/production/audit?before=2")
            let rest = older.text
            #expect(rest.contains(">signed by the configured key<"))
            #expect(!rest.contains("not signed by the configured key"))
            // So does the verification.
            _ = try await setup.client.send(
                .post, "/v1/audit:verify", .decision(key: "k"))
            var last: JSONValue?
            while last?["endedAt"]?.string == nil {
                last = try await setup.client.get("/v1/audit").json["last"]
            }
            let found = last?["result"]?["checkpoints"]
            #expect(found?["compared"]?.int64 == 3 && found?["signed"]?.int64 == 1)
            let codes = found?["findings"]?.array?.compactMap { $0["code"]?.string }
            #expect(codes == ["checkpointInvalid"])
        }
    }

    @Test("The audit of a log without a head has a result, although checkpoints are kept")
    func headless() async throws {
        let place = try ServedPlace()
        let path = "\(place.directory(of: .production))/log.sqlite"
        try await place.serve(renewed: purchase) {
            (client: WebClient, host: LedgerHost) async throws in
            let ledger = try host.ledger(.production).ledger
            let signed = try LogCheckpoint(
                origin: Self.origin, size: 2, root: try await ledger.log.head().root
            ).signed(by: try NoteSignerKey(name: Self.origin))
            try await ledger.operations.keep(
                StoredCheckpoint(size: 2, note: signed.note, signedAt: purchase.start))
            // Throws where the service keeps the change in the WAL, after it was made.
            try? LogTampering(path: path).run("DELETE FROM head")
            _ = try await client.send(.post, "/v1/audit:verify", .decision(key: "k"))
            var answer = try await client.get("/v1/audit")
            while answer.status == 200, answer.json["last"]?["endedAt"]?.string == nil {
                answer = try await client.get("/v1/audit")
            }
            #expect(answer.json["size"]?.isNull == true && answer.json["root"]?.isNull == true)
            let result = answer.json["last"]?["result"]
            #expect(result?["sound"]?.bool == false)
            let findings = result?["checkpoints"]?["findings"]?.array
            #expect(findings?.compactMap { $0["code"]?.string } == ["logDamaged"])
            let page = try await client.get("/console/production/audit").text
            #expect(page.contains("The end of the log cannot be read"))
            #expect(page.contains("Not sound"))
        }
    }

    @Test("One audit runs at a time, in whatever environment")
    func oneAudit() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            // given
            let run = AuditRun(startedAt: ServedPlace.now, actor: "sara", withSignatures: false)
            try #require(host.auditRuns.begin(run, in: .sandbox))
            // when
            let refused = try await client.send(.post, "/v1/audit:verify", .decision(key: "k"))
            // then
            #expect(refused.status == 409 && refused.code == "auditRunning")
            let state = JobState<AuditRun.Found>.failed(code: "made", message: "made")
            host.auditRuns.end(state, at: ServedPlace.now, in: .sandbox)
            let begun = try await client.send(.post, "/v1/audit:verify", .decision(key: "k"))
            #expect(begun.status == 200)
        }
    }

    @Test("A page's proof is a file that stands alone; without a key there is none")
    func files() async throws {
        try await serve { setup in
            _ = try await setup.next(purchase, 0)
            _ = try await setup.client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            let home = "/console/production"
            // A page has an escape for the bracket, and the text of that escape as it was.
            let noted = try await setup.client.submit(
                "\(home)/subscriptions/\(purchase.id)/note",
                "key=k&actor=sara&reason=a%3Cb+%5Cu003c".utf8)
            let after = try await setup.client.get(try #require(noted.headers[.location]))
            #expect(after.status == 200)
            let page = try await setup.client.get("\(home)/subscriptions/\(purchase.id)")
            let address = "\(home)/subscriptions/\(purchase.id)/bundle"
            // Without `download`, which would save a refusal as the proof.
            #expect(page.text.contains("<a href=\"\(address)\">Proof</a>"))
            #expect(page.text.contains("<a href=\"\(address)?html=true\">Proof as a page</a>"))
            for path in [address, "\(home)/events/1/bundle"] {
                let answer = try await setup.client.get(path)
                #expect(answer.headers[.contentDisposition]?.hasPrefix("attachment") == true)
                let report = BundleCheck(
                    try ProofBundle(answer.bytes), key: setup.key, roots: TestAuthority.roots
                ).run()
                #expect(report.isProven)
            }
            let alone = try await setup.client.get("\(address)?html=true")
            #expect(alone.text.hasPrefix("<!doctype html>"))
            let inside = try ProofBundle(alone.bytes)
            #expect(String(decoding: inside.bytes, as: UTF8.self).contains("a<b "))
            let report = BundleCheck(inside, key: setup.key, roots: TestAuthority.roots).run()
            #expect(report.isProven)
            for path in ["events/9/bundle", "events/x/bundle", "subscriptions/9/bundle"] {
                let status = try await setup.client.get("\(home)/\(path)").status
                #expect((400..<500).contains(status), "\(path)")
            }
        }
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody(0))
            let answer = try await client.get("/console/production/events/1/bundle")
            #expect(answer.status == 422)
            #expect(answer.text.contains("missingAuditKey"))
            // Nothing is said of signatures.
            let page = try await client.get("/console/production/audit").text
            #expect(page.contains("No checkpoint of this log was signed."))
        }
    }

    @Test("A view of what was known offers no file that would be refused")
    func offered() async throws {
        var made = purchase
        made.appAccountToken = "0ab11111-2222-4333-8444-555555555555"
        let purchase = made
        try await serve { setup in
            let client = setup.client
            _ = try await client.notify(purchase.notificationBody(0))
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            let home = "/console/production"
            let customer = "customers/\(purchase.appAccountToken ?? "")"
            let known = "knownAt=\(ServedPlace.now.milliseconds)"
            for path in [
                "subscriptions/\(purchase.id)?\(known)", "\(customer)?\(known)",
                "\(customer)?knownPosition=1", "\(customer)?knownPosition=0",
            ] {
                let page = try await client.get("\(home)/\(path)")
                #expect(page.status == 200, "\(path)")
                let links = ScopeLinkTests.links(page.text)
                let isOffered = links.contains { $0.contains("/bundle") }
                #expect(isOffered == path.hasSuffix("knownPosition=1"), "\(path)")
                for link in Set(links) {
                    #expect(try await client.get(link).status < 400, "\(path): \(link)")
                }
            }
            let unknown = try await client.get("\(home)/customers/nosuch")
            #expect(!unknown.text.contains("/bundle"))
        }
    }
}
