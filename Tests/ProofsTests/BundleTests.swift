import AppStore
import Faults
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Reports
import Signing
import Simulator
import TestSupport
import Testing

@testable import Proofs

@Suite("Bundles that prove an answer")
struct BundleTests {
    /// One in three; all of them in soak.
    private static let tried = StoryTelling.names.enumerated()
        .filter { Soak.isOn || $0.offset.isMultiple(of: 3) }.map(\.element)

    @Test("Every answer of a story is proven by its file alone", arguments: tried)
    func stories(_ name: String) async throws {
        try await ProvenStory.run(name) { session, maker, _ in
            let readings = try await ProvenStory.readings(session)
            // The end of every life, and one in fifteen of the moments before; all of them in soak.
            for (index, (id, at)) in readings.enumerated()
            where Soak.isOn || at == StoryCheck.end || index.isMultiple(of: 15) {
                let moment = Moment(at: at, now: StoryCheck.end)
                let reading = try? await session.snapshot.reading(id, moment: moment)
                guard let reading else { continue }
                let bundle = try await maker.subscription(id, bundleId: nil, moment: moment)
                let report = ProvenStory.check(try ProofBundle(bundle.bytes))
                #expect(report.isProven, "\(report.lines.filter { !$0.isGood })")
                // The notice of a transaction that two chains share needs the other chain.
                guard !reading.answer.notices.contains(where: { $0.code == .contradiction }) else {
                    continue
                }
                var json = JSONWriter()
                reading.write(to: &json)
                let shown = BundleFold.provable(try JSONValue.parse(json.bytes))
                #expect(bundle.answer?.value == shown)
            }
        }
    }

    private static let story = "grace-then-retry-then-expired"

    /// A bundle of the story's last state, and the key that sealed it.
    private static let made = Task {
        let name = StoryTelling.names.first { $0 == story } ?? StoryTelling.names[0]
        var made: (bundle: ProofBundle, key: NoteSignerKey)?
        try await ProvenStory.run(name) { session, maker, signer in
            let (id, at) = try #require(try await ProvenStory.readings(session).last)
            let moment = Moment(at: at, now: StoryCheck.end)
            made = (
                try await maker.subscription(id, bundleId: nil, moment: moment), signer.key
            )
        }
        return try #require(made)
    }

    @Test("A file with any byte changed proves nothing")
    func flipped() async throws {
        let bytes = try await BundleTests.made.value.bundle.bytes
        // Odd, so that all kinds of places are met; the whole file in soak.
        let step = Soak.isOn ? 1 : max(1, bytes.count / 50) | 1
        for index in stride(from: 0, to: bytes.count, by: step) {
            var other = bytes
            other[index] ^= 1 << UInt8(index % 7)
            guard let read = try? ProofBundle(other) else { continue }
            #expect(!ProvenStory.check(read).isProven, "byte \(index)")
        }
    }

    @Test("More bytes, fewer bytes and another spelling are no bundle")
    func spelled() async throws {
        let bytes = try await BundleTests.made.value.bundle.bytes
        for other in [
            bytes + [0x20], [0x20] + bytes, Array(bytes.dropLast()), [],
            Array(bytes.dropLast(2)) + Array(",\"more\":1}\n".utf8),
        ] {
            #expect(throws: ProofError.self) { try ProofBundle(other) }
        }
    }

