import AppStore
import AppStoreAPI
internal import Projection
public import Queries

/// Signatures that apps pass to StoreKit (`Contract.md`, `sign`).
extension LedgerHost {
    /// Signs an order with the app's key.
    ///
    /// - Parameters:
    ///   - order: what is signed, and who may have it.
    ///   - scope: the app, which may be omitted where only one has a key; environment and minimum
    ///     position of the state that decides eligibility.
    ///
    /// Throws `IntakeRefusal` (`malformed` for what cannot be signed), `EligibilityError`,
    /// `OperatorError` (`missingKey`), `QueryError`, `MissingAnswer`, `StoreError` or
    /// `ServingError`.
    public func sign(_ order: SignatureOrder, _ scope: QueryScope) async throws -> ServedAnswer {
        let served = try ledger(scope.environment)
        var moment = try answerMoment(scope)
        let app = try client(
            scope.bundleId,
            several: IntakeRefusal(
                .malformed, code: "invalidParameter",
                message: "Several apps have a key: name one with bundleId."))
        let needsState = order.isForEligible || scope.minPosition != nil
        var snapshot: LedgerSnapshot?
        if needsState { (_, snapshot, moment) = try await state(scope) }
        let position = snapshot?.position ?? served.projectedPosition ?? 0
        var eligibility: EligibilityAnswer?
        if order.isForEligible, let snapshot {
            do {
                eligibility = try await order.eligibility(
                    in: snapshot, bundleId: app.bundleId, moment: moment)
            } catch let error as QueryError where error.code == "noSuchSubscription" {
                throw MissingAnswer(
                    error: error, position: position, lag: served.lag(after: position),
                    age: served.age)
            }
        }
        let answer = SignatureAnswer(
            try signature(order.request, by: app, at: moment), eligibility)
        return served.answer(answer, at: position)
    }

    private func signature(
        _ request: SignatureRequest, by app: AppStoreServerAPIClient, at moment: Moment
    ) throws(IntakeRefusal) -> AppSignature {
        do throws(SignatureError) {
            return try app.credentials.sign(request, nonce: makeId(), at: moment.now)
        } catch {
            throw IntakeRefusal(
                error.code == .signingFailed ? .unavailable : .malformed,
                code: error.code.rawValue, message: error.message)
        }
    }

    /// The client, with the key, of the app named, or of the only one with a key.
    ///
    /// Throws `OperatorError` (`missingKey`), or `several` where one has to be named.
    func client(
        _ app: BundleId?, several: IntakeRefusal
    ) throws -> AppStoreServerAPIClient {
        let clients = reach.clients
        // An app whose key cannot be used has no client: another app does not stand in for it.
        guard app != nil || max(clients.count, appsWithKey.count) <= 1 else { throw several }
        guard let client = clients.first(where: { app == nil || $0.key == app })?.value else {
            throw OperatorError(.missingKey, "The app has no API key here.")
        }
        return client
    }
}
