import AppStore
import Foundation
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Simulator
import TestSupport
import Testing

@testable import Intake

@Suite("Bad input")
struct BadInputTests {
    private static let goodLines: [[UInt8]] = {
        do {
            return try (0..<12).flatMap { index in
                try MadeChain(id: "51000000000000\(index)").life.map { try $0.line() }
            }
        } catch { fatalError("good lines cannot be made: \(error)") }
    }()

    private func balanced(_ summary: IngestSummary) -> Bool {
        summary.read == summary.appended + summary.duplicates + summary.conflicts
            + summary.rejected + summary.quarantined
    }

    @Test(
        "After an input that cannot be read, the summary has the position of the log",
        arguments: [("none", "No such file"), ("in.gz", "it is compressed with gzip")])
    func unreadableInput(name: String, reason: String) async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(Array(BadInputTests.goodLines.prefix(4)))
        let compressed: [UInt8] = [0x1F, 0x8B, 8, 0, 10, 10, 65]
        try Data(compressed).write(to: URL(filePath: ledger.directory.file("in.gz")))
        let (summary, failure) = try await ledger.failure(of: ledger.directory.file(name))
        guard case .input(_, let stated) = failure else {
            Issue.record("it is read: \(summary)")
            return
        }
        #expect(stated.contains(reason))
        #expect(summary.read == 0 && summary.position == 4)
    }

    @Test(
        "An originalTransactionId of 1,024 bytes is accepted; one more byte refuses its evidence",
        arguments: [0, 1])
    func longIds(excess: Int) async throws {
        let id = String(repeating: "9", count: LogLimits.idByteCount + excess)
        let ledger = try TemporaryLedger()
        let response =
            #"{"status":0,"environment":"Production","receipt":{"bundle_id":"\#(MadeChain.app)"},"#
            + #""latest_receipt_info":[{"transaction_id":"1","original_transaction_id":"1"},"#
            + #"{"transaction_id":"2","original_transaction_id":"\#(id)"}]}"#
        let lines = [try MadeChain(id: id).life[0].line(), Array(response.utf8)]
        let summary = try await ledger.ingest(lines)
        #expect(summary.appended == (excess == 0 ? 2 : 0))
        #expect(summary.errors.allSatisfy { $0.code == "undecodablePayload" })
        #expect(balanced(summary))
    }

    @Test("Each bad line among many good ones is reported and kept; every good one is appended")
    func together() async throws {
        let ledger = try TemporaryLedger()
        var lines: [[UInt8]] = []
        var expected: [String] = []
        let good = BadInputTests.goodLines
        for (index, line) in good.enumerated() {
            lines.append(line)
            guard index < BadLine.all.count else { continue }
            lines.append(BadLine.all[index].bytes)
            let place = "\(ledger.directory.file("input.ndjson")):\(lines.count)"
            expected.append("\(place) \(BadLine.all[index].code)")
        }
        #expect(BadLine.all.count <= good.count)
        let summary = try await ledger.ingest(lines)
        #expect(summary.appended == Int64(good.count))
        #expect(summary.errors.map { "\($0.input) \($0.code)" } == expected)
        #expect(balanced(summary) && !summary.isClean)
        #expect(summary.read == Int64(lines.count))
        #expect(summary.position == Int64(good.count))
        #expect(summary.quarantined == Int64(BadLine.all.count(where: \.isQuarantined)))
        for error in summary.errors {
            #expect(!error.message.isEmpty, "\(error.input)")
            #expect(!error.message.contains("eyJ"), "a message never holds evidence")
        }
        let items = try await ledger.ledger { try await Quarantine(ledger: $0).items() }
        // `null` and `{"signedPayload":null}` are the same input: one item, with the later reason.
        var kept = expected
        let null = try #require(BadLine.all.firstIndex { $0.name == "JSON null" })
        let again = try #require(BadLine.all.firstIndex { $0.name == "null as evidence" })
        kept[null] = kept[null].replacing("malformedJWS", with: BadLine.all[again].code)
        kept.remove(at: again)
        #expect(items.map { "\($0.input) \($0.code)" }.sorted() == kept.sorted())
        let states = try await ledger.exportLines(.subscriptions).map { $0["state"]?.string }
        #expect(states == Array(repeating: "expired", count: 12))
    }

    @Test("Line ends of both kinds, blank lines and blanks around a line are no errors")
    func lineEnds() async throws {
        let ledger = try TemporaryLedger()
        let good = BadInputTests.goodLines
        var bytes = Array("\n\r\n".utf8) + good[0] + Array("\r\n\r\n   \t \n".utf8)
        bytes += Array("  ".utf8) + good[1] + Array(" \t\r\n".utf8) + good[2]
        let summary = try await ledger.ingest(file: bytes)
        #expect(summary.read == 3)
        #expect(summary.appended == 3)
        #expect(summary.isClean)
    }

    @Test("Blank lines count in the line number of an error")
    func lineNumbers() async throws {
        let ledger = try TemporaryLedger()
        let summary = try await ledger.ingest(file: Array("\n\nwords\r\n\r\nmore\n".utf8))
        #expect(summary.errors.map(\.input.last) == ["3", "5"])
        #expect(summary.read == 2)
    }

    /// A body with a good JWS and blanks in a string up to `count` bytes.
    private func padded(to count: Int, _ delivery: MadeDelivery) throws -> [UInt8] {
        let head = Array(#"{"signedPayload":"\#(try delivery.token())","pad":""#.utf8)
        let tail = Array(#""}"#.utf8)
        return head + [UInt8](repeating: UInt8(ascii: " "), count: count - head.count - tail.count)
            + tail
    }

    @Test(
        "A line of exactly 4 MiB is accepted; one byte more is too large, and the next line is read"
    )
    func lineBound() async throws {
        let bound = InputLine.maximumByteCount
        #expect(bound == 4 * 1024 * 1024)
        let chain = MadeChain()
        let ledger = try TemporaryLedger()
        let summary = try await ledger.ingest([
            try chain.bought().line(), try padded(to: bound, chain.renewed(1)),
            try padded(to: bound + 1, chain.renewed(2)), try chain.renewed(3).line(),
        ])
        #expect(summary.read == 4)
        #expect(summary.appended == 3)
        #expect(summary.errors.map(\.code) == ["payloadTooLarge"])
        #expect(summary.errors.map(\.input.last) == ["3"])
    }

    @Test("A line far over the bound, without an end, is one error")
    func endlessLine() async throws {
        let ledger = try TemporaryLedger()
        let long = [UInt8](repeating: UInt8(ascii: "a"), count: 3 * InputLine.maximumByteCount)
        let summary = try await ledger.ingest([BadInputTests.goodLines[0], long])
        #expect(summary.appended == 1)
        #expect(summary.errors.map(\.code) == ["payloadTooLarge"])
    }

    @Test("A signed payload nested to the limit is accepted")
    func depthBound() async throws {
        #expect(JSONLimits.depth == 32)
        let ledger = try TemporaryLedger()
        let token = try TestAuthority.signer.sign(
            Array(BadLine.nested(JSONLimits.depth, uuid: "deep").utf8))
        let summary = try await ledger.ingest([Array(token.utf8)])
        #expect(summary.appended == 1)
    }

    @Test(
        "The first thousand errors are listed, the others counted",
        arguments: [1_000, 1_001])
    func errorBound(count: Int) async throws {
        #expect(IngestSummary.maximumErrors == 1_000)
        let ledger = try TemporaryLedger()
        let bad = (0..<count).map { Array("bad \($0)".utf8) }
        let summary = try await ledger.ingest(bad + [BadInputTests.goodLines[0]])
        #expect(summary.errors.count == min(count, 1_000))
        #expect(summary.errorsOmitted == Int64(max(count - 1_000, 0)))
        #expect(summary.rejected == Int64(count))
        #expect(summary.appended == 1)
        #expect(balanced(summary))
        #expect(summary.errors.last?.input.hasSuffix(":\(min(count, 1_000))") == true)
    }

    @Test("An empty file, and one of blank lines, hold nothing")
    func nothing() async throws {
        let ledger = try TemporaryLedger()
        for text in ["", "\n", "\r\n \n\t"] {
            let summary = try await ledger.ingest(file: Array(text.utf8))
            #expect(summary == IngestSummary(), "\(text.utf8.count) bytes")
        }
    }

    @Test("A missing file stops the run with its name; earlier files stay ingested")
    func missingFile() async throws {
        let ledger = try TemporaryLedger()
        let first = try ledger.directory.write(BadInputTests.goodLines[0], to: "one.ndjson")
        let missing = ledger.directory.file("none.ndjson")
        do {
            _ = try await ledger.ingest(paths: [first, missing])
            Issue.record("a missing file was read")
        } catch let failure as Ingest.Failure {
            guard case .input(let path, let reason) = failure else {
                Issue.record("\(failure)")
                return
            }
            #expect(path == missing)
            #expect(!reason.isEmpty)
        }
        let position = try await ledger.ledger { try await $0.log.head().position }
        #expect(position == 1)
    }

    @Test("A directory is not an input")
    func directory() async throws {
        let ledger = try TemporaryLedger()
        await #expect(throws: Ingest.Failure.self) {
            try await ledger.ingest(paths: [ledger.directory.path])
        }
    }

    @Test("Several files are read in order, each error under its own file")
    func severalFiles() async throws {
        let ledger = try TemporaryLedger()
        let good = BadInputTests.goodLines
        let one = try ledger.directory.write(good[0] + Array("\nbad\n".utf8), to: "one.ndjson")
        let two = try ledger.directory.write(Array("bad\n".utf8) + good[1], to: "two.ndjson")
        let summary = try await ledger.ingest(paths: [one, two])
        #expect(summary.errors.map(\.input) == ["\(one):2", "\(two):1"])
        #expect(summary.appended == 2)
        let events = try await ledger.exportLines(.events)
        #expect(events.map { $0["notificationType"]?.string } == ["SUBSCRIBED", "DID_RENEW"])
    }

    @Test("A JSON list and a file in UTF-16 are named as such, with what to do")
    func otherForms() async throws {
        let ledger = try TemporaryLedger()
        let line = BadInputTests.goodLines[0]
        let list = Array("[".utf8) + line + Array("]".utf8)
        // Little-endian, which begins like JSON, and big-endian.
        let little: [UInt8] = line.flatMap { [$0, 0] }
        let big: [UInt8] = [0] + little.dropLast()
        let summary = try await ledger.ingest([list, little, big])
        let messages = summary.errors.map(\.message)
        try #require(messages.count == 3)
        #expect(messages[0].contains("jq -c '.[]'"))
        #expect(messages[1].contains("iconv") && messages[2] == messages[1])
        #expect(summary.errors.map(\.code) == Array(repeating: "undecodablePayload", count: 3))
    }

    @Test(
        "A token that a line cannot hold by itself is kept in a member",
        arguments: ["[x", "{x", "x\0", "MIx"])
    func keptToken(_ token: String) throws {
        let submission = Submission(
            form: .jws(Array(token.utf8)), claimedReceivedAt: nil, input: "input", item: nil)
        let again = try InputLine.submissions(submission.line, input: "input")
        guard again.count == 1, case .jws(let found) = again[0].form else {
            Issue.record("\(again)")
            return
        }
        #expect(found == Array(token.utf8))
    }

    @Test("Messages about bad evidence never repeat it")
    func messages() async throws {
        let ledger = try TemporaryLedger()
        let secret = "TOPSECRETTOPSECRET"
        let summary = try await ledger.ingest([
            Array(#"{"signedPayload":"\#(secret).\#(secret).\#(secret)"}"#.utf8),
            Array(secret.utf8), Array(#"{"\#(secret)":1}"#.utf8),
            Array(#"{"receivedAt":"\#(secret)","signedPayload":"x"}"#.utf8),
        ])
        #expect(summary.rejected == 4)
        for error in summary.errors { #expect(!error.message.contains(secret)) }
    }
}
