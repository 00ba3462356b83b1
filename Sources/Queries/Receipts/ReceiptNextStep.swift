internal import AppStore

/// A command to run after a look at a receipt, and what for.
public struct ReceiptNextStep: Sendable, Hashable {
    /// For a shell.
    public let command: String
    /// What it brings.
    public let purpose: String
}

extension ReceiptExamination {
    /// What to ask the App Store next: a receipt knows no renewal state. Nothing where no signature
    /// vouches for it: its sender could have named anything.
    ///
    /// Names in a receipt nobody vouches for would be typed into a shell: what is not plainly a name or
    /// a number is left out.
    ///
    /// - Parameter file: where the receipt was read from, as it was named.
    public func nextSteps(file: String) -> [ReceiptNextStep] {
        let ids = trust == nil ? [] : originalTransactionIds
        guard let first = ids.first else { return [] }
        var options = ""
        if let environment {
            options += " --environment \(ReceiptExamination.name(of: environment))"
        }
        if let bundleId, ReceiptExamination.isPlain(bundleId.rawValue) {
            options += " --bundle-id \(bundleId)"
        }
        let source = file == "-" ? "FILE" : ReceiptExamination.quoted(file)
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

    /// The word `--environment` takes.
    static func name(of environment: Environment) -> String {
        switch environment {
        case .production: "production"
        case .sandbox: "sandbox"
        case .xcode: "xcode"
        case .localTesting: "localTesting"
        }
    }

    /// Letters, digits, points and hyphens, no hyphen first: what ids are made of.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("-")
            && text.utf8.allSatisfy { character in
                switch character {
                case UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// A path as one word of a shell.
    private static func quoted(_ path: String) -> String {
        let plain = path.replacing("/", with: "").replacing("_", with: "")
        guard !isPlain(plain) || path.hasPrefix("-") else { return path }
        return "'" + path.replacing("'", with: "'\\''") + "'"
    }
}
