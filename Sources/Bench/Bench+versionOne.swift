import AppStore
internal import Intake
import Ledger
internal import LedgerStore
internal import Signing

extension Bench {
    /// Prepares events of version 1 notifications on one core, against version 2: everything
    /// between the body and the log. `bodies` contain the secret of the apps' `sharedSecretFile`.
    public func versionOne(_ bodies: [[UInt8]], repetitions: Int) throws -> BenchRow {
        let tokens = sample.compactMap { Bench.token($0) }.filter { Bench.hasThreeParts($0) }
        guard !tokens.isEmpty, !bodies.isEmpty else { throw BenchProblem.noInput }
        let preparation = EventPreparation(
            verifier: EvidenceVerifier(roots: roots), packer: EvidencePacker(), apps: apps,
            environment: environment, source: .webhook)
        let one = bodies.map {
            Submission(form: .notificationV1(NotificationV1Body($0)), input: "bench")
        }
        let two = tokens.prefix(256).map { Submission(form: .jws($0), input: "bench") }
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        func prepare(_ submissions: some Sequence<Submission>) throws {
            for submission in submissions {
                guard case .event = preparation.prepare(submission, now: now) else {
                    throw BenchProblem.refused
                }
            }
        }
        try prepare(two.prefix(1))
        return try Bench.rate(
            "receipts, version 1 notifications", "notifications/s",
            against: "version 2 notifications", repetitions: repetitions
        ) {
            try prepare(one)
            return one.count
        } beside: {
            try prepare(two)
            return two.count
        }
    }
}
