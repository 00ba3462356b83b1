import AppStore
internal import Signing
import Synchronization

/// Get Notification History, and test notifications.
extension EndpointHandlers {
    /// The request's parameters, validated as Apple does.
    private struct HistoryQuery {
        let start: Timestamp
        let end: Timestamp
        let type: NotificationType?
        let subtype: Subtype?
        let chain: String?
        let onlyFailures: Bool
    }

    func notifications(_ request: ServedRequest) throws(ServedError) -> ServedResponse {
        let query = try query(try object(request.body))
        let digest = SHA256.hash(request.body).hexadecimal.prefix(16)
        var start = 0
        if let token = request.value("paginationToken") {
            // A token is valid for one request body only.
            guard let place = PageToken.read(token, kind: "n \(digest)"),
                let offset = place.split(separator: " ").first.flatMap({ Int($0) }), offset >= 0
            else { throw ServedError(4_000_014, "Invalid pagination token.") }
            start = offset
        }
        let found = matches(query, from: start, limit: EndpointHandlers.pageSize + 1)
        let isBarren = fault == .barren
        let page = isBarren ? [] : Array(found.prefix(EndpointHandlers.pageSize))
        var next = found.count > EndpointHandlers.pageSize ? page.last.map { $0.index + 1 } : nil
        if isBarren || fault == .loop { next = start }
        let kind = "n \(digest)"
        let token = isBarren ? freshPlace(kind) : next.map { PageToken.make(kind, "\($0)") }
        return ServedResponse { json in
            json.objects("notificationHistory", page) { json, match in
                json.objects("sendAttempts", match.attempts) { json, attempt in
                    json.member("attemptDate", attempt.date.milliseconds)
                    json.member("sendAttemptResult", attempt.result.rawValue)
                }
                json.member("signedPayload", sign(match))
            }
            json.member("hasMore", next != nil)
            json.memberIfPresent("paginationToken", token)
        }
    }

    // MARK: The query

    private func query(_ body: JSONValue) throws(ServedError) -> HistoryQuery {
        guard let start = body["startDate"]?.int64, start >= 0 else {
            throw ServedError(4_000_015, "Invalid start date.")
        }
        guard let end = body["endDate"]?.int64, end >= 0 else {
            throw ServedError(4_000_016, "Invalid end date.")
        }
        let days: Int64 = books.environment == .production ? 180 : 30
        guard start >= now.advanced(byMilliseconds: -days * 86_400_000).milliseconds else {
            throw ServedError(4_000_012, "Start date is too far in the past.")
        }
        guard start < end else { throw ServedError(4_000_013, "Start date is after end date.") }
        let (type, subtype) = try types(body)
        var chain: String?
        if let id = body["transactionId"] {
            guard type == nil else { throw ServedError(4_000_019, "Multiple filters supplied.") }
            guard let text = id.string, EndpointHandlers.isId(text) else {
                throw ServedError(4_000_006, "Invalid transaction id.")
            }
            chain = books.chainOf[text] ?? "none"
        }
        return HistoryQuery(
            start: Timestamp(milliseconds: start),
            end: min(Timestamp(milliseconds: end), now.advanced(byMilliseconds: 1)), type: type,
            subtype: subtype, chain: chain, onlyFailures: body["onlyFailures"]?.bool ?? false)
    }

    private func types(
        _ body: JSONValue
    ) throws(ServedError) -> (NotificationType?, Subtype?) {
        let invalid = ServedError(4_000_018, "Invalid notification type.")
        guard let name = body["notificationType"] else {
            guard body["notificationSubtype"] == nil else { throw invalid }
            return (nil, nil)
        }
        guard let type = name.string.flatMap({ NotificationType(rawValue: $0) }) else {
            throw invalid
        }
        guard let text = body["notificationSubtype"] else { return (type, nil) }
        guard let subtype = text.string.flatMap({ Subtype(rawValue: $0) }),
            type.subtypes.contains(subtype)
        else { throw invalid }
        return (type, subtype)
    }

