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
    func waiting() {
        #expect(answers.page(in: .production) == nil)
        #expect(answers.add(record(0), at: 1, in: .production) == .needsWriter)
        let more = (1..<RetentionAnswers.waitingCount).count {
            answers.add(record($0), at: 1, in: .production) == .waits
        }
        #expect(more == RetentionAnswers.waitingCount - 1)
        #expect(answers.add(record(-1), at: 1, in: .production) == .full)
        #expect(answers.add(record(-1), at: 1, in: .sandbox) == .needsWriter)
        var written: [String] = []
        while let page = answers.page(in: .production) {
            #expect(page.records.count <= RetentionAnswers.pageCount)
            written += page.records.map(\.requestId)
        }
        #expect(written == (0..<RetentionAnswers.waitingCount).map { "\($0)" })
        #expect(answers.add(record(0), at: 1, in: .production) == .needsWriter)
    }

    @Test("A page states the oldest position that its answers include")
    func position() {
        for position in [7, 3, 9] as [Int64] {
            _ = answers.add(record(Int(position)), at: position, in: .production)
        }
        #expect(answers.page(in: .production)?.position == 3)
    }
}
