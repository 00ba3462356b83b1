import AppStore
import AppStoreAPI
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
    /// How long an answer may take; then there is no message. Apple waits 700 ms.
    public static let retentionLimit: Duration = .milliseconds(150)
    /// How far from now Apple may have signed a request; one that is older may be a repetition.
    static let retentionAgeMilliseconds: Int64 = 5 * 60_000

    /// The answer to a request: JSON with the message of the first rule that applies, or `{}`, with
    /// which Apple shows the default message. Nothing is appended to the log; request and answer
    /// are recorded afterwards.
    ///
    /// Throws a refusal unless the request is genuine, recent and for a configured app.
    public func answerRetention(_ body: consuming [UInt8]) async throws(IntakeRefusal) -> [UInt8] {
        let deadline = ContinuousClock.now + retentionLimit
        do throws(IntakeRefusal) {
            guard case .signed(let token) = try NotificationBody(body, asksForMessage: true) else {
                throw IntakeRefusal.invalidBody("The body has no signedPayload.")
            }
            let request = try await verifiedRequest(token, by: deadline)
            let (served, chain) = try place(of: request)
            return await answer(request, about: chain, in: served, by: deadline)
        } catch {
            observer.noted(.refused(error))
            throw error
        }
    }

    private func answer(
        _ request: RetentionRequestPayload, about chain: ChainId, in served: ServedLedger,
        by deadline: ContinuousClock.Instant
    ) async -> [UInt8] {
        let asked = RetentionSituation(
            bundleId: chain.bundleId, environment: served.environment,
            productId: request.productId, locale: request.userLocale)
        var record = RetentionRecord(
            requestId: request.requestIdentifier ?? "", chain: chain, at: clock(),
            productId: request.productId, locale: request.userLocale, outcome: .unavailable)
        var position = Int64.max
        var offer: String?
        var plan: BillingPlanType?
        switch await situation(of: chain, asked, in: served, by: deadline) {
        case .success(let found):
            position = found.position
            let rule = configuration.retention.first { $0.applies(to: found.situation) }
            offer = rule?.promotionalOffer.flatMap {
                signature(of: $0, for: chain, found.situation.productId)
            }
            guard rule?.promotionalOffer == nil || offer != nil else { break }
            record.outcome = rule == nil ? .noRule : .shown
            record.rule = rule?.name
            record.message = rule?.message
            record.alternateProduct = rule?.alternateProduct
            plan = rule?.billingPlanType
            record.promotionalOffer = rule?.promotionalOffer
        case .failure(let miss):
            record.outcome = miss.outcome
            // The ledger may not have the chain, as after an erasure.
            record.chain = ChainId(
                bundleId: chain.bundleId, originalTransactionId: OriginalTransactionId(""))
        }
        keep(record, answeredAt: position, in: served)
        return LedgerHost.answer(record, offer: offer, plan: plan)
    }

    /// The JSON answer, with exactly one member or none.
    ///
    /// - Parameters:
    ///   - offer: the signature of the promotional offer.
    ///   - plan: how the alternate product is billed; not recorded, since its rule is.
    private static func answer(
        _ record: RetentionRecord, offer: String?, plan: BillingPlanType?
    ) -> [UInt8] {
        JSONWriter.object { json in
            guard let message = record.message else { return }
            let name = offer == nil ? "message" : "promotionalOffer"
            json.object(record.alternateProduct == nil ? name : "alternateProduct") { json in
                json.member("messageIdentifier", message)
                json.memberIfPresent("productId", record.alternateProduct)
                json.memberIfPresent("billingPlanType", plan?.rawValue)
                json.memberIfPresent("promotionalOfferSignatureV2", offer)
            }
        }
    }

    /// The signature of a promotional offer; nil where the app has no key, or it cannot be signed.
    private func signature(
        of offer: String, for chain: ChainId, _ productId: ProductId?
    ) -> String? {
        guard let productId, let app = reach.clients[chain.bundleId] else { return nil }
        let request = SignatureRequest.promotionalOffer(
            productId: productId, offerId: offer,
            transactionId: chain.originalTransactionId.rawValue)
        return (try? app.credentials.sign(request, nonce: makeId(), at: clock()))?.signature
    }

    // MARK: The request

    private func verifiedRequest(
        _ token: [UInt8], by deadline: ContinuousClock.Instant
    ) async throws(IntakeRefusal) -> RetentionRequestPayload {
        let payload: RetentionRequestPayload
        do throws(VerificationError) {
            let request = try notifications.verifier.verifyRetentionRequest(
                token, receivedAt: clock())
            try await admission(of: request.chain, by: deadline).get()
            payload = request.payload
        } catch {
            // Signed, but unusable here.
            let isSigned = [.undecodablePayload, .certificateRevoked].contains(error.code)
            let standing: IntakeRefusal.Standing = isSigned ? .notAcceptable : .invalid
            throw IntakeRefusal(
                error.isRetryable ? .unavailable : standing, code: error.code.rawValue,
                part: error.part.rawValue, message: error.reason)
        }
        guard clockWatch.jumpMilliseconds != nil || LedgerHost.isRecent(payload, at: clock()) else {
            throw IntakeRefusal(
                .invalid, code: "invalidTime",
                message: "The request was not signed within"
                    + " \(LedgerHost.retentionAgeMilliseconds / 60_000) minutes of now.")
        }
        return payload
    }

    private static func isRecent(_ request: RetentionRequestPayload, at now: Timestamp) -> Bool {
        guard let signedDate = request.signedDate else { return false }
        return (-retentionAgeMilliseconds...retentionAgeMilliseconds).contains(
            now.milliseconds(since: signedDate))
    }

    /// Whether the certificate chain may be used; under `revocation: require` this waits for a
    /// responder until the deadline.
    private func admission(
        of chain: VerifiedCertificateChain?, by deadline: ContinuousClock.Instant
    ) async -> Result<Void, VerificationError> {
        // The common case needs neither a responder nor a timer.
        guard let revocation, let chain, !revocation.isSettled(chain) else { return .success(()) }
        let late = VerificationError(
            .revocationUnknown, reason: "No responder has answered in time for a request.")
        guard ContinuousClock.now < deadline, retentionAnswers.beginWork() else {
            return .failure(late)
        }
        let result = await first(by: deadline) {
            [retentionAnswers] () async -> Result<Void, VerificationError> in
            defer { retentionAnswers.endWork() }
            do throws(VerificationError) {
                return .success(try await revocation.admit([chain]) { false })
            } catch { return .failure(error) }
        }
        return result ?? .failure(late)
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
            let reason =
                if let id = request.appAppleId {
                    "No configured app has the appAppleId \(id) of the request; set `appAppleId`"
                        + " of its app."
                } else {
                    "The request has no appAppleId, so it names no app; it can be answered only"
                        + " where a single app is configured."
                }
            throw IntakeRefusal(
                .notAcceptable, code: VerificationCode.wrongApp.rawValue, message: reason,
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

    /// The situation of a chain in the last published state, and the state's position.
    private func situation(
        of chain: ChainId, _ asked: RetentionSituation, in served: ServedLedger,
        by deadline: ContinuousClock.Instant
    ) async -> Result<(situation: RetentionSituation, position: Int64), Miss> {
        guard ContinuousClock.now < deadline else { return .failure(Miss(outcome: .late)) }
        guard clockWatch.jumpMilliseconds == nil, retentionAnswers.beginWork() else {
            return .failure(Miss(outcome: .unavailable))
        }
        defer { retentionAnswers.endWork() }
        let now = clock()
        let read = await served.retentionReads.value(chain, by: deadline) {
            await LedgerHost.read($0, in: served)
        }
        guard let found = read else { return .failure(Miss(outcome: .late)) }
        guard let known = found else { return .failure(Miss(outcome: .unavailable)) }
        let position = known.snapshot.position
        let life = known.snapshot.ledger.life(of: known.facts.filter { $0.position <= position })
        let situation = life.situation(at: now, of: asked)
        guard ContinuousClock.now < deadline else { return .failure(Miss(outcome: .late)) }
        guard let situation else { return .failure(Miss(outcome: .unknownChain)) }
        return .success((situation, position))
    }

    /// The facts of each chain in the last published state; nil where they cannot be read.
    private static func read(
        _ chains: [ChainId], in served: ServedLedger
    ) async -> [RetentionFacts?] {
        guard let snapshot = served.board.snapshot else { return chains.map { _ in nil } }
        do throws(StoreError) {
            return try await snapshot.facts.facts(of: chains).map {
                RetentionFacts(facts: $0.1, snapshot: snapshot)
            }
        } catch {
            guard error.isDamage, chains.count > 1 else { return chains.map { _ in nil } }
            // A damaged fact affects only its own chain.
            var each: [RetentionFacts?] = []
            for chain in chains { each += await read([chain], in: served) }
            return each
        }
    }
}

/// The facts of a chain, and the state that they were read from.
struct RetentionFacts: Sendable {
    let facts: [Fact]
    let snapshot: LedgerSnapshot
}

/// Reads the chains of requests for retention messages.
typealias RetentionReads = ReadBatcher<ChainId, RetentionFacts?>
