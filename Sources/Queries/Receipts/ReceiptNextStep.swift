internal import AppStore
internal import Projection

/// A command suggested after examining a receipt, and its purpose.
public struct ReceiptNextStep: Sendable, Hashable {
    /// The command line for a shell.
    public let command: String
    /// Its effect.
    public let purpose: String
}

extension ReceiptExamination {
    /// Suggested requests to the App Store, since a receipt has no renewal state. Empty where
    /// verification failed: the sender could have put in any id.
    ///
    /// Names in an untrusted receipt could end up in a shell, so anything that is not plainly a
    /// name or a number is omitted.
    public func nextSteps(file: String) -> [ReceiptNextStep] {
        let ids = trust == nil ? [] : originalTransactionIds
        guard let first = ids.first else { return [] }
        var options = ""
        if let environment {
            options += " --environment \(EnvironmentLedger.directoryName(environment))"
        }
        if let bundleId, ReceiptExamination.isPlain(bundleId.rawValue) {
            options += " --bundle-id \(bundleId)"
        }
        let source = file == "-" ? "FILE" : file.shellWord
        var steps = [
            ReceiptNextStep(
                command: "subledger receipt \(source) --ids | subledger backfill -\(options)",
                purpose: "fetch statuses and history of \(ids.count) "
                    + (ids.count == 1 ? "chain" : "chains"))
        ]
        steps.append(
            ReceiptNextStep(
                command: "subledger api statuses \(first)\(options)",
                purpose: ids.count == 1 ? "see what it is now" : "see what the first one is now"))
        return steps
    }

    /// Whether a text has only the characters of ids: letters, digits, dots and hyphens, without a
    /// leading hyphen.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("-")
            && text.utf8.allSatisfy { $0.isAlphanumeric(or: ".-") }
    }
}
