import AppStore
public import AppStoreAPI
import Intake
import Ledger
import LedgerStore
public import Projection
public import Queries
public import Signing

/// Requests a TEST notification from Apple and checks whether it arrives in this ledger, testing
/// the whole path from the address in App Store Connect to the log. Appends nothing itself, since
/// only an arrival by that path is a proof.
public struct TestNotification: Sendable {
    private let client: AppStoreServerAPIClient
    private let ledger: EnvironmentLedger
    private let verifier: EvidenceVerifier
    private let clock: any ServiceClock

    /// `ledger`, where it must arrive, also determines the environment of the request.
    public init(
        _ client: AppStoreServerAPIClient, ledger: EnvironmentLedger, verifier: EvidenceVerifier,
        clock: any ServiceClock
    ) {
        self.client = client
        self.ledger = ledger
        self.verifier = verifier
        self.clock = clock
    }

    /// Sends the request, waits up to `wait` milliseconds for Apple's report on the delivery, and
    /// checks; `emit` receives progress lines for display.
    ///
    /// Throws when the log or the quarantine cannot be read, or the task is cancelled.
    public func run(
        wait: Int64 = Int64(TestNotificationLimits.waitSeconds) * 1_000,
        emit: @Sendable (String) -> Void = { _ in }
    ) async throws -> TestNotificationReport {
        var report = TestNotificationReport(
            environment: ledger.environment, bundleId: client.bundleId)
        let start = clock.now
        do throws(APIFailure) {
            let answer = try await client.requestTestNotification(in: ledger.environment)
            report.token = answer.value.testNotificationToken
        } catch {
            report.diagnosis = diagnosis(error)
            return report
        }
        guard let token = report.token, !token.isEmpty else {
            report.diagnosis = .noToken
            return report
        }
        emit("requested; waiting for Apple's report on the delivery")
        guard
            let status = try await status(
                token, until: start.advanced(byMilliseconds: wait), &report)
        else {
            return report
        }
        report.attempts = status.sendAttempts ?? []
        guard let payload = sent(status, &report) else { return report }
        report.notificationUUID = payload.notificationUUID
        try await look(for: payload, since: start, status, &report)
        return report
    }

    private func diagnosis(_ failure: APIFailure) -> TestNotificationDiagnosis {
        failure.appleCode == Raw(.serverNotificationURLNotFound)
            ? .noServerURL(ledger.environment) : .notRequested(failure)
    }

    // MARK: Apple's report

    /// The delivery's status, once Apple has one; nil when none came in time or ever will.
    private func status(
        _ token: String, until deadline: Timestamp, _ report: inout TestNotificationReport
    ) async throws -> NotificationHistoryResponseItem? {
        while true {
            do throws(APIFailure) {
                let answer = try await client.testNotificationStatus(
                    token, in: ledger.environment)
                // Known, but not attempted yet.
                if answer.value.sendAttempts?.isEmpty == false { return answer.value }
            } catch {
                guard error.appleCode == Raw(.testNotificationNotFound) else {
                    report.diagnosis = diagnosis(error)
                    return nil
                }
            }
            guard clock.now < deadline else {
                report.diagnosis = .noResult
                return nil
            }
            try await clock.sleep(milliseconds: TestNotificationLimits.pollMilliseconds)
        }
    }

    /// The notification Apple reports to have sent, verified.
    private func sent(
        _ status: NotificationHistoryResponseItem, _ report: inout TestNotificationReport
    ) -> NotificationPayload? {
        do throws(VerificationError) {
            return try verifier.verifyNotification(
                Array((status.signedPayload ?? "").utf8), receivedAt: clock.now
            ).payload
        } catch {
            report.diagnosis = .unverifiable(code: error.code.rawValue)
            return nil
        }
    }

    // MARK: The log

    private func look(
        for payload: NotificationPayload, since start: Timestamp,
        _ status: NotificationHistoryResponseItem, _ report: inout TestNotificationReport
    ) async throws {
        let results = report.attempts.compactMap(\.sendAttemptResult)
        let isDelivered = results.contains(Raw(.success))
        let deadline = clock.now.advanced(
            byMilliseconds: isDelivered ? TestNotificationLimits.arrivalMilliseconds : 0)
        while true {
            if let event = try await arrived(payload) {
                report.position = event.position
                report.receivedAt = event.receivedAt
                report.diagnosis =
                    isDelivered ? .arrived : .arrivedUnanswered(results.last ?? Raw(.other))
                return
            }
            if let code = try await quarantined(status, since: start) {
                report.diagnosis = .quarantined(code: code)
                return
            }
            guard clock.now < deadline else { break }
            try await clock.sleep(milliseconds: TestNotificationLimits.lookMilliseconds)
        }
        report.diagnosis =
            isDelivered ? .arrivedElsewhere : .undelivered(results.last ?? Raw(.other))
    }

    /// The event, if it came by the path of Apple's notifications.
    private func arrived(
        _ payload: NotificationPayload
    ) async throws(StoreError) -> RecordedEvent? {
        guard let uuid = payload.notificationUUID else { return nil }
        let key = EventKey.make(.notification, [uuid.rawValue])
        let event = try await ledger.log.event(key: key)?.event
        return event?.attributes.source == .webhook ? event : nil
    }

    /// Why it was put into quarantine since then; nil when it is not there.
    private func quarantined(
        _ status: NotificationHistoryResponseItem, since start: Timestamp
    ) async throws(StoreError) -> String? {
        // Apple may sign again; the payload between the dots is the same.
        let parts = (status.signedPayload ?? "").split(separator: ".")
        guard parts.count == 3 else { return nil }
        for item in try await Quarantine(ledger: ledger).items() where item.latestAt >= start {
            let bytes = try await ledger.operations.quarantineItem(item.id)?.bytes ?? []
            if String(decoding: bytes, as: UTF8.self).contains(parts[1]) { return item.code }
        }
        return nil
    }
}
