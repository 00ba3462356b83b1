import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Intake
import Projection
import Service

/// Calls the API, appends signed evidence to the ledger, and prints both.
struct APIRun {
    let common: SharedOptions
    let access: APIOptions

    /// Responses so far; kept and printed even when a later page fails.
    struct Answers {
        var bodies: [[UInt8]] = []
        var environment: AppStore.Environment?
        /// Whether pages beyond the requested number exist.
        var hasMore = false

        mutating func add<Value>(_ answer: APIAnswer<Value>) {
            bodies.append(answer.body)
            environment = answer.environment
        }

        /// Adds pages until they end or the limit is reached.
        mutating func add<Page: PagedResponse>(
            _ walk: PageWalk<Page>, limit: Int
        ) async throws(APIFailure) {
            var pages = walk.makeAsyncIterator()
            while let page = try await pages.next() {
                add(page)
                hasMore = page.value.isFollowed
                if bodies.count >= limit { return }
            }
        }
    }

    typealias Asking = (
        AppStoreServerAPIClient, EnvironmentChoice, inout Answers
    ) async throws(APIFailure) -> Void

    func run(_ endpoint: Endpoint, _ ask: Asking) async throws {
        try await perform {
            let settings = try Settings(common)
            let app = try settings.askedApp(access)
            let transport = HTTPTransport()
            let client: AppStoreServerAPIClient
            do throws(CommandFailure) {
                client = try settings.client(for: app, transport)
            } catch {
                await transport.close()
                throw error
            }
            var answers = Answers()
            var failure: APIFailure?
            do throws(APIFailure) { try await ask(client, common.choice(settings), &answers) } catch
            {
                failure = error
            }
            await transport.close()
            var isClean = true
            if !answers.bodies.isEmpty {
                isClean = try await take(answers, endpoint, settings)
            }
            if let failure { throw CommandFailure(failure) }
            if !isClean { throw ExitCode(CommandFailure.Exit.negative.rawValue) }
        }
    }

    // MARK: Taking in

    /// Appends and prints; returns whether everything signed is in the ledger.
    private func take(
        _ answers: Answers, _ endpoint: Endpoint, _ settings: Settings
    ) async throws -> Bool {
        let reader = AppleResponseReader(verifier: try settings.verifier(), now: Console.now)
        let evidence = answers.bodies.filter { AppleResponseReader.holdsEvidence($0) }
        guard !evidence.isEmpty else {
            try print(answers, endpoint, reader, nil, answers.environment)
            return true
        }
        let environment =
            common.isEnvironmentStated
            ? settings.environment
            : evidence.lazy.compactMap { AppleResponseReader.claimedEnvironment($0) }.first
                ?? answers.environment ?? settings.environment
        let ledger = try await EnvironmentLedger.open(
            settings.configuration.ledger, environment: environment)
        let (apps, verifier) = (try settings.requiredApps(), try settings.verifier())
        let summary = try await settings.withRevocation { revocation in
            try await ResponseIntake(
                ledger: ledger, apps: apps, verifier: verifier, revocation: revocation
            ) { Console.now }.take(evidence, named: endpoint.name)
        }
        let derived = await settings.catchUp(appended: ledger)
        try print(answers, endpoint, reader, summary, environment)
        try derived.get()
        return summary.isClean
    }

    // MARK: Printing

    private func print(
        _ answers: Answers, _ endpoint: Endpoint, _ reader: AppleResponseReader,
        _ summary: IngestSummary?, _ environment: AppStore.Environment?
    ) throws {
        let values = answers.bodies.compactMap { reader.read($0) }
        guard common.json else {
            for value in values { try Console.out(AnswerText.lines(value)) }
            if values.isEmpty { try Console.out("Apple has accepted it.\n") }
            if answers.hasMore { try Console.out("… and more: raise --pages\n") }
            guard let summary else { return }
            for error in summary.errors {
                Console.note("\(error.input): \(error.code): \(error.message)")
            }
            let name = environment.map { EnvironmentLedger.directoryName($0) } ?? ""
            try Console.out(
                """
                \(name) ledger: \(summary.appended) appended, \(summary.duplicates) known, \
                \(summary.conflicts) conflicts, \(summary.rejected) rejected, \
                \(summary.quarantined) quarantined; position \(summary.position)

                """)
            return
        }
        try Console.out { json in
            json.object { json in
                json.member("endpoint", endpoint.name)
                json.member("environment", environment?.rawValue)
                json.array("answers", values)
                json.member("hasMore", answers.hasMore)
                json.key("ingest")
                if let summary { summary.write(to: &json) } else { json.null() }
            }
        }
    }
}
