import AppStore
import Intake
import Queries
import Signing

extension IngestSummary {
    /// The outcomes by count, for people.
    var countsText: String {
        "\(appended) appended, \(repeatsText),"
            + " \(rejected) rejected, \(quarantined) quarantined"
    }

    /// Duplicates and conflicts by count, for people.
    var repeatsText: String {
        duplicates.named("duplicate", "duplicates") + ", "
            + conflicts.named("conflict", "conflicts")
    }

    /// Lines about what is not in the log. Identical errors are merged into one line.
    var notes: [String] {
        var notes = GroupedMessages.gather(
            errors.map { ($0.input, "\($0.code): \($0.message)\(IngestSummary.remedy($0.code))") }
        ).map { "\($0.placesText): \($0.text)".printable }
        if notKept > 0 {
            notes.append("quarantine is full: \(notKept) of them were not kept; ingest them again")
        }
        if errorsOmitted > 0 { notes.append("… and \(errorsOmitted) more") }
        return notes
    }

    /// What the operator can do, after the reason for a refusal.
    private static func remedy(_ code: String) -> String {
        switch VerificationCode(rawValue: code) {
        case .untrustedRoot: " Or name it with --trust-root."
        case .wrongApp, .sharedSecretMissing:
            " `subledger quarantine retry` ingests the copy once the configuration accepts it."
        default: ""
        }
    }
}
