/// The members of one object of verifyReceipt's or of a version 1 notification. Apple writes nearly
/// every value as text there, but neither always nor in every year, so that each is taken as text,
/// number or truth value, whichever says the same
/// (https://developer.apple.com/documentation/appstorereceipts/responsebody).
struct BodyFields {
    private let members: [JSONMember]

    /// Throws `wrongType` for what is no object.
    init(_ value: JSONValue, _ field: String) throws(JSONError) {
        guard let members = value.object else { throw BodyFields.wrong(field) }
        self.members = members
    }

    subscript(key: String) -> JSONValue? {
        guard let value = members.first(where: { $0.key == key })?.value, !value.isNull else {
            return nil
        }
        return value
    }

    /// Text, or a number as it is spelled; empty text is absent.
    func text(_ key: String) throws(JSONError) -> String? {
        switch self[key] {
        case nil: return nil
        case .string(let text): return text.isEmpty ? nil : text
        case .number(let token): return token
        default: throw BodyFields.wrong(key)
        }
    }

    /// A whole number; empty text is absent.
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

    /// The date `key`, of which Apple writes three: `key_ms` is read, else `key` as text of GMT,
    /// or, in the oldest bodies, as milliseconds. Zero is absent.
    func date(_ key: String) throws(JSONError) -> Timestamp? {
        if let milliseconds = try integer("\(key)_ms") { return BodyFields.moment(milliseconds) }
        switch self[key] {
        case nil, .string(""): return nil
        case .number: return try integer(key).flatMap { BodyFields.moment($0) }
        case .string(let text):
            if let milliseconds = Int64(text) { return BodyFields.moment(milliseconds) }
            guard let date = BodyFields.date(ofText: text) else { throw BodyFields.wrong(key) }
            return date
        default: throw BodyFields.wrong(key)
        }
    }

    /// The objects of a list; a single object is a list of one, as the oldest bodies have it.
    func objects(_ key: String) throws(JSONError) -> [BodyFields] {
        switch self[key] {
        case nil, .string(""): return []
        case .array(let elements):
            var objects: [BodyFields] = []
            for element in elements { objects.append(try BodyFields(element, key)) }
            return objects
        case .object(let members):
            return members.isEmpty ? [] : [try BodyFields(.object(members), key)]
        default: throw BodyFields.wrong(key)
        }
    }

    private static func moment(_ milliseconds: Int64) -> Timestamp? {
        milliseconds > 0 ? Timestamp(milliseconds: milliseconds) : nil
    }

    /// "2020-01-01 00:00:00 Etc/GMT".
    private static func date(ofText text: String) -> Timestamp? {
        let zone = " Etc/GMT"
        guard text.hasSuffix(zone) else { return Timestamp(rfc3339: text) }
        let day = text.dropLast(zone.count).replacing(" ", with: "T", maxReplacements: 1)
        return Timestamp(rfc3339: day + "Z")
    }

    /// A known field that cannot be read; the place in the text is not known any more.
    private static func wrong(_ field: String) -> JSONError {
        JSONError(.wrongType, offset: 0, field: field)
    }
}
