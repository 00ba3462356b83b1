public import AppStore
public import Intake
public import LedgerStore
public import Projection
public import Signing
import Synchronization

/// The ledgers that take in Apple's responses, one per environment. Each is opened with its first
/// response, unless it is already open.
public final class EnvironmentLedgers: Sendable {
    private let configuration: Configuration
    private let apps: [Configuration.App]
    private let verifier: EvidenceVerifier
    private let revocation: RevocationChecks?
    let clock: @Sendable () -> Timestamp
    private let books: Mutex<[Environment: Book]>
    /// Ledgers that the caller opened and closes.
    private let lent: Set<Environment>
    private let opening = AsyncLock()

    private struct Book {
        let ledger: EnvironmentLedger
        let intake: ResponseIntake
    }

    /// - Parameters:
    ///   - configuration: where ledgers are.
    ///   - apps: whose evidence is accepted.
    ///   - verifier: verifies signatures.
    ///   - revocation: nil asks no responder.
    ///   - ledgers: those that are open already; others' `close` is not called.
    ///   - clock: now, at each call.
    public init(
        _ configuration: Configuration, apps: [Configuration.App], verifier: EvidenceVerifier,
        revocation: RevocationChecks? = nil, ledgers: [EnvironmentLedger] = [],
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = configuration
        self.apps = apps
        self.verifier = verifier
        self.revocation = revocation
        self.clock = clock
        lent = Set(ledgers.map(\.environment))
        books = Mutex(
            Dictionary(
                uniqueKeysWithValues: ledgers.map { ledger in
                    let intake = ResponseIntake(
                        ledger: ledger, apps: apps, verifier: verifier, revocation: revocation,
                        clock: clock)
                    return (ledger.environment, Book(ledger: ledger, intake: intake))
                }))
    }

    /// The environment's ledger. Throws the error of opening it.
    public func ledger(
        _ environment: Environment
    ) async throws(StoreError) -> EnvironmentLedger {
        try await book(environment).ledger
    }

    /// Takes a body into the environment's ledger and returns the result.
    ///
    /// - Parameter name: the request, for reports.
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
                    intake: ResponseIntake(
                        ledger: ledger, apps: apps, verifier: verifier, revocation: revocation,
                        clock: clock))
                books.withLock { $0[environment] = book }
                return .success(book)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Every open ledger, in order of name.
    public var ledgers: [EnvironmentLedger] {
        books.withLock { $0.values.map(\.ledger) }
            .sorted { $0.environment.rawValue < $1.environment.rawValue }
    }

    /// Returns the ledgers opened here, for the caller to close. No bodies can be taken in
    /// afterwards.
    public func surrender() -> [EnvironmentLedger] {
        let own = ledgers.filter { !lent.contains($0.environment) }
        books.withLock { books in for ledger in own { books[ledger.environment] = nil } }
        return own
    }

    /// Closes the ledgers opened here. No bodies can be taken in afterwards.
    public func close() async {
        for ledger in surrender() { await ledger.close() }
    }
}
