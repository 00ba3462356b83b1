import AppStore
import Ledger
import LedgerStore
import Testing

@testable import Service

@Suite("Work and records of requests for retention messages")
struct RetentionWorkTests {
    private let answers = RetentionAnswers()

    private func record(_ number: Int) -> RetentionRecord {
        RetentionRecord(
            requestId: "\(number)",
            chain: ChainId(
                bundleId: BundleId("com.example"),
                originalTransactionId: OriginalTransactionId("1")),
            at: Timestamp(milliseconds: 1_774_000_000_000), outcome: .noRule)
    }

    @Test("There is room for work up to the bound, and again when one ends")
    func work() {
        let begun = (0..<RetentionAnswers.workCount).count { _ in answers.beginWork() }
        #expect(begun == RetentionAnswers.workCount)
        #expect(!answers.beginWork())
        answers.endWork()
        #expect(answers.beginWork())
    }

    @Test("Records wait up to the bound of their environment; all that wait are written, once")
    func waiting() async {
        #expect(answers.add(record(0), at: 1, in: .production) == .needsWriter)
        let more = (1..<RetentionAnswers.waitingCount).count {
            answers.add(record($0), at: 1, in: .production) == .waits
        }
        #expect(more == RetentionAnswers.waitingCount - 1)
        #expect(answers.add(record(-1), at: 1, in: .production) == .full)
        #expect(answers.add(record(-1), at: 1, in: .sandbox) == .needsWriter)
        var written: [String] = []
        var lost = 0
        await answers.drain(.production) { page in
            #expect(page.records.count <= RetentionAnswers.pageCount)
            written += page.records.map(\.requestId)
            return true
        } pause: { _ in
        } lost: {
            lost += $0
        }
        #expect(lost == 0)
        #expect(written == (0..<RetentionAnswers.waitingCount).map { "\($0)" })
        #expect(answers.add(record(0), at: 1, in: .production) == .needsWriter)
    }

    @Test("A page states the oldest position that its answers include")
    func position() async {
        for position in [7, 3, 9] as [Int64] {
            _ = answers.add(record(Int(position)), at: position, in: .production)
        }
        var positions: [Int64] = []
        await answers.drain(.production) { page in
            positions.append(page.position)
            return true
        } pause: { _ in
        } lost: { _ in
        }
        #expect(positions == [3])
    }

    @Test("Records that could not be written are written again, before later ones")
    func again() async {
        let ids = (0...RetentionAnswers.pageCount).map { "\($0)" }
        for number in ids.indices { _ = answers.add(record(number), at: 1, in: .production) }
        var written: [[String]] = []
        var pauses: [Duration] = []
        var lost = 0
        await answers.drain(.production) { page in
            written.append(page.records.map(\.requestId))
            return written.count > 1
        } pause: {
            pauses.append($0)
        } lost: {
            lost += $0
        }
        #expect(lost == 0)
        let first = Array(ids.dropLast())
        #expect(written == [first, first, Array(ids.suffix(1))])
        #expect(pauses == [RetentionAnswers.retryInterval, RetentionAnswers.writeInterval])
    }

    @Test("Records that are being written count towards the bound, and then no longer")
    func held() async {
        for number in 1..<RetentionAnswers.waitingCount {
            _ = answers.add(record(number), at: 1, in: .production)
        }
        var admissions: [RetentionAnswers.Admission] = []
        await answers.drain(.production) { _ in
            guard admissions.isEmpty else { return true }
            for _ in 0..<2 { admissions.append(answers.add(record(0), at: 1, in: .production)) }
            return true
        } pause: { _ in
        } lost: { _ in
        }
        #expect(admissions == [.waits, .full])
        #expect(answers.add(record(0), at: 1, in: .production) == .needsWriter)
    }

    @Test("A writer that is cancelled drops what it cannot write, and counts it")
    func cancelled() async {
        for number in 0..<3 { _ = answers.add(record(number), at: 1, in: .production) }
        let writer = Task { [answers] in
            var lost = 0
            await answers.drain(.production) { _ in
                false
            } pause: { _ in
                await Task.yield()
            } lost: {
                lost += $0
            }
            return lost
        }
        writer.cancel()
        #expect(await writer.value == 3)
        #expect(answers.add(record(0), at: 1, in: .production) == .needsWriter)
    }

    @Test("A page that cannot be written is dropped after the bound, and the next one is written")
    func poisoned() async {
        for number in 0...RetentionAnswers.pageCount {
            _ = answers.add(record(number), at: 1, in: .production)
        }
        var (failureCount, lost) = (0, [Int]())
        await answers.drain(.production) { page in
            guard page.records[0].requestId == "0" else { return true }
            failureCount += 1
            return false
        } pause: { _ in
        } lost: {
            lost.append($0)
        }
        #expect(failureCount == RetentionAnswers.attemptCount)
        #expect(lost == [RetentionAnswers.pageCount])
        #expect(answers.add(record(0), at: 1, in: .production) == .needsWriter)
    }
}
