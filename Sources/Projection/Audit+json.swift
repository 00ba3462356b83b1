public import AppStore
import LedgerStore

extension Audit.Report {
    /// Findings left out because a list was full.
    public var omittedCount: Int64 { log.findingsOmitted + Int64(signatureFindingsOmitted) }

    /// The members of the `audit verify` object of `Contract.md`.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("sound", isSound)
        json.member("events", log.eventCount)
        json.member("tombstones", log.tombstoneCount)
        json.member("position", log.head?.position)
        json.member("root", log.head?.root)
        json.member("projectionsMatch", projectionsMatch)
        json.member("projectionsError", projectionsFailure?.code.rawValue)
        json.member("signaturesVerified", signaturesVerified)
        json.member("signaturesNotVerifiable", signaturesNotVerifiable)
        json.objects("findings", log.findings) { json, finding in
            json.member("position", finding.position)
            json.member("code", finding.code.rawValue)
            json.member("table", finding.table)
        }
        json.objects("signatureFindings", signatureFindings) { json, finding in
            json.member("position", finding.position)
            json.member("code", finding.code)
            json.member("message", finding.message)
        }
        json.member("findingsOmitted", omittedCount)
    }
}
