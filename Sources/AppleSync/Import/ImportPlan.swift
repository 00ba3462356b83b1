public import AppStore
internal import Projection

/// The cost of fetching the histories of all customers named in a directory.
public struct ImportPlan: Sendable, Equatable {
    public let parts: [Part]

    /// One app in one environment; Apple's limits apply to each separately.
    public struct Part: Sendable, Equatable {
        public let scope: ImportScope
        public let estimate: BackfillEstimate
    }

    /// One part per app and environment with customers.
    public init(_ evidence: StoredEvidence, includesRefunds: Bool) {
        parts = evidence.scopes.map { scope in
            Part(
                scope: scope,
                estimate: BackfillEstimate(
                    ids: evidence.ids(of: scope).count, includesRefunds: includesRefunds,
                    environment: scope.environment))
        }
    }

    public var requests: Int64 { parts.reduce(0) { $0 + $1.estimate.requests } }
    /// Parts run sequentially.
    public var milliseconds: Int64 { parts.reduce(0) { $0 + $1.estimate.milliseconds } }

    /// The lines of the plan for people.
    public func lines(_ evidence: StoredEvidence) -> [String] {
        var lines = [
            evidence.files.count.named("file", "files") + ": "
                + evidence.receipts.named("receipt", "receipts") + ", "
                + evidence.responses.named("verifyReceipt response", "verifyReceipt responses")
                + ", "
                + evidence.notifications.named(
                    "version 1 notification", "version 1 notifications") + ", "
                + evidence.transactionReceipts.named(
                    "transaction receipt", "transaction receipts") + "; "
                + evidence.badInputCount.named("unusable input", "unusable inputs")
        ]
        for (app, count) in evidence.otherApps.sorted(by: { $0.key < $1.key }) {
            let name = app.rawValue.isEmpty ? "an unnamed app" : "\(app)"
            lines.append("skipped: \(count) of \(name), which is not configured")
        }
        if evidence.otherEnvironments > 0 {
            lines.append("skipped: \(evidence.otherEnvironments) of other environments")
        }
        for part in parts {
            let name = EnvironmentLedger.directoryName(part.scope.environment)
            lines.append("\(part.scope.bundleId), \(name): \(part.estimate.text)")
        }
        return lines
    }

    /// The members of the plan.
    public func write(to json: inout JSONWriter, _ evidence: StoredEvidence) {
        json.member("directory", evidence.directory)
        json.member("files", evidence.files.count)
        json.member("receipts", evidence.receipts)
        json.member("responses", evidence.responses)
        json.member("notifications", evidence.notifications)
        json.member("transactionReceipts", evidence.transactionReceipts)
        json.array("badInputs", evidence.badInputs)
        json.member("badInputsOmitted", evidence.badInputsOmitted)
        json.objects("otherApps", evidence.otherApps.sorted { $0.key < $1.key }) { json, app in
            json.member("bundleId", app.key.rawValue.isEmpty ? nil : app.key.rawValue)
            json.member("pieces", app.value)
        }
        json.member("otherEnvironments", evidence.otherEnvironments)
        json.member("customers", evidence.customerCount)
        json.member("requests", requests)
        json.member("seconds", (milliseconds + 999) / 1_000)
        json.objects("plan", parts) { json, part in
            part.scope.writeMembers(to: &json)
            json.member("estimate", part.estimate)
        }
    }
}
