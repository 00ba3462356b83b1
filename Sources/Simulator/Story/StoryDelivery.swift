public import AppStore

/// One delivery of a story: what arrived, decoded, and when.
public struct StoryDelivery: Sendable {
    public let receivedAt: Timestamp?
    let notification: [JSONMember]?
    let data: [JSONMember]?
    let transaction: [JSONMember]?
    let renewal: [JSONMember]?
    let status: Int64?
    /// An operator's command as in its evidence; such a line has no data of Apple's.
    let command: [JSONMember]?
    /// A verifyReceipt response, verbatim; such a line has nothing signed.
    let verifyReceipt: JSONValue?

    init(_ line: JSONValue, _ defaults: StoryDefaults, place: String) throws {
        func object(_ name: String) -> [JSONMember]? {
            line[name]?.object.map { defaults.merged(name, $0) }
        }
        if let stated = line["receivedAt"] {
            let time =
                stated.int64.map { Timestamp(milliseconds: $0) }
                ?? stated.string.flatMap { Timestamp(rfc3339: $0) }
            guard let time else {
                throw Story.Problem(place: place, reason: "receivedAt is not a time.")
            }
            receivedAt = time
        } else {
            receivedAt = nil
        }
        notification = object("notification")
        // A notification about a chain has a data object; others have their own member.
        let hasOther = notification?.contains { member in
            ["summary", "externalPurchaseToken", "appData"].contains(member.key)
        }
        let hasParts = line["transaction"] != nil || line["renewal"] != nil
        data =
            object("data")
            ?? (notification != nil && (hasParts || hasOther == false)
                ? defaults.merged("data", []) : nil)
        let date = notification?.first { $0.key == "signedDate" }?.value
        transaction = object("transaction").map {
            StoryDelivery.dated($0, line, "transaction", date)
        }
        renewal = object("renewal").map { StoryDelivery.dated($0, line, "renewal", date) }
        status = line["status"]?.int64
        command = line["command"]?.object.map { members in
            members.map { JSONMember(key: $0.key, value: StoryDefaults.milliseconds($0)) }
        }
        verifyReceipt = line["verifyReceipt"]
        let hasContent =
            notification != nil || transaction != nil || command != nil || verifyReceipt != nil
        guard hasContent else {
            throw Story.Problem(
                place: place,
                reason: "The line has neither notification, transaction, command nor"
                    + " verifyReceipt.")
        }
    }

    /// Every bundle id in any part.
    var bundleIds: [BundleId] {
        let others = ["summary", "externalPurchaseToken", "appData"].compactMap { name in
            notification?.first { $0.key == name }?.value.object
        }
        return ([data, transaction].compactMap { $0 } + others).compactMap { members in
            members.first { $0.key == "bundleId" }?.value.string.map { BundleId($0) }
        }
    }

    /// Parts without a date get the notification's, unless the line states null.
    private static func dated(
        _ members: [JSONMember], _ line: JSONValue, _ name: String, _ date: JSONValue?
    ) -> [JSONMember] {
        guard let date, !members.contains(where: { $0.key == "signedDate" }),
            line[name]?["signedDate"] == nil
        else { return members }
        return members + [JSONMember(key: "signedDate", value: date)]
    }

    /// The line that `ingest` takes, signed by `authority`; for an unsigned command
    /// `{"command":…,"receivedAt":…}`; a verifyReceipt response verbatim.
    public func line(signedBy authority: Authority) throws -> [UInt8] {
        if let verifyReceipt { return verifyReceipt.encoded() }
        var members: [JSONMember] = []
        if let command { members.append(JSONMember(key: "command", value: .object(command))) }
        if let receivedAt {
            members.append(
                JSONMember(key: "receivedAt", value: .number(String(receivedAt.milliseconds))))
        }
        guard command == nil else { return JSONValue.object(members).encoded() }
        var parts: [JSONMember] = []
        for (key, part) in [("signedTransactionInfo", transaction), ("signedRenewalInfo", renewal)]
        {
            guard let part else { continue }
            parts.append(JSONMember(key: key, value: try token(part, authority)))
        }
        guard var notification else {
            members += parts
            if let status {
                members.append(JSONMember(key: "status", value: .number(String(status))))
            }
            return JSONValue.object(members).encoded()
        }
        if let data {
            notification.append(JSONMember(key: "data", value: .object(data + parts)))
        }
        members.append(
            JSONMember(key: "signedPayload", value: try token(notification, authority)))
        return JSONValue.object(members).encoded()
    }

    private func token(_ members: [JSONMember], _ authority: Authority) throws -> JSONValue {
        let token = try authority.sign(JSONValue.object(members).encoded())
        return .string(String(decoding: token, as: UTF8.self))
    }
}
