import AppStore
import ArgumentParser
import Intake
import Projection
import Queries
import SQLiteStore
import Signing
import Simulator

struct ReplayCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Replay stories through a scratch ledger.",
        discussion: """
            A story is a folder under Replays/ (notifications.ndjson with decoded payloads, signed \
            here by a disposable authority), or an NDJSON file. Prints each chain's timeline; with \
            --check, compares with the folder's expected.json.
            """)

    @Argument(help: "Folders or NDJSON files.")
    var stories: [String]

    @Flag(help: "Compare with expected.json; exit code 1 on any difference.")
    var check = false

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let authority = try Authority()
        var failures = 0
        var reported: [[UInt8]] = []
        for path in stories {
            let (problems, object) = try await replay(try Story(path: path), authority)
            failures += problems
            reported.append(object)
        }
        let (isPassed, objects) = (failures == 0, reported)
        return Output(text: "", isClean: isPassed) { json in
            json.member("passed", isPassed)
            json.array("stories", objects) { json, story in json.raw(story) }
        }
    }

    /// Replays a story and prints its text; returns the number of differences and refusals, and the
    /// story's part of the JSON.
    private func replay(
        _ story: Story, _ authority: Authority
    ) async throws -> (problems: Int, object: [UInt8]) {
        let roots = try TrustedRoots.apple.adding(authority.rootDER)
        let apps = story.bundleIds.map { Configuration.App(bundleId: $0) }
        let scratch = try await ScratchLedger.open(
            environment: story.environment, apps: apps, roots: roots
        ) { Terminal.now }
        return try await closing(scratch.remove) {
            try await replay(story, authority, in: scratch)
        }
    }

    private func replay(
        _ story: Story, _ authority: Authority, in scratch: ScratchLedger
    ) async throws -> (problems: Int, object: [UInt8]) {
        let lines = try story.deliveries.map { try $0.line(signedBy: authority) }
        let summary = try await scratch.take(lines, name: story.name)
        let session = try await scratch.session()
        var problems = summary.errors.map { "\($0.input): \($0.code): \($0.message)" }
        var timelines: [ChainReading] = []
        if check {
            guard let expected = story.expected else {
                throw CommandFailure(
                    "nothingExpected",
                    "\(story.name) has no expected.json to check against.", .negative)
            }
            problems += try await StoryCheck(expected: expected).differences(session)
        } else {
            timelines = try await readings(session)
        }
        try? session.projections.close()
        if !common.json { try report(story, problems, timelines) }
        return (problems.count, object(story, problems, timelines))
    }

    private func readings(_ session: LedgerSession) async throws -> [ChainReading] {
        let moment = Moment(at: nil, now: Terminal.now)
        var cursor: ChainCursor?
        var readings: [ChainReading] = []
        while let reading = try await session.query.next(after: &cursor, moment: moment) {
            readings.append(reading)
        }
        return readings
    }

    private func report(
        _ story: Story, _ problems: [String], _ timelines: [ChainReading]
    ) throws {
        if check {
            try Terminal.out("\(problems.isEmpty ? "ok  " : "FAIL") \(story.name)\n")
            for problem in problems { try Terminal.out("    \(problem)\n") }
            return
        }
        for problem in problems { Terminal.note(problem) }
        for reading in timelines { try Terminal.out(reading.timelineText() + "\n") }
    }

    private func object(
        _ story: Story, _ problems: [String], _ timelines: [ChainReading]
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("story", story.name)
            json.member("passed", problems.isEmpty)
            json.array("differences", problems)
            if !check { json.array("timelines", timelines) { $1.writeTimeline(to: &$0) } }
        }
        return json.bytes
    }
}
