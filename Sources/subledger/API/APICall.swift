import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Console
import Intake
import Ledger
import Projection

/// A call of the App Store Server API: the options of a command, and the request they make.
protocol APIRequest: ParsableArguments {
    static var configuration: CommandConfiguration { get }

    /// Throws unless the options are usable, and a change is confirmed.
    func check() throws(CommandFailure)

    func send(_ call: inout APIExchange) async throws
}

extension APIRequest {
    func check() throws(CommandFailure) {}
}

/// A request that changes something at Apple.
protocol APIChange: APIRequest {
    /// What the request would do, for people.
    var deed: String { get }
}

/// A change, sent only with `--yes`.
struct Confirmed<Change: APIChange>: APIRequest {
    static var configuration: CommandConfiguration { Change.configuration }

    @OptionGroup var change: Change

    @Flag(help: "Send the request; otherwise only print what it would do.")
    var yes = false

    func check() throws(CommandFailure) {
        try change.check()
        guard !yes else { return }
        throw CommandFailure(
            "notConfirmed",
            "This would \(change.deed). Nothing was sent; repeat it with --yes.", .usage)
    }

    func send(_ call: inout APIExchange) async throws { try await change.send(&call) }
}

typealias APIChangeCall<Change: APIChange> = APICall<Confirmed<Change>>

/// The command of a request: sends it, appends signed evidence to the ledger, and prints both.
struct APICall<Request: APIRequest>: OutputCommand {
    static var configuration: CommandConfiguration { Request.configuration }

    @OptionGroup var request: Request
    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        try request.check()
        var exchange: APIExchange?
        var failure: (any Error)?
        do {
            try await settings.withApple(access) { apple in
                var started = APIExchange(
                    client: try apple.client(), choice: settings.environmentChoice)
                defer { exchange = started }
                try await request.send(&started)
            }
        } catch { failure = error }
        // Pages before the failure are kept and printed.
        guard let exchange, let endpoint = exchange.endpoint else {
            if let failure { throw failure }
            return .printed()
        }
        let reader = AppleResponseReader(verifier: try settings.verifier(), now: Terminal.now)
        let evidence = exchange.bodies.filter { AppleResponseReader.holdsEvidence($0) }
        var environment = exchange.environment
        var taken: (value: IngestSummary, failure: (any Error)?)?
        if !evidence.isEmpty {
            let claimed = evidence.lazy.compactMap { EvidenceClaims.environment(of: $0) }
            let named = settings.isEnvironmentNamed ? settings.environment : claimed.first
            let own = named ?? exchange.environment ?? settings.environment
            environment = own
            taken = try await settings.take(evidence, from: endpoint, into: own)
        }
        let values = exchange.bodies.compactMap { reader.read($0) }
        var text = values.map { PayloadView.text(of: $0) + "\n" }.joined()
        if values.isEmpty { text = "Apple has accepted it.\n" }
        if exchange.hasMore { text += "… and more: raise --pages\n" }
        return Output(
            endpoint, environment, values, hasMore: exchange.hasMore, ingest: taken?.value,
            text: text, failure: taken?.failure ?? failure)
    }
}

/// The client of a call, where to ask, and the responses so far.
struct APIExchange {
    let client: AppStoreServerAPIClient
    let choice: EnvironmentChoice
    var bodies: [[UInt8]] = []
    /// That of the responses; nil before the first.
    var endpoint: Endpoint?
    var environment: AppStore.Environment?
    /// Whether pages beyond the requested number exist.
    var hasMore = false

    mutating func add<Value>(_ answer: APIResponse<Value>) {
        bodies.append(answer.body)
        endpoint = answer.endpoint
        environment = answer.environment
    }

    /// Adds pages until they end or the limit is reached.
    mutating func add<Page: PagedResponse>(
        _ walk: PageWalk<Page>, limit: Int
    ) async throws(APIFailure) {
        for try await page in walk {
            add(page)
            hasMore = page.value.isFollowed
            if bodies.count >= max(1, limit) { return }
        }
    }
}

extension Settings {
    /// Appends the signed parts of responses, and catches derived data up.
    func take(
        _ bodies: [[UInt8]], from endpoint: Endpoint, into environment: AppStore.Environment
    ) async throws -> (value: IngestSummary, failure: (any Error)?) {
        let (apps, verifier) = (try requiredApps(), try verifier())
        return try await appending(to: environment) { ledger in
            try await withRevocation { revocation in
                try await Ingest(
                    ledger: ledger, apps: apps, verifier: verifier, source: .history,
                    revocation: revocation
                ) { Terminal.now }.run(lines: bodies, input: endpoint.name)
            }
        }
    }
}

extension Output {
    /// Apple's responses, and what of them was appended.
    init(
        _ endpoint: Endpoint, _ environment: AppStore.Environment?, _ values: [JSONValue],
        hasMore: Bool = false, ingest: IngestSummary?, text: String, failure: (any Error)?
    ) {
        let name = environment.map { EnvironmentLedger.directoryName($0) } ?? ""
        let appended = ingest.map {
            "\(name) ledger: \($0.countsText); position \($0.position)\n"
        }
        self.init(
            text: text + (appended ?? ""), notes: ingest?.notes ?? [],
            isClean: ingest?.isClean ?? true, failure: failure
        ) { json in
            json.member("endpoint", endpoint.name)
            json.member("environment", environment?.rawValue)
            json.array("answers", values)
            json.member("hasMore", hasMore)
            json.key("ingest")
            if let ingest { ingest.write(to: &json) } else { json.null() }
        }
    }
}
