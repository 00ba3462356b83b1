import AppStore
import Intake
import Ledger
internal import Queries

/// Text of recoveries for people.
public enum RecoveryText {
    /// One line of progress.
    public static func progress(_ progress: Recovery.Progress) -> String {
        "recover: \(progress.fetchedCount) fetched, \(progress.appendedCount) new,"
            + " \(progress.doneSliceCount) of \(progress.sliceCount.named("slice", "slices"))"
    }

    /// A window in which notifications seem to be missing.
    public static func suggestion(_ suggestion: OutageDetection.Suggestion) -> String {
        let reasons = suggestion.reasons.map { reason in
            switch reason {
            case .silence: "nothing arrived for longer than usual"
            case .lateDeliveries: "many arrived late"
            case .failedDeliveries: "Apple could not deliver"
            }
        }
        return "\(suggestion.from.rfc3339) to \(suggestion.to.rfc3339): "
            + reasons.joined(separator: "; ")
    }

    /// A window beyond Apple's history, which is not requested.
    public static func tooOld(_ suggestion: OutageDetection.Suggestion) -> String {
        "skipped, older than Apple's history (180 days in Production, 30 in Sandbox): "
            + RecoveryText.suggestion(suggestion)
    }

    /// The text where nothing was requested, with the bound of detection; `isTooOld` if windows
    /// older than Apple's history look suspicious, `hasDeliveries` if there is anything to detect
    /// them by, `versionOneAt` if Apple last delivered version 1.
    public static func nothing(
        isTooOld: Bool, hasDeliveries: Bool, versionOneAt: Timestamp? = nil,
        complete: CompleteWindow?
    ) -> String {
        let days = OutageDetection.lookBackMilliseconds / 86_400_000
        let found =
            if let versionOneAt {
                "Apple delivers version 1 notifications here, the last at \(versionOneAt.rfc3339):"
                    + " neither detection nor Apple's history knows any but version 2."
            } else if !hasDeliveries {
                "No delivery is known here: Apple may not reach this service. Apple lists no failed"
                    + " delivery that is missing here."
            } else if isTooOld {
                "Nothing looks missing within Apple's history; for older notifications `subledger"
                    + " backfill` fetches the histories of customers."
            } else {
                "Nothing looks missing in the last \(days) days: no silence, no late cluster, no"
                    + " failed delivery."
            }
        return """
            \(found)
            Detection examines the \(days) days up to the last delivery; whether anything from \
            before is missing, only `subledger recover --from T` can tell (\(complete.text)).

            """
    }

    /// The report of a requested window.
    public static func report(_ report: RecoveryReport) -> String {
        let from = report.from?.rfc3339 ?? ""
        var lines = [
            "\(from) to \(report.to?.rfc3339 ?? "")",
            report.fetchedCount.named("notification", "notifications")
                + " from Apple: \(report.knownCount) known, \(report.newCount) new",
        ]
        lines += types(report)
        lines += chains(report) + customers(report) + failures(report)
        if report.tooOldCount > 0 {
            lines.append(
                "Apple keeps no notifications from before \(from);"
                    + " \(report.tooOldCount.named("chain was", "chains were")) alive then:"
                    + " fetch the histories with `subledger backfill`.")
        }
        if report.endsEarlier {
            lines.append(
                "This resumed an earlier recovery, which ends at \(report.to?.rfc3339 ?? ""); the"
                    + " next one fetches what was sent since.")
        }
        lines.append(certainty(report))
        return lines.printableText
    }

    /// The longest list of a report; `--json` has all of it.
    private static let listLength = 10

    /// The most frequent first.
    private static func types(_ report: RecoveryReport) -> [String] {
        let sorted = report.newByType.sorted { ($1.count, $0.type) < ($0.count, $1.type) }
        var lines = sorted.prefix(listLength).map { "  \($0.type): \($0.count)" }
        if lines.count < sorted.count { lines.append("  and \(sorted.count - lines.count) more") }
        return lines
    }

    private static func chains(_ report: RecoveryReport) -> [String] {
        guard !report.chains.isEmpty else { return ["no chain's state changed"] }
        let shown = report.chains.prefix(listLength)
        let count = report.chains.count + report.chainsOmitted
        var lines = [count.named("chain", "chains") + " changed state:"]
        lines += shown.map { chain in
            "  \(chain.chain.originalTransactionId): \(chain.before?.text ?? "unknown") →"
                + " \(chain.after?.text ?? "unknown")"
        }
        if shown.count < count {
            lines.append(more(count - shown.count, omitted: report.chainsOmitted))
        }
        return lines
    }

    private static func customers(_ report: RecoveryReport) -> [String] {
        guard !report.customers.isEmpty else { return [] }
        var shown = 0
        let count = report.customers.count + report.customersOmitted
        var lines = [count.named("customer", "customers") + " got wrong answers:"]
        for customer in report.customers {
            let isFull = lines.count - 1 + customer.entitlements.count > listLength
            guard shown == 0 || !isFull else { break }
            shown += 1
            for access in customer.entitlements {
                var parts: [String] = []
                if access.deniedMilliseconds > 0 {
                    parts.append(
                        "denied for \(Duration.milliseconds(access.deniedMilliseconds).text)")
                }
                if access.grantedMilliseconds > 0 {
                    parts.append(
                        "granted for \(Duration.milliseconds(access.grantedMilliseconds).text) too long"
                    )
                }
                lines.append(
                    "  \(customer.customer): \(access.entitlement) "
                        + parts.joined(separator: ", "))
            }
        }
        if shown < count { lines.append(more(count - shown, omitted: report.customersOmitted)) }
        return lines
    }

    /// What a list leaves out, and how much of that the report leaves out, too.
    private static func more(_ count: Int, omitted: Int) -> String {
        "  and \(count - omitted) more (--json)" + (omitted > 0 ? ", \(omitted) not listed" : "")
    }

    private static func failures(_ report: RecoveryReport) -> [String] {
        var lines: [String] = []
        if !report.undelivered.isEmpty {
            var counts: [String: Int] = [:]
            for entry in report.undelivered { counts[entry.results.last ?? "", default: 0] += 1 }
            let words = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            lines.append(
                "\(report.undelivered.count) not delivered by Apple: "
                    + words.joined(separator: ", "))
            if report.isUndeliveredCut {
                lines.append(
                    "  there may be more: `recover --only-failures` with a shorter window lists"
                        + " them")
            }
        }
        for error in report.errors.prefix(listLength) {
            lines.append("! \(error.input): \(error.code): \(error.message)")
        }
        if report.refusedCount > 0 {
            lines.append(
                report.refusedCount.named("piece was", "pieces were")
                    + " rejected (see quarantine)")
        }
        return lines
    }

    private static func certainty(_ report: RecoveryReport) -> String {
        let why =
            switch report.reservation {
            case nil: ""
            case .filtered: "; only part of the window was requested"
            case .refused: "; rejected pieces prevent it from advancing"
            case .gap: "; the time between that and this window is not covered"
            case .future: "; the window begins in the last five minutes or in the future"
            case .versionOne:
                "; Apple's history does not cover the time in which it sends version 1 notifications"
            }
        return "\(report.complete.text)\(why); log position \(report.position)"
    }
}