    @Test("Parts of other bundles do not fit: events, answers, checkpoints, keys")
    func mixed() async throws {
        let (bundle, key) = try await BundleTests.made.value
        let (events, answer) = (bundle.events, try #require(bundle.answer))
        func proven(
            _ checkpoint: SignedNote? = nil, _ signer: NoteSignerKey? = nil,
            _ others: [ProofBundle.Event]? = nil, _ other: ProofBundle.Answer? = nil
        ) throws -> Bool {
            let signer = signer ?? key
            return ProvenStory.check(
                try ProofBundle(
                    environment: bundle.environment,
                    checkpoint: checkpoint ?? bundle.checkpoint, key: signer.verifier,
                    events: others ?? events, answer: other ?? answer
                ).sealed(by: signer)
            ).isProven
        }
        #expect(try proven())
        #expect(try !proven(nil, nil, Array(events.dropLast())))
        #expect(try !proven(nil, nil, events.reversed()))
        #expect(try !proven(nil, nil, events + [events[0]]))
        #expect(try !proven(nil, nil, []))
        let swapped = ProofBundle.Event(
            position: events[0].position, leafData: events[0].leafData,
            inclusion: events[0].inclusion, evidence: events.last?.evidence)
        #expect(try !proven(nil, nil, [swapped] + events.dropFirst()))
        // A checkpoint of another size, of a fork, of another log, and of a stranger.
        let checkpoint = try LogCheckpoint(bundle.checkpoint)
        for other in [
            LogCheckpoint(
                origin: checkpoint.origin, size: checkpoint.size + 1, root: checkpoint.root),
            LogCheckpoint(
                origin: checkpoint.origin, size: checkpoint.size,
                root: events[0].inclusion.first ?? checkpoint.root),
            LogCheckpoint(
                origin: "another/log", size: checkpoint.size, root: checkpoint.root),
        ] {
            #expect(try !proven(other.signed(by: key)))
        }
        let stranger = try NoteSignerKey(name: checkpoint.origin)
        #expect(try !proven(checkpoint.signed(by: stranger)))
        #expect(try proven(checkpoint.signed(by: stranger), stranger))
        #expect(
            !ProvenStory.check(
                try ProofBundle(
                    environment: bundle.environment,
                    checkpoint: try checkpoint.signed(by: stranger), key: stranger.verifier,
                    events: events, answer: answer
                ).sealed(by: stranger), key: bundle.key
            ).isProven)
        // Everything is right, and not sealed by the key.
        let unsealed = ProofBundle(
            environment: bundle.environment, checkpoint: bundle.checkpoint, key: bundle.key,
            events: events, answer: answer)
        #expect(!ProvenStory.check(unsealed).isProven)
        #expect(!ProvenStory.check(try unsealed.sealed(by: stranger)).isProven)
    }

    @Test(
        "Another question does not fit the answer, and Apple's name stands for Apple's root alone")
    func otherQuestions() async throws {
        let (bundle, key) = try await BundleTests.made.value
        let answer = try #require(bundle.answer)
        let size = try LogCheckpoint(bundle.checkpoint).size
        func proven(_ other: ProofBundle.Answer) throws -> Bool {
            ProvenStory.check(
                try ProofBundle(
                    environment: bundle.environment, checkpoint: bundle.checkpoint,
                    key: bundle.key, events: bundle.events, answer: other
                ).sealed(by: key)
            ).isProven
        }
        // The same question at another time, or with less knowledge.
        var query = answer.query
        query.knownPosition -= 1
        let less = ProofBundle.Answer(
            query: query, reducerVersion: answer.reducerVersion, catalogue: answer.catalogue,
            value: answer.value)
        #expect(try !proven(less))
        // Of the reducer of another release.
        let later = ProofBundle.Answer(
            query: answer.query, reducerVersion: answer.reducerVersion + 1,
            catalogue: answer.catalogue, value: answer.value)
        #expect(try !proven(later))
        // Knowledge that the signed log does not have.
        for position in [size + 1, .max, -1, .min] {
            query.knownPosition = position
            let value = try BundleFold.value(
                query, in: bundle.environment, Catalogue(bundled: answer.catalogue)!,
                of: BundleFold.facts(
                    of: bundle.events.map {
                        try BundledEvent(
                            $0, bundle.environment, EvidenceVerifier(roots: TestAuthority.roots),
                            EvidencePacker()
                        ).logged
                    }))
            let more = ProofBundle.Answer(
                query: query, reducerVersion: answer.reducerVersion,
                catalogue: answer.catalogue, value: value ?? .null)
            #expect(try !proven(more))
        }
        // What the test's authority signed is not called Apple's.
        let line = ProvenStory.check(bundle).lines.first { $0.part == "signatures" }
        #expect(line?.text.contains("Apple signed 0") == true)
        #expect(line?.text.contains("another root that you trust") == true)
    }

    @Test("The status of a pair is listed as not signed, that of a notification is not")
    func unsignedStatus() async throws {
        for (name, isListed) in [
            (BundleTests.story, false), ("unsigned-status-against-its-renewal-info", true),
        ] {
            try await ProvenStory.run(name) { session, maker, _ in
                let (id, at) = try #require(try await ProvenStory.readings(session).last)
                let bundle = try await maker.subscription(
                    id, bundleId: nil, moment: Moment(at: at, now: StoryCheck.end))
                let report = ProvenStory.check(bundle)
                #expect(report.isProven)
                let line = report.lines.first { $0.part == "signatures" }
                #expect(line?.text.contains("is not signed") == isListed)
            }
        }
    }

