public import AppStore
public import Intake
public import LedgerStore
public import Projection
public import Signing
import Synchronization

/// The ledgers that Apple's answers go into: of each environment its own, opened when its first
/// answer comes, unless it is open already.
public final class AnswerBooks: Sendable {
    private let configuration: Configuration
    private let apps: [Configuration.App]
    private let verifier: EvidenceVerifier
    let clock: @Sendable () -> Timestamp
    private let books: Mutex<[Environment: Book]>
    /// Ledgers that were open before stay open.
    private let lent: Set<Environment>
    private let opening = Turnstile()

    private struct Book {
        let ledger: EnvironmentLedger
        let intake: AnswerIntake
    }

    /// - Parameters:
    ///   - configuration: where ledgers are.
    ///   - apps: whose evidence is accepted.
    ///   - verifier: says what is believed.
    ///   - ledgers: those that are open already; others' `close` is not called.
    ///   - clock: now, at each call.
    public init(
        _ configuration: Configuration, apps: [Configuration.App], verifier: EvidenceVerifier,
        ledgers: [EnvironmentLedger] = [], clock: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = configuration
        self.apps = apps
        self.verifier = verifier
        self.clock = clock
        lent = Set(ledgers.map(\.environment))
        books = Mutex(
            Dictionary(
                uniqueKeysWithValues: ledgers.map { ledger in
                    let intake = AnswerIntake(
                        ledger: ledger, apps: apps, verifier: verifier, clock: clock)
                    return (ledger.environment, Book(ledger: ledger, intake: intake))
                }))
    }

    /// The environment's ledger. Throws what opening it throws.
    public func ledger(
        _ environment: Environment
    ) async throws(StoreError) -> EnvironmentLedger {
        try await book(environment).ledger
    }

    /// Takes a body into the environment's ledger; what became of it.
    ///
    /// - Parameter name: of the question, for reports.
    func take(
        _ body: [UInt8], named name: String, into environment: Environment
    ) async throws(StoreError) -> IngestSummary {
        try await book(environment).intake.take([body], named: name)
    }

    private func book(_ environment: Environment) async throws(StoreError) -> Book {
        if let book = books.withLock({ $0[environment] }) { return book }
        let result = await opening.pass { () -> Result<Book, StoreError> in
            if let book = books.withLock({ $0[environment] }) { return .success(book) }
            do throws(StoreError) {
                let ledger = try await EnvironmentLedger.open(
                    configuration, environment: environment)
                let book = Book(
                    ledger: ledger,
                    intake: AnswerIntake(
                        ledger: ledger, apps: apps, verifier: verifier, clock: clock))
                books.withLock { $0[environment] = book }
                return .success(book)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Every ledger that is open, in the order of their names.
    public var ledgers: [EnvironmentLedger] {
        books.withLock { $0.values.map(\.ledger) }
            .sorted { $0.environment.rawValue < $1.environment.rawValue }
    }

    /// Hands over what was opened here, to be closed elsewhere. Nothing is taken in afterwards.
    public func surrender() -> [EnvironmentLedger] {
        let own = ledgers.filter { !lent.contains($0.environment) }
        books.withLock { books in for ledger in own { books[ledger.environment] = nil } }
        return own
    }

    /// Closes what was opened here. Nothing is taken in afterwards.
    public func close() async {
        for ledger in surrender() { await ledger.close() }
    }
}
