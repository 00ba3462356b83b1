import AppStore
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
internal import Queries
internal import SQLiteStore
import Signing

/// Apple's real-time requests for retention messages (Retention Messaging API, Get Retention
/// Message).
extension LedgerHost {
    /// Longest body: 64 KiB; a signed request has about 6.
    public static let retentionByteCount = 64 * 1024
    /// How long an answer may take to derive; then there is no message. Apple waits 700 ms.
    static let retentionLimit: Duration = .milliseconds(150)

    /// The answer to a request: JSON with the message of the first rule that applies, or `{}`, with
    /// which Apple shows the default message. Nothing is appended to the log; request and answer
    /// are recorded afterwards.
    ///
    /// Throws the refusal of what is no genuine request for a configured app.
    public func answerRetention(_ body: consuming [UInt8]) async throws(IntakeRefusal) -> [UInt8] {
        guard case .signed(let token) = try NotificationBody(body) else {
            throw IntakeRefusal.invalidBody("The body has no signedPayload.")
        }
        let request = try await verifiedRequest(token)
        let (served, chain) = try place(of: request)
        let asked = RetentionSituation(
            bundleId: chain.bundleId, environment: served.environment,
            productId: request.productId, locale: request.userLocale)
        var record = RetentionRecord(
            requestId: request.requestIdentifier ?? "", chain: chain, at: clock(),
            productId: request.productId, locale: request.userLocale, outcome: .unavailable)
        switch await situation(of: chain, asked, in: served) {
        case .success(let situation):
            let rule = configuration.retention.first { $0.applies(to: situation) }
            record.outcome = rule == nil ? .noRule : .shown
            record.rule = rule?.name
            record.message = rule?.message
            record.alternateProduct = rule?.alternateProduct
        case .failure(let miss): record.outcome = miss.outcome
        }
        keep(record, in: served)
        return LedgerHost.answer(record)
    }

    /// Exactly one member, or none.
    private static func answer(_ record: RetentionRecord) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            guard let message = record.message else { return }
            json.object(record.alternateProduct == nil ? "message" : "alternateProduct") { json in
                json.member("messageIdentifier", message)
                json.memberIfPresent("productId", record.alternateProduct)
            }
        }
        return json.bytes
    }

    // MARK: The request

    private func verifiedRequest(
        _ token: [UInt8]
    ) async throws(IntakeRefusal) -> RetentionRequestPayload {
        do throws(VerificationError) {
            let request = try notifications.verifier.verifyRetentionRequest(
                token, receivedAt: clock())
            if let revocation, let chain = request.chain {
                try await revocation.admit([chain]) { false }
            }
            return request.payload
        } catch {
            // Signed, but of no use here.
            let isSigned = [.undecodablePayload, .certificateRevoked].contains(error.code)
            let standing: IntakeRefusal.Standing = isSigned ? .notAcceptable : .invalid
            throw IntakeRefusal(
                error.isRetryable ? .unavailable : standing, code: error.code.rawValue,
                part: error.part.rawValue, message: error.reason)
        }
    }

    /// The ledger and the chain of a request, which names its app by Apple's number only; compared
    /// like that of a notification, in Production.
    private func place(
        of request: RetentionRequestPayload
    ) throws(IntakeRefusal) -> (ServedLedger, ChainId) {
        let environment = request.environment?.value
        guard let served = ledgers.first(where: { $0.environment == environment }) else {
            throw IntakeRefusal(
                .notAcceptable, code: VerificationCode.wrongEnvironment.rawValue,
                message: "The request is of an environment that is not served.")
        }
        let named = configuration.apps.filter {
            $0.appAppleId != nil && $0.appAppleId == request.appAppleId
        }
        let open = configuration.apps.filter {
            $0.appAppleId == nil || environment != .production || request.appAppleId == nil
        }
        guard let app = named.first ?? (open.count == 1 ? open.first : nil) else {
            throw IntakeRefusal(
                .notAcceptable, code: VerificationCode.wrongApp.rawValue,
                message: "The request is of an app that is not configured here.",
                environment: environment)
        }
        let id = request.originalTransactionId ?? OriginalTransactionId("")
        return (served, ChainId(bundleId: app.bundleId, originalTransactionId: id))
    }

    // MARK: The ledger

    /// Why there is no situation.
    private struct Miss: Error {
        let outcome: RetentionRecord.Outcome
    }

    /// The situation of a chain in the last published state, within `retentionLimit`.
    private func situation(
        of chain: ChainId, _ asked: RetentionSituation, in served: ServedLedger
    ) async -> Result<RetentionSituation, Miss> {
        guard clockWatch.jumpMilliseconds == nil, let snapshot = served.board.snapshot,
            retentionAnswers.beginReading()
        else { return .failure(Miss(outcome: .unavailable)) }
        let now = clock()
        let found = await first(within: LedgerHost.retentionLimit) {
            [retentionAnswers] () async -> Result<RetentionSituation, Miss> in
            defer { retentionAnswers.endReading() }
            do throws(StoreError) {
                let lives = try await snapshot.facts.facts(of: [chain])
                let facts = lives.flatMap { $0.1 }.filter { $0.position <= snapshot.position }
                let life = Lifecycle(
                    facts, environment: served.environment,
                    catalogue: snapshot.ledger.catalogue)
                guard let situation = life.situation(at: now, of: asked) else {
                    return .failure(Miss(outcome: .unknownChain))
                }
                return .success(situation)
            } catch {
                return .failure(Miss(outcome: .unavailable))
            }
        }
        return found ?? .failure(Miss(outcome: .late))
    }

    /// The result of work, or nil once the limit has passed; the work then goes on unobserved.
    private func first<Value: Sendable>(
        within limit: Duration, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let (results, continuation) = AsyncStream.makeStream(
            of: Value?.self, bufferingPolicy: .bufferingOldest(1))
        let working = Task {
            continuation.yield(await work())
            continuation.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            continuation.yield(nil)
            continuation.finish()
        }
        defer {
            working.cancel()
            timer.cancel()
        }
        for await result in results { return result }
        return nil
    }

    // MARK: Records

    private func keep(_ record: RetentionRecord, in served: ServedLedger) {
        let environment = served.environment
        guard retentionAnswers.add(record, in: environment) else { return }
        background.start { [retentionAnswers, observer] in
            while true {
                let page = retentionAnswers.page(in: environment)
                guard !page.isEmpty else { return }
                do throws(StoreError) {
                    try await served.ledger.operations.keep(page)
                } catch {
                    observer.noted(.retentionUnrecorded(environment, error))
                }
            }
        }
    }
}