    /// A bundle of the subscriptions that were new in the month in which the story begins.
    private static let newOnes = Task {
        var made: (bundle: ProofBundle, key: NoteSignerKey)?
        try await ProvenStory.run(story) { session, maker, signer in
            let (_, at) = try #require(try await ProvenStory.readings(session).first)
            var parameters = CellParameters(column: "new")
            parameters.from = String(at.rfc3339.prefix(7)) + "-01"
            made = (
                try await maker.cell(
                    .churn(isPaid: false), parameters, reportTimeZone: "UTC", bundleId: nil,
                    moment: Moment(at: nil, now: StoryCheck.end)), signer.key
            )
        }
        return try #require(made)
    }

    @Test("A cell ends with its report, and that at the time asked about; the check says when")
    func cellTimes() async throws {
        let (bundle, key) = try await BundleTests.newOnes.value
        let answer = try #require(bundle.answer)
        let cell = try #require(bundle.cell)
        let catalogue = try #require(Catalogue(bundled: answer.catalogue))
        let events = try bundle.events.map {
            try BundledEvent(
                $0, bundle.environment, EvidenceVerifier(roots: TestAuthority.roots),
                EvidencePacker()
            ).logged
        }
        let (short, end) = (cell.to.advanced(byMilliseconds: -1), StoryCheck.end)
        for (now, at, isProven) in [
            (end, end, true), (cell.to, end, true), (cell.to, cell.to, true),
            (short, end, false), (short, short, false), (end, cell.to, false),
        ] {
            var query = answer.query
            (query.now, query.at) = (now, at)
            let value = try BundleFold.value(
                query, in: bundle.environment, catalogue, of: BundleFold.facts(of: events))
            let other = try ProofBundle(
                environment: bundle.environment, checkpoint: bundle.checkpoint,
                key: bundle.key, events: bundle.events,
                answer: ProofBundle.Answer(
                    query: query, reducerVersion: answer.reducerVersion,
                    catalogue: answer.catalogue, value: value ?? .null)
            ).sealed(by: key)
            #expect(ProvenStory.check(other).isProven == isProven, "\(now) \(at)")
            #expect(other.answer?.summary(by: [:]).contains("at \(now.rfc3339), as known") == true)
        }
    }