    // MARK: The answer

    private struct Match {
        let index: Int
        let sent: ServedRecords.Sent
        let attempts: [DeliveryAttempt]
    }

    /// The matches from the `start`-th notification on.
    private func matches(_ query: HistoryQuery, from start: Int, limit: Int) -> [Match] {
        var found: [Match] = []
        let first = books.firstSent(from: query.start)
        var index = max(first, start)
        while index < books.sent.count, found.count < limit {
            let sent = books.sent[index]
            guard sent.signedDate < query.end else { break }
            if isSelected(sent, query) {
                let attempts = api.setup.attempts.attempts(index, until: now)
                // A notification still on its first attempt has not failed.
                let isDelivered = attempts.contains { $0.result == .success }
                let hasFailed = !attempts.isEmpty && !isDelivered
                if !query.onlyFailures || hasFailed {
                    found.append(Match(index: index, sent: sent, attempts: attempts))
                }
            }
            index += 1
        }
        return found
    }

    /// A type without subtype selects notifications that have none.
    private func isSelected(_ sent: ServedRecords.Sent, _ query: HistoryQuery) -> Bool {
        if let chain = query.chain { return sent.chain == chain }
        guard let type = query.type else { return true }
        return sent.notification.notificationType?.value == type
            && sent.notification.subtype?.value == query.subtype
    }

    /// The notification as first sent: the payload is the same every time.
    private func sign(_ match: Match) -> String {
        guard fault != .badSignature, fault != .anotherApp else { return sign(match.sent) }
        return api.setup.attempts.token(match.index) { sign(match.sent) }
    }

    private func sign(_ sent: ServedRecords.Sent) -> String {
        var notification = sent.notification
        if var transaction = sent.transaction {
            if fault == .anotherApp { transaction.bundleId = EndpointHandlers.otherApp }
            notification.data?.signedTransactionInfo = sign(transaction.encoded())
        }
        if let renewal = sent.renewal {
            notification.data?.signedRenewalInfo = sign(renewal.encoded())
        }
        if fault == .anotherApp { notification.data?.bundleId = EndpointHandlers.otherApp }
        return sign(notification.encoded())
    }

    // MARK: Tests

    func requestTest() -> ServedResponse {
        var payload = NotificationPayload()
        payload.notificationType = Raw(.test)
        payload.version = "2.0"
        payload.signedDate = now
        var data = NotificationData()
        data.environment = Raw(books.environment)
        data.appAppleId = statedAppAppleId
        data.bundleId = books.bundleId
        payload.data = data
        let token = api.state.withLock { state in
            let digits = String(state.tests.count + 1, radix: 16)
            let uuid =
                "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count)
                + digits
            payload.notificationUUID = NotificationUUID(uuid)
            let token = "\(uuid)_\(now.milliseconds)"
            state.tests[token] = SimulatedAPI.ServedTest(payload: payload)
            return token
        }
        return ServedResponse { json in json.member("testNotificationToken", token) }
    }

    /// The first request comes too early, as it often does with Apple.
    func testStatus(_ token: String) throws(ServedError) -> ServedResponse {
        let found = api.state.withLock { state in
            state.tests[token]?.requests += 1
            return state.tests[token]
        }
        guard let found else {
            throw ServedError(4_000_020, "Invalid test notification token.")
        }
        guard found.requests > 1 else {
            throw ServedError(4_040_008, "Test notification not found.")
        }
        let signed = sign(found.payload.encoded())
        let result = if case .delivery(let result) = fault { result } else { "SUCCESS" }
        return ServedResponse { json in
            json.member("signedPayload", signed)
            json.objects("sendAttempts", [found.payload.signedDate ?? now]) { json, date in
                json.member("attemptDate", date.milliseconds)
                json.member("sendAttemptResult", result)
            }
        }
    }
}
