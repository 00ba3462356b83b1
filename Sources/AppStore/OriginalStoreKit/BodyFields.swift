/// The members of one object of verifyReceipt or a version 1 notification. Apple writes nearly
/// every value there as a string, but not always and not in every year, so equivalent strings,
/// numbers and booleans are accepted
/// (https://developer.apple.com/documentation/appstorereceipts/responsebody).
struct BodyFields {
    private let json: JSONValue
    /// As in `JSONCursor`, for stored bodies.
    private let clampsDates: Bool

    /// Throws `wrongType` unless the value is an object.
    init(_ value: JSONValue, _ field: String, clampsDates: Bool = false) throws(JSONError) {
        guard value.object != nil else { throw BodyFields.wrong(field) }
        json = value
        self.clampsDates = clampsDates
    }

    /// The object of a member; nil if absent. Throws `wrongType` for other types.
    func object(_ key: String) throws(JSONError) -> BodyFields? {
        guard let value = self[key] else { return nil }
        return try BodyFields(value, key, clampsDates: clampsDates)
    }

    subscript(key: String) -> JSONValue? {
        guard let value = json[key], !value.isNull else { return nil }
        return value
    }

    /// A string, or a number as written; an empty string is absent.
    func text(_ key: String) throws(JSONError) -> String? {
        switch self[key] {
        case nil: return nil
        case .string(let text): return text.isEmpty ? nil : text
        case .number(let token): return token
        default: throw BodyFields.wrong(key)
        }
    }

    /// As `text`.
    func identifier<Tag>(_ key: String) throws(JSONError) -> Identifier<Tag>? {
        try text(key).map { Identifier($0) }
    }

    /// A whole number; an empty string is absent.
    func integer(_ key: String) throws(JSONError) -> Int64? {
        switch self[key] {
        case nil: return nil
        case .string(""): return nil
        case .string(let text):
            guard let number = Int64(text) else { throw BodyFields.wrong(key) }
            return number
        case .number(let token):
            guard let number = JSONValue.number(token).int64 else { throw BodyFields.wrong(key) }
            return number
        default: throw BodyFields.wrong(key)
        }
    }

    /// "true", "1", true and 1, or their opposites.
    func truth(_ key: String) throws(JSONError) -> Bool? {
        switch self[key] {
        case nil, .string(""): return nil
        case .bool(let value): return value
        case .string("true"), .string("1"), .number("1"): return true
        case .string("false"), .string("0"), .number("0"): return false
        default: throw BodyFields.wrong(key)
        }
    }

    /// The date `key`, which Apple writes in three forms: `key_ms` is preferred, else `key` as text
    /// in GMT or, in the oldest bodies, as milliseconds. Zero is absent; later than the year 9999
    /// is `numberOutOfRange`.
    func date(_ key: String) throws(JSONError) -> Timestamp? {
        if let milliseconds = try integer("\(key)_ms") { return try moment(milliseconds, key) }
        switch self[key] {
        case nil, .string(""): return nil
        case .number:
            guard let milliseconds = try integer(key) else { return nil }
            return try moment(milliseconds, key)
        case .string(let text):
            if let milliseconds = Int64(text) { return try moment(milliseconds, key) }
            guard let date = BodyFields.date(ofText: text) else { throw BodyFields.wrong(key) }
            return date
        default: throw BodyFields.wrong(key)
        }
    }

    /// The objects of a list; a single object is a list of one, as in the oldest bodies.
    func objects(_ key: String) throws(JSONError) -> [BodyFields] {
        switch self[key] {
        case nil, .string(""): return []
        case .array(let elements):
            return try elements.map { (element) throws(JSONError) in
                try BodyFields(element, key, clampsDates: clampsDates)
            }
        case .object(let members):
            return members.isEmpty
                ? [] : [try BodyFields(.object(members), key, clampsDates: clampsDates)]
        default: throw BodyFields.wrong(key)
        }
    }

    /// The purchases of a running subscription, then those of an expired one.
    func latestReceiptInfo() throws(JSONError) -> [ReceiptTransaction] {
        let running = try objects("latest_receipt_info")
        return try (running + objects("latest_expired_receipt_info")).map(ReceiptTransaction.init)
    }

    private func moment(_ milliseconds: Int64, _ key: String) throws(JSONError) -> Timestamp? {
        guard milliseconds > 0 else { return nil }
        let moment = Timestamp(milliseconds: milliseconds)
        guard moment.isInRange || clampsDates else {
            throw JSONError(.numberOutOfRange, offset: 0, field: key)
        }
        return moment.clamped
    }

    /// "2020-01-01 00:00:00 Etc/GMT".
    private static func date(ofText text: String) -> Timestamp? {
        let zone = " Etc/GMT"
        guard text.hasSuffix(zone) else { return Timestamp(rfc3339: text)?.clamped }
        let day = text.dropLast(zone.count).replacing(" ", with: "T", maxReplacements: 1)
        return Timestamp(rfc3339: day + "Z")?.clamped
    }

    /// The error for an invalid known field; its offset in the text is not known here.
    private static func wrong(_ field: String) -> JSONError {
        JSONError(.wrongType, offset: 0, field: field)
    }
}
