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

    @Argument(help: "Folders or NDJSON files.", completion: .file())
    var stories: [String]

    @Flag(help: "Compare with expected.json; exit code 1 on any difference.")
    var check = false

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let authority = try Authority()
        var replayed: [Replayed] = []
        for path in stories {
            let one = try await replay(try Story(path: path), authority)
            if !common.json { try report(one) }
            replayed.append(one)
        }
        let isPassed = replayed.allSatisfy(\.problems.isEmpty)
        return Output(text: "", isClean: isPassed) { [replayed] json in
            json.member("passed", isPassed)
            json.objects("stories", replayed) { json, story in
                json.member("story", story.name)
                json.member("passed", story.problems.isEmpty)
                json.array("differences", story.problems)
                if !check { json.array("timelines", story.timelines) { $1.writeTimeline(to: &$0) } }
            }
        }
    }

    /// A story, its differences and refusals, and without `--check` its timelines.
    private struct Replayed {
        let name: String
        let problems: [String]
        let timelines: [ChainReading]
    }

    private func replay(_ story: Story, _ authority: Authority) async throws -> Replayed {
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
    ) async throws -> Replayed {
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
        return Replayed(name: story.name, problems: problems, timelines: timelines)
    }

    private func readings(_ session: LedgerSession) async throws -> [ChainReading] {
        let moment = Moment(at: nil, now: Terminal.now)
        var cursor: ChainCursor?
        var readings: [ChainReading] = []
        while let reading = try await session.snapshot.next(after: &cursor, moment: moment) {
            readings.append(reading)
        }
        return readings
    }

    private func report(_ story: Replayed) throws {
        if check {
            try Terminal.out("\(story.problems.isEmpty ? "ok  " : "FAIL") \(story.name)\n")
            for problem in story.problems { try Terminal.out("    \(problem)\n") }
            return
        }
        for problem in story.problems { Terminal.note(problem) }
        for reading in story.timelines { try Terminal.out(reading.timelineText() + "\n") }
    }
}
