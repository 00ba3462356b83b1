import AppStore
import ArgumentParser
import LedgerService
import LedgerStore
import Signing
import Simulator

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Tell stories through a scratch ledger.",
        discussion: """
            A story is a folder under Replays/ (notifications.ndjson with decoded payloads, signed \
            here by a throw-away authority), or an NDJSON file. Prints each chain's timeline; with \
            --check, compares with the folder's expected.json.
            """)

    @Argument(help: "Folders or NDJSON files.")
    var stories: [String]

    @Flag(help: "Compare with expected.json; exit code 1 when something differs.")
    var check = false

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            let authority = try Authority()
            var failures = 0
            for path in stories {
                let story: Story
                do { story = try Story(path: path) } catch let problem as Story.Problem {
                    throw CommandFailure(
                        code: "unreadableStory", message: problem.description, exit: .negative)
                }
                failures += try await tell(story, authority)
            }
            if failures > 0 { throw ExitCode(CommandFailure.Exit.negative.rawValue) }
        }
    }

    /// The number of differences and refusals.
    private func tell(_ story: Story, _ authority: Authority) async throws -> Int {
        let roots = try TrustedRoots.apple.adding(authority.rootDER)
        let apps = story.bundleIds.map {
            Configuration.App(bundleId: $0)
        }
        let scratch = try await ScratchLedger.open(
            environment: story.environment, apps: apps, roots: roots) { Console.now }
        let result: Result<Int, any Error>
        do {
            result = .success(try await tell(story, authority, in: scratch))
        } catch {
            result = .failure(error)
        }
        await scratch.remove()
        return try result.get()
    }

    private func tell(
        _ story: Story, _ authority: Authority, in scratch: ScratchLedger
    ) async throws -> Int {
        let lines = try story.deliveries.map { try $0.line(signedBy: authority) }
        let summary = try await scratch.take(lines, name: story.name)
        let session = try await scratch.session()
        var problems = summary.errors.map { "\($0.input): \($0.code): \($0.message)" }
        if check {
            guard let expected = story.expected else {
                throw CommandFailure(
                    code: "nothingExpected",
                    message: "\(story.name) has no expected.json to check against.",
                    exit: .negative)
            }
            problems += try await StoryCheck(expected: expected).differences(session)
            try report(story, problems)
        } else {
            for problem in problems { Console.note(problem) }
            try await show(session)
        }
        try? session.projections.close()
        return problems.count
    }

    private func report(_ story: Story, _ problems: [String]) throws {
        if common.json {
            return try Console.out { json in
                json.object { json in
                    json.member("story", story.name)
                    json.member("passed", problems.isEmpty)
                    json.array("differences", problems)
                }
            }
        }
        try Console.out("\(problems.isEmpty ? "ok  " : "FAIL") \(story.name)\n")
        for problem in problems { try Console.out("    \(problem)\n") }
    }

    private func show(_ session: LedgerSession) async throws {
        let moment = Moment(at: nil, now: Console.now)
        var after: ChainCursor?
        while let reading = try await session.query.next(after: &after, moment: moment) {
            if common.json {
                try Console.out { reading.writeTimeline(to: &$0) }
            } else {
                try Console.out(reading.timelineText() + "\n")
            }
        }
    }
}
