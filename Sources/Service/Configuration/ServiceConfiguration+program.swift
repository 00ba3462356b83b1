import AppStore
internal import Intake
import Ledger

extension ServiceConfiguration {
    /// When each app's developer was in Apple's Small Business Program: `from` inclusive, `to`
    /// exclusive or absent while it lasts; days begin at midnight UTC.
    static func smallBusinessProgram(
        _ apps: [YAMLMapping]
    ) throws(ConfigurationError) -> [BundleId: [Catalogue.ProgramSpan]] {
        var found: [BundleId: [Catalogue.ProgramSpan]] = [:]
        for var app in apps {
            var spans: [Catalogue.ProgramSpan] = []
            for var entry in try app.mappings("smallBusinessProgram") {
                spans.append(try span(&entry))
            }
            if !spans.isEmpty { found[BundleId(try app.required("bundleId"))] = spans }
        }
        return found
    }

    private static func span(
        _ entry: inout YAMLMapping
    ) throws(ConfigurationError) -> Catalogue.ProgramSpan {
        let from = try entry.required("from")
        let to = try entry.text("to")
        try entry.requireNothingElse()
        guard let begin = Timestamp(userInput: from) else {
            throw entry.invalid("from", "A day is expected, e.g. 2026-01-31.")
        }
        var end: Timestamp?
        if let to {
            guard let stated = Timestamp(userInput: to), begin < stated else {
                throw entry.invalid(
                    "to", "A day after `from` is expected, e.g. 2026-12-31; it is exclusive.")
            }
            end = stated
        }
        return Catalogue.ProgramSpan(from: begin, to: end)
    }
}
