import Foundation

/// Runs targets in sequence, each for the same time and in a separate process, and continues when
/// one fails.
struct FuzzCampaign {
    let directory: FuzzDirectory
    /// Per target.
    let seconds: Int

    /// Timeout of one input, seconds: the slowest valid one takes a hundredth of that.
    static let inputSeconds = 10
    /// Memory limit of the process, MiB; the address sanitizer takes most of it.
    static let memoryMiB = 2_048

    /// Returns whether no target failed.
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
            // The log of this run may be read while it continues.
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
        // libFuzzer handles the trap; Swift's own report would wait for its own process.
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
            error: \(target.name) failed; the log is \(directory.log(target)). Kept inputs:
              \(inputs)
              Run one again:  \(again) INPUT
              Minimise it:    the same with -minimize_crash=1 -runs=100000
              Make it a test: add the input, or `base64 -w0 INPUT`, to FuzzRegressionTests of the
                              module's tests, and fix the module until they pass.
              The next run starts with it.
            """
    }
}
