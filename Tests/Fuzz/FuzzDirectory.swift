import Foundation
import Simulator

/// The directory of a campaign's inputs and findings.
struct FuzzDirectory {
    let path: String
    let authority: Authority

    /// Creates the directory on first use. Its authority stays the same between runs: an input
    /// found under one root is meaningless under another.
    init(_ path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        authority = try Authority.kept(in: path + "/authority")
    }

    /// Every target, in the order in which they run.
    func targets() throws -> [any FuzzTarget] {
        [
            try CompactJWSTarget(authority), try SignedPayloadTarget(authority),
            PayloadTarget.notification, PayloadTarget.transaction, PayloadTarget.renewal,
            CertificateTarget(authority), IngestLineTarget(), ConfigurationTarget(),
            EvidenceTarget(), FactTarget(), LifecycleTarget(),
            ExtremeFactsTarget(), try ReceiptTarget(directory: path), SalesReportTarget(),
        ]
    }

    /// The growing corpus of a target.
    func corpus(_ target: any FuzzTarget) -> String { "\(path)/corpus/\(target.name)" }

    /// Inputs on which the target failed, in this run or an earlier one: the next run starts with
    /// them. libFuzzer names them by their kind (crash, timeout, oom) and a digest.
    func findings(_ target: any FuzzTarget) -> String { "\(path)/findings/\(target.name)" }

    /// libFuzzer's output for a target in its last run.
    func log(_ target: any FuzzTarget) -> String { "\(path)/logs/\(target.name).txt" }

    /// Writes the seeds of a target into its corpus; existing files stay.
    func plant(_ target: any FuzzTarget) throws {
        let corpus = corpus(target)
        for folder in [corpus, findings(target), path + "/logs"] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
        for (index, seed) in try target.seeds(SeedSource(authority: authority)).enumerated() {
            try Data(seed).write(to: URL(filePath: "\(corpus)/seed-\(index)"))
        }
    }

    /// The paths of the inputs on which the target failed.
    func keptInputs(_ target: any FuzzTarget) throws -> [String] {
        let folder = findings(target)
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .sorted().map { "\(folder)/\($0)" }
    }
}