    @Test("Where the stored facts give another answer than their events, nothing is proven")
    func otherFacts() async throws {
        let customer = CustomerId(token: "0ab11111-2222-4333-8444-555555555555")
        let chain = MadeChain(appAccountToken: customer.rawValue)
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(chain.life)
        let moment = Moment(
            at: chain.start(2).advanced(byMilliseconds: 15 * 86_400_000), now: ledger.now)
        let key = try NoteSignerKey(name: ProvenStory.origin)
        try await ledger.session { session in
            let (maker, _) = ProvenStory.maker(session, key)
            _ = try await maker.subscription(chain.id, bundleId: nil, moment: moment)
            _ = try await maker.customer(customer, moment: moment)
        }
        // The dates in a fact are relative to its own: all of the last one are 40 days later.
        try LogTampering(
            path: "\(ledger.environmentDirectory)/facts-\(Fact.decoderVersion).sqlite"
        ).run("UPDATE facts SET signed_at = signed_at + 3456000000 WHERE position = 4")
        try await ledger.session { session in
            let (maker, _) = ProvenStory.maker(session, key)
            let ofSubscription = await #expect(throws: ProofError.self) {
                _ = try await maker.subscription(chain.id, bundleId: nil, moment: moment)
            }
            let ofCustomer = await #expect(throws: ProofError.self) {
                _ = try await maker.customer(customer, moment: moment)
            }
            #expect(ofSubscription?.code == .logUnsound && ofCustomer?.code == .logUnsound)
        }
    }

    @Test("A cell of churn is proven with its chains, and with fewer of them gives another sum")
    func cell() async throws {
        let (bundle, key) = try await BundleTests.newOnes.value
        let answer = try #require(bundle.answer)
        #expect(answer.value["amount"]?.int64 == 1)
        #expect(answer.value["chains"]?.array?.count == 1)
        let read = try ProofBundle(bundle.bytes)
        #expect(ProvenStory.check(read).isProven)
        let cell = try #require(bundle.cell)
        for chains in [[], cell.chains + cell.chains] {
            var query = answer.query
            query.subject = .cell(
                BundledCell(
                    name: cell.name, isPaid: cell.isPaid, column: cell.column, from: cell.from,
                    to: cell.to, timeZone: cell.timeZone, group: cell.group,
                    filters: cell.filters, chains: chains))
            let other = try ProofBundle(
                environment: bundle.environment, checkpoint: bundle.checkpoint,
                key: bundle.key, events: bundle.events,
                answer: ProofBundle.Answer(
                    query: query, reducerVersion: answer.reducerVersion,
                    catalogue: answer.catalogue, value: answer.value)
            ).sealed(by: key)
            let file = try? ProofBundle(other.bytes)
            #expect(file.map { ProvenStory.check($0).isProven } ?? false == false)
        }
    }

    @Test(
        "What a chain adds to lateness or ltv does not follow from its events: no bundle has it",
        arguments: [(MetricName.lateness, "late", []), (.ltv, "net", ["currency=USD"])])
    func notByChain(metric: MetricName, column: String, group: [String]) async throws {
        let refusal = MetricsError.notByChain(metric.rawValue)
        #expect(refusal.code == "notByChain")
        let ledger = try TemporaryLedger()
        let key = try NoteSignerKey(name: ProvenStory.origin)
        // None is made; here there would be nothing to prove otherwise.
        try await ledger.session { session in
            var parameters = CellParameters(column: column)
            (parameters.from, parameters.group) = ("2026-01-01", group)
            await #expect(throws: refusal) {
                _ = try await ProvenStory.maker(session, key).0.cell(
                    metric, parameters, reportTimeZone: "UTC", bundleId: nil,
                    moment: Moment(at: nil, now: StoryCheck.end))
            }
        }
        // One that somebody made all the same has no figure.
        let from = MadeChain().start
        let cell = BundledCell(
            name: metric.rawValue, isPaid: false, column: column, from: from,
            to: from.advanced(byMilliseconds: 86_400_000), timeZone: "UTC", group: group,
            filters: [], chains: [])
        #expect(throws: refusal) { _ = try cell.cell(limit: StoryCheck.end) }
    }

    @Test("A page holds the same bundle, also where a text looks like markup, or like its escape")
    func page() async throws {
        let bundle = try await BundleTests.made.value.bundle
        let id = try #require(bundle.answer?.value["originalTransactionId"]?.string)
        // A mark beside a bracket makes another character of both.
        let text = "\u{600}</script>\u{600}<\u{301}\\\\u003c"
        let file = String(decoding: bundle.bytes, as: UTF8.self)
            .replacing("\"\(id)\"", with: "\"\(text)\"")
        let altered = try ProofBundle(Array(file.utf8))
        #expect(altered.bytes != bundle.bytes)
        #expect(!altered.pageBytes.contains(UInt8(ascii: "<")))
        let page =
            Array("<html>\(ProofBundle.pageStart)".utf8) + altered.pageBytes
            + Array("\(ProofBundle.pageEnd)</html>\n".utf8)
        #expect(try ProofBundle(page).bytes == altered.bytes)
        let own =
            Array(ProofBundle.pageStart.utf8) + bundle.pageBytes
            + Array(ProofBundle.pageEnd.utf8)
        #expect(ProvenStory.check(try ProofBundle(own)).isProven)
    }

    @Test("Events and customers are proven, too; what the log does not hold is not")
    func others() async throws {
        let name = StoryTelling.names.first { $0 == BundleTests.story } ?? StoryTelling.names[0]
        try await ProvenStory.run(name) { session, maker, _ in
            let events = try await maker.events([2, 1, 2])
            #expect(events.events.map(\.position) == [1, 2] && events.answer == nil)
            #expect(ProvenStory.check(try ProofBundle(events.bytes)).isProven)
            await #expect(throws: ProofError.self) {
                _ = try await maker.events([session.head + 1])
            }
            let unknown = await #expect(throws: ProofError.self) {
                _ = try await maker.customer(
                    CustomerId("unknown"),
                    moment: Moment(
                        at: StoryCheck.end, now: StoryCheck.end, knowledge: .knownPosition(1)))
            }
            #expect(unknown?.message.contains("about this up to position 1, so") == true)
            let none = await #expect(throws: ProofError.self) { _ = try await maker.events([]) }
            #expect(none?.message.contains("about this, so") == true)
        }
    }
}
