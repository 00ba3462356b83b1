import AppStore
import Ledger
internal import LedgerStore
internal import Projection
import Signing

extension Doctor {
    /// Tolerated difference between two clocks: Apple's and ours, or ours now and when an event
    /// arrived.
    static let clockToleranceMilliseconds: Int64 = 5 * 60_000

    /// Findings in the events about the configuration or the clock.
    func events(of ledger: EnvironmentLedger) async throws(StoreError) -> [Finding] {
        var seen = Seen()
        var position: Int64 = 0
        while true {
            let page = try await ledger.log.events(after: position, damaged: .marked)
            guard let last = page.last else { break }
            position = last.position
            for event in page { seen.note(event, now: now) }
        }
        var findings: [Finding] = []
        func note(_ level: Finding.Level, _ subject: String, _ message: String) {
            findings.append(Finding(level, subject, message))
        }
        if let first = seen.firstDamaged {
            note(
                .bad, "log",
                "\(seen.damagedCount.named("row", "rows")), from position \(first), cannot be read:"
                    + " the content is in no answer. See `subledger audit verify`; restore the"
                    + " newest backup that verifies.")
        }
        if seen.foreignRootCount > 0, environment == .production {
            note(
                .warning, "log",
                seen.foreignRootCount.named("event is", "events are")
                    + " signed under other roots than Apple's; see rootFingerprint in"
                    + " `subledger export events`.")
        }
        if let first = seen.firstFuture {
            note(
                .warning, "clock",
                "\(seen.futureCount.named("event", "events")), from position \(first),"
                    + " \(seen.futureCount == 1 ? "claims" : "claim") to have arrived in the"
                    + " future: the clock was ahead then, or is behind now. Queries of what was known"
                    + " at a time (--known-at) are off by as much; positions are not. Until the"
                    + " clock has caught up with the newest of them, new events are dated so, too:"
                    + " commands take effect late, and feeds and webhooks emit ends early.")
        }
        if let first = seen.firstEarly {
            note(
                .warning, "clock",
                "\(seen.earlyCount.named("event", "events")), from position \(first), arrived"
                    + " before Apple signed \(seen.earlyCount == 1 ? "it" : "them"): the clock was"
                    + " behind by more than \(Doctor.clockToleranceMilliseconds / 60_000) minutes.")
        }
        return findings
    }

    /// Counts from reading the log.
    private struct Seen {
        var foreignRootCount = 0
        var futureCount = 0
        var firstFuture: Int64?
        var earlyCount = 0
        var firstEarly: Int64?
        var damagedCount = 0
        var firstDamaged: Int64?

        mutating func note(_ event: RecordedEvent, now: Timestamp) {
            guard !event.isDamaged else {
                damagedCount += 1
                firstDamaged = firstDamaged ?? event.position
                return
            }
            if event.attributes.trust == .signed,
                event.attributes.rootFingerprint.map({ !TrustedRoots.isApple($0) }) ?? true
            {
                foreignRootCount += 1
            }
            // Arrival times claimed by an import say nothing about the clock.
            guard !event.receivedAtClaimed else { return }
            let tolerance = Doctor.clockToleranceMilliseconds
            if event.receivedAt.milliseconds(since: now) > tolerance {
                futureCount += 1
                firstFuture = firstFuture ?? event.position
            }
            if let signedAt = event.attributes.signedAt,
                signedAt.milliseconds(since: event.receivedAt) > tolerance
            {
                earlyCount += 1
                firstEarly = firstEarly ?? event.position
            }
        }
    }
}
