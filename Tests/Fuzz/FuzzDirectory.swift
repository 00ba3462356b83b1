import Foundation
import Simulator

/// Where a campaign keeps what it needs and what it finds.
struct FuzzDirectory {
    let path: String
    let authority: Authority

    /// Makes the directory on first use. Its authority stays the same from run to run: an input
    /// that was found under one root says nothing under another.
    init(_ path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        authority = try Authority.kept(in: path + "/authority")
    }

    /// Every target, in the order they are tried.
    func targets() throws -> [any FuzzTarget] {
        [
            try CompactJWSTarget(authority), try SignedPayloadTarget(authority),
            PayloadTarget.notification, PayloadTarget.transaction, PayloadTarget.renewal,
            CertificateTarget(authority), IngestLineTarget(), ConfigurationTarget(),
            EvidenceTarget(), FactTarget(), LifecycleTarget(),
            ExtremeFactsTarget(), try ReceiptTarget(directory: path),
        ]
    }

    /// The growing corpus of a target.
    func corpus(_ target: any FuzzTarget) -> String { "\(path)/corpus/\(target.name)" }

    /// Inputs that broke the target, of this run or an earlier one: the next run begins with them.
    /// libFuzzer names them by their kind (crash, timeout, oom) and a digest.
    func findings(_ target: any FuzzTarget) -> String { "\(path)/findings/\(target.name)" }

    /// What libFuzzer said of a target in its last run.
    func log(_ target: any FuzzTarget) -> String { "\(path)/logs/\(target.name).txt" }

    /// Writes the seeds of a target into its corpus, which stays as it is otherwise.
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

    /// The paths of the inputs that broke the target.
    func keptInputs(_ target: any FuzzTarget) throws -> [String] {
        let folder = findings(target)
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .sorted().map { "\(folder)/\($0)" }
    }
}
