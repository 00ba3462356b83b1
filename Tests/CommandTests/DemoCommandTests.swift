import AppStore
import Foundation
import Testing

@Suite("subledger demo")
struct DemoCommandTests {
    @Test("With --once it exits, suggests what still works, and reaches no ledger of the operator")
    func once() async throws {
        let place = try await Workplace.taken(options: [])
        let name = #"it's a "\demo" of $1"#
        let own = try content(of: place.file("data"))
        #expect(!own.isEmpty)
        let reported = try await place.run(
            ["demo", "--once", "--chains", "40", "--port", "0", "--data", name],
            variables: [
                "SUBLEDGER_CONFIG": "none.yaml", "SUBLEDGER_DATA": place.file("data"),
                "SUBLEDGER_DATABASE": "postgresql://127.0.0.1:1/none",
                "SUBLEDGER_ENVIRONMENT": "sandbox", "SUBLEDGER_BUNDLE_ID": "com.example.mine",
                "SUBLEDGER_APP_APPLE_ID": "42", "SUBLEDGER_TRUST_ROOT": "none.der",
            ])
        #expect(reported.code == 0, "\(reported.err)")
        #expect(try content(of: place.file("data")) == own)
        for gone in ["curl", "api statuses", "listens on", "Ctrl-C"] {
            #expect(!reported.out.contains(gone), "\(gone)")
        }
        #expect(reported.out.contains(/\d+ notifications arrived\n\(and \d+ transactions/))
        #expect(reported.out.contains(/\d+ were lost in an outage/))
        try expectNextSteps(reported.out)
        try expectShortLists(reported.out)
        let timeline = try #require(reported.out.firstMatch(of: /\S+ timeline \d+ --config .+/)?.0)
        let shown = try await place.shell(String(timeline))
        #expect(shown.code == 0, "\(shown.err)")
        // A purchase of `com.example.season`, which lasts a month.
        let season = try await place.run("show", "21600001", "--config", "\(name)/subledger.yaml")
        #expect(season.out.contains("lapsed"), "\(season.out)")
    }

    @Test("A second demo in the directory of one is refused, which goes on, and ends at SIGHUP")
    func twice() async throws {
        let place = try Workplace(options: [])
        // Few enough to be quick, with a failed payment and a refund of a known customer.
        let first = try place.launch([
            "demo", "--chains", "60", "--port", "0", "--data", "demo",
        ])
        let port = try await DemoCommandTests.port(of: first)
        let second = try await place.run(
            "demo", "--once", "--chains", "40", "--port", "0", "--data", "demo")
        #expect(second.code == 74 && second.errorCode == "directoryInUse", "\(second.err)")
        #expect(second.err.contains("A demo runs in demo"))
        #expect(await (try RawConnection(port: port)).get("/readyz")?.status == 200)
        let events = try await place.run(["export", "events", "--config", "demo/subledger.yaml"])
        #expect(events.code == 0 && !events.out.isEmpty, "\(events.err)")
        let taken = try await place.run(
            "demo", "--once", "--chains", "40", "--port", "\(port)", "--data", "other")
        #expect(taken.code == 74 && taken.errorCode == "portUnavailable", "\(taken.err)")
        #expect(taken.err.ranges(of: "--port").count == 1, "\(taken.err)")
        // As when its terminal closes.
        first.signal(SIGHUP)
        let ending = try await first.kill(afterMilliseconds: DemoCommandTests.endMilliseconds)
        #expect(ending == .signalled(SIGHUP))
        let ended = try first.outcome(code: 0)
        #expect(ended.out.ranges(of: "/console/production/customers/").count == 2)
        #expect(ended.out.contains("/console/production/reports/churn\n"))
        let refunded = try #require(ended.out.matches(of: /customers\/(\S+)/).last?.1)
        let answer = try await place.run(
            "entitlements", String(refunded), "--config", "demo/subledger.yaml", "--json")
        let verdicts = try #require(try answer.json()["entitlements"]?.array)
        let revoked = verdicts.first { $0["state"]?.string == "revoked" }
        let chain = try #require(revoked?["originalTransactionId"]?.string)
        let shown = try await place.run("show", chain, "--config", "demo/subledger.yaml", "--json")
        #expect(try shown.json()["endReason"]?.string == "refund")
    }

    /// Only a demo that SIGHUP does not end reaches it.
    private static let endMilliseconds = 60_000

    /// Polling interval in microseconds; only a hang reaches the number of polls.
    private static let pollMicroseconds: useconds_t = 20_000
    private static let pollCount = 6_000

    /// Waits for the address that a demo prints when everything is in its ledger.
    private static func port(of demo: Launched) async throws -> Int {
        let port: Int? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for _ in 0..<pollCount {
                    let text = (try? demo.outcome(code: 0))?.out ?? ""
                    if let found = text.firstMatch(of: /listens on http:\/\/127.0.0.1:(\d+),/) {
                        return continuation.resume(returning: Int(found.1))
                    }
                    usleep(pollMicroseconds)
                }
                continuation.resume(returning: nil)
            }
        }
        guard let port else {
            _ = try await demo.kill(afterMilliseconds: 1)
            throw LaunchedLine.Silence(errors: try demo.outcome(code: 0).err)
        }
        return port
    }

    /// Every file below a directory.
    private func content(of directory: String) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
        return names.reduce(into: [:]) { files, name in
            files[name] = FileManager.default.contents(atPath: "\(directory)/\(name)")
        }
    }

    /// It ends with five lines to go on with.
    private func expectNextSteps(_ out: String) throws {
        let lines = out.split(separator: "\n")
        let head = try #require(lines.lastIndex { $0.hasSuffix("Next:") })
        let steps = lines[(head + 1)...]
        #expect(steps.count == 5)
        #expect(steps.allSatisfy { $0.hasPrefix("  ") })
        #expect(steps.last?.contains("README.md") == true)
    }

    /// No list of the recovery's report is longer than ten lines and the count of the rest.
    private func expectShortLists(_ out: String) throws {
        let lines = out.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.contains("notifications from Apple:") })
        let report = lines[first...].prefix { !$0.isEmpty }
        for list in report.split(whereSeparator: { !$0.hasPrefix("  ") }) {
            let rest = list.last?.contains(/^  and \d+ more/) == true ? 1 : 0
            #expect(list.count - rest <= 10, "\(list)")
        }
    }
}
