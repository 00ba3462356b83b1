import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Signing
import Testing

@testable import Proofs

@Suite("Bounds of notes and bundles")
struct ProofLimitTests {
    private static let line = "\u{2014} b AAAAAAA=\n"

    @Test("A note as long as is read, and one byte longer")
    func notes() throws {
        let rest = "\n\n\(ProofLimitTests.line)"
        let count = SignedNote.maximumByteCount - rest.utf8.count
        #expect(try SignedNote(String(repeating: "a", count: count) + rest).signatures.count == 1)
        #expect(throws: ProofError.self) {
            try SignedNote(String(repeating: "a", count: count + 1) + rest)
        }
    }

    @Test("As many signatures as are read, and one more")
    func signatures() throws {
        func note(_ count: Int) throws -> SignedNote {
            try SignedNote("a\n\n" + String(repeating: ProofLimitTests.line, count: count))
        }
        let bound = SignedNote.maximumSignatureCount
        #expect(try note(bound).signatures.count == bound)
        #expect(throws: ProofError.self) { try note(bound + 1) }
    }

    @Test("The longest name of a key, and one byte longer")
    func names() throws {
        let name = String(repeating: "a", count: NoteKeyName.maximumByteCount)
        #expect(try NoteSignerKey(name: name).verifier.name == name)
        #expect(throws: ProofError.self) { try NoteSignerKey(name: name + "a") }
    }

    @Test("The longest answer of a witness is read")
    func answers() throws {
        let log = try NoteSignerKey(name: "log")
        let witness = try NoteSignerKey(name: "witness", algorithm: .cosignature)
        let note = try LogCheckpoint(origin: "log", size: 3, root: SHA256.hash([1])).signed(by: log)
        let longest = [UInt8](
            repeating: UInt8(ascii: "a"), count: WitnessExchange.maximumByteCount)
        let answer = WitnessExchange.answer(
            status: 200, longest, to: note, by: witness.verifier)
        #expect(answer == .refused("unreadableAnswer"))
    }

    @Test("A bundle of as many bytes and events as are made, and one more")
    func bundles() async throws {
        try await ProvenStory.small { session, maker, signer in
            let event = try #require(try await session.ledger.log.event(at: 1))
            let evidence = try event.originalBytes()?.count ?? 0
            let size = evidence * 4 / 3 + event.event.leafData.count * 2 + 2_048
            for (bound, isMade) in [(size, true), (size - 1, false)] {
                let bounded = BundleMaker(
                    session.snapshot, prover: TreeProver(session.ledger.log), signer: signer,
                    maximumByteCount: bound)
                var refusal: String?
                do { _ = try await bounded.events([1]) } catch let error as ProofError {
                    refusal = error.message
                }
                #expect((refusal == nil) == isMade)
                // A service with a bound of its own names the command, which has the largest.
                #expect(isMade || refusal?.contains("; `audit prove` writes up to") == true)
            }
            let most = Int64(ProofBundle.maximumEventCount)
            for (count, reason) in [(most, "has no event at"), (most + 1, "more than a bundle")] {
                let error = await #expect(throws: ProofError.self) {
                    try await maker.events(Array(1...count))
                }
                #expect(error?.message.contains(reason) == true)
            }
        }
    }

    @Test("A file of as many events and bytes as are read, and one more")
    func files() async throws {
        try await ProvenStory.small { _, maker, signer in
            let bundle = try await maker.events([1])
            let event = ProofBundle.Event(
                position: 1, leafData: [1], inclusion: [], evidence: nil)
            func file(_ count: Int) throws -> [UInt8] {
                try ProofBundle(
                    environment: bundle.environment, checkpoint: bundle.checkpoint,
                    key: bundle.key, events: Array(repeating: event, count: count), answer: nil
                ).sealed(by: signer.key).bytes
            }
            let most = ProofBundle.maximumEventCount
            #expect(try ProofBundle(try file(most)).events.count == most)
            let more = try file(most + 1)
            let refusal = #expect(throws: ProofError.self) { try ProofBundle(more) }
            #expect(refusal?.message.contains("more than 20,000 events") == true)
            let text = [UInt8](
                repeating: UInt8(ascii: "x"), count: ProofBundle.maximumByteCount + 1)
            for (count, isTooLarge) in [(text.count, true), (text.count - 1, false)] {
                let error = #expect(throws: ProofError.self) {
                    try ProofBundle(Array(text.prefix(count)))
                }
                #expect(error?.message.contains("larger than 64 MiB") == isTooLarge)
            }
        }
    }

    @Test("A bundle as large as is read, and one byte larger, as a file and in a page")
    func pages() async throws {
        try await ProvenStory.small { _, maker, _ in
            let bundle = try await maker.events([1])
            let page =
                Array(ProofBundle.pageStart.utf8) + bundle.pageBytes
                + Array(ProofBundle.pageEnd.utf8)
            let (count, values) = (bundle.bytes.count, ProofBundle.maximumValueCount)
            for file in [bundle.bytes, page] {
                let read = try ProofBundle(file, valueCount: values, byteCount: count)
                #expect(read.bytes == bundle.bytes)
                let error = #expect(throws: ProofError.self) {
                    try ProofBundle(file, valueCount: values, byteCount: count - 1)
                }
                #expect(error?.message.contains("larger than 64 MiB") == true)
            }
        }
    }

    @Test("As many statements about a subscription as an answer may rest on, and one more")
    func statements() async throws {
        try await ProvenStory.small { session, _, _ in
            let event = try #require(try await session.ledger.log.event(at: 1))
            let stated = try #require(FactDecoder.decode(event).first)
            let other = ChainId(
                bundleId: stated.chain.bundleId,
                originalTransactionId: OriginalTransactionId("other"))
            let now = event.event.receivedAt
            let query = BundleQuery(
                subject: .subscription(other, askedAs: "other"), at: now, now: now,
                knownPosition: 1)
            let most = ProofBundle.maximumFactCount
            for (count, isFolded) in [(most, true), (most + 1, false)] {
                let facts = Array(repeating: stated.fact, count: count)
                let error: ProofError?
                do {
                    _ = try BundleFold.value(
                        query, in: session.ledger.environment, session.ledger.catalogue,
                        of: [stated.chain: facts])
                    error = nil
                } catch let refusal as ProofError { error = refusal }
                #expect(error?.code == (isFolded ? nil : .nothingToProve))
            }
        }
    }

    @Test("A file of as many JSON values as are read, and one more")
    func values() async throws {
        func count(_ value: JSONValue) -> Int {
            let inside = value.object?.map(\.value) ?? value.array ?? []
            return inside.reduce(1) { $0 + count($1) }
        }
        func isRefused(_ file: [UInt8], valueCount: Int) -> Bool {
            do throws(ProofError) {
                _ = try ProofBundle(file, valueCount: valueCount)
                return false
            } catch {
                return error.code == .malformedBundle && error.message.contains("tooManyValues")
            }
        }
        try await ProvenStory.small { _, maker, _ in
            let file = try await maker.events([1]).bytes
            let bound = count(try JSONValue.parse(file))
            #expect(!isRefused(file, valueCount: bound))
            #expect(isRefused(file, valueCount: bound - 1))
        }
        let zeros = String(repeating: "0,", count: ProofBundle.maximumValueCount - 1)
        let error = #expect(throws: ProofError.self) {
            try ProofBundle(Array("[\(zeros)0]".utf8))
        }
        #expect(error?.message.contains("tooManyValues") == true)
    }
}
