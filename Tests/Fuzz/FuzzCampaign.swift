import Foundation

/// Tries targets one after the other, each for the same time and in a process of its own, and goes
/// on when one breaks.
struct FuzzCampaign {
    let directory: FuzzDirectory
    /// For each target.
    let seconds: Int

    /// Seconds one input may take: the slowest honest one takes a hundredth of that.
    static let inputSeconds = 10
    /// MiB the process may have; the address sanitizer takes most of it.
    static let memoryMiB = 2_048

    /// Whether no target broke.
    func run(_ targets: [any FuzzTarget]) throws -> Bool {
        var isClean = true
        for target in targets {
            try directory.plant(target)
            let hasBroken = try runOne(target) != 0
            print(try summary(of: target))
            if hasBroken {
                isClean = false
                print(try advice(on: target))
            }
            // A log of this run is read while it goes on.
            fflush(nil)
        }
        return isClean
    }

    private func runOne(_ target: any FuzzTarget) throws -> Int32 {
        let log = directory.log(target)
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let output = FileHandle(forWritingAtPath: log)
        else { throw CocoaError(.fileWriteUnknown) }
        let child = Process()
        child.executableURL = URL(filePath: CommandLine.arguments[0])
        child.arguments = [
            "one", directory.path, target.name, "-max_total_time=\(seconds)",
            "-max_len=\(target.maximumByteCount)", "-timeout=\(FuzzCampaign.inputSeconds)",
            "-rss_limit_mb=\(FuzzCampaign.memoryMiB)", "-print_final_stats=1",
            "-artifact_prefix=\(directory.findings(target))/", directory.corpus(target),
            directory.findings(target),
        ]
        // libFuzzer handles the trap; Swift's own report would wait for the process it is in.
        child.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
        child.standardOutput = output
        child.standardError = output
        try child.run()
        child.waitUntilExit()
        return child.terminationStatus
    }

    private func summary(of target: any FuzzTarget) throws -> String {
        let text = String(
            decoding: try Data(contentsOf: URL(filePath: directory.log(target))), as: UTF8.self)
        func last(_ marker: String) -> String {
            guard let range = text.range(of: marker, options: .backwards) else { return "?" }
            return text[range.upperBound...].drop { $0 == " " }
                .prefix { $0 != " " && $0 != "\n" }.description
        }
        return """
            \(target.name): \(last("stat::number_of_executed_units:")) executions, \
            \(last(" cov:")) edges covered, corpus of \(last(" corp:")), \
            \(last("stat::peak_rss_mb:")) MiB at most
            """
    }

    private func advice(on target: any FuzzTarget) throws -> String {
        let inputs = try directory.keptInputs(target).joined(separator: "\n  ")
        let again = """
            SWIFT_BACKTRACE=enable=no \(CommandLine.arguments[0]) one \(directory.path) \
            \(target.name)
            """
        return """
            error: \(target.name) broke; the log is \(directory.log(target)). Kept inputs:
              \(inputs)
              Try one again:  \(again) INPUT
              Make it small:  the same with -minimize_crash=1 -runs=100000
              Make it a test: write the input, or paste `base64 -w0 INPUT`, into FuzzRegressionTests
                              of the room's tests, and fix the room until they pass.
              The next run tries it again first.
            """
    }
}
