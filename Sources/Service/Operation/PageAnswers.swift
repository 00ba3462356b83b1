internal import LedgerStore
import Synchronization

/// Answers for pages that may take long, computed in the background. The request that starts one
/// waits briefly for it; one that takes longer is kept for later requests.
public final class PageAnswers: Sendable {
    /// Answers being computed or kept; beyond it the oldest finished one is forgotten.
    static let count = 20
    /// How long an answer is kept that took longer than its request waited.
    static let keptDuration: Duration = .seconds(60)
    /// How long a request waits.
    public static let patienceSeconds = 2

    /// An answer, which is being made until it has a result.
    final class Answer: Sendable {
        let isDone = WakeSignal()
        private let ended =
            Mutex<(result: Result<any Sendable, any Error>, at: ContinuousClock.Instant)?>(nil)

        fileprivate let progress = Mutex<ReportProgress?>(nil)

        var result: Result<any Sendable, any Error>? { ended.withLock { $0?.result } }

        fileprivate var endedAt: ContinuousClock.Instant? { ended.withLock { $0?.at } }

        func end(_ result: Result<any Sendable, any Error>) {
            ended.withLock { $0 = (result, .now) }
            isDone.raise()
        }
    }

    private let answers = Mutex<[String: Answer]>([:])

    /// The answer under a key, or a new one, which the caller makes; nil while there is no room.
    func answer(_ key: String) -> (answer: Answer, isNew: Bool)? {
        answers.withLock { answers in
            answers = answers.filter { _, answer in
                answer.endedAt.map { $0.duration(to: .now) < PageAnswers.keptDuration } ?? true
            }
            if let known = answers[key] { return (known, false) }
            if answers.count >= PageAnswers.count {
                let ended = answers.compactMap { key, answer in answer.endedAt.map { (key, $0) } }
                guard let oldest = ended.min(by: { $0.1 < $1.1 }) else { return nil }
                answers[oldest.0] = nil
            }
            let new = Answer()
            answers[key] = new
            return (new, true)
        }
    }

    /// The result of an answer; nil while it is being made, and where it was forgotten meanwhile.
    ///
    /// - Parameter isKept: whether later requests get the answer, too; none gets a failure again.
    func result(
        of answer: Answer, _ key: String, isKept: Bool
    ) -> Result<any Sendable, any Error>? {
        answers.withLock { answers in
            guard answers[key] === answer, let result = answer.result else { return nil }
            let isFailure = if case .failure = result { true } else { false }
            if isFailure || !isKept { answers[key] = nil }
            return result
        }
    }

    /// Nil before the first events are read, and where no answer is being made.
    func progress(_ key: String) -> ReportProgress? {
        answers.withLock { $0[key] }?.progress.withLock { $0 }
    }

    /// Forgets every answer, also those being made.
    func removeAll() { answers.withLock { $0 = [:] } }
}

extension LedgerHost {
    /// An answer for a page, which may take long: made in the background, one at a time. Nil while
    /// it is being made: the page asks again. An answer that was ready in time is never kept, so
    /// that it is always current; a failure is thrown once, since the next attempt may succeed.
    ///
    /// Throws what `make` throws, and `OperatorError` (`tooManyJobs`).
    public func pageAnswer<Value: Sendable>(
        _ key: String, patience: Duration = .seconds(PageAnswers.patienceSeconds),
        _ make: @escaping @Sendable (@escaping ReportProgress.Handler) async throws -> Value
    ) async throws -> Value? {
        guard let (answer, isNew) = pageAnswers.answer(key) else {
            throw OperatorError(
                .tooManyJobs, "\(PageAnswers.count) reports are being made; retry later.")
        }
        if isNew {
            background.start { [self] in
                await jobTurns.pass {
                    do {
                        let value = try await make { progress in
                            answer.progress.withLock { $0 = progress }
                        }
                        answer.end(.success(value))
                    } catch {
                        answer.end(.failure(error))
                    }
                }
            }
            await answer.isDone.sleep(atMost: patience)
        }
        return try pageAnswers.result(of: answer, key, isKept: !isNew)?.get() as? Value
    }

    /// How far the answer under a key is; nil before its first events are read.
    public func pageProgress(_ key: String) -> ReportProgress? { pageAnswers.progress(key) }
}
