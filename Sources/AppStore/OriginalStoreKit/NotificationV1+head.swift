extension NotificationV1 {
    /// What tells whether a version 1 body is to be believed, read in one pass that keeps nothing
    /// else: whoever does not know the secret makes nobody decode four million bytes.
    public struct Head: Sendable {
        /// The top-level password; nil without one.
        public internal(set) var password: Password?
        /// The app the body names: `bid`, or in the oldest bodies that of the receipt inside.
        public internal(set) var bundleId: BundleId?
    }

    /// Where the password of a version 1 body stands, so that it alone is replaced and every other
    /// byte is kept.
    public struct Password: Sendable {
        /// The bytes of the JSON string, quotation marks included.
        public let range: Range<Int>
        /// What it says; nil for what is no text.
        public let text: String?
    }

    /// Values of a body that are passed over before its password is compared: 200,000. The four
    /// million bytes that a body may have hold about 150,000 of the shortest members of a receipt.
    public static let unreadValueCount = 200_000

    /// Reads the head of a body.
    ///
    /// Throws `JSONError` for what is no JSON object, a key that stands twice included: nobody
    /// could say which of two passwords counts; `tooManyValues` for more than `unreadValueCount`.
    public static func head(of body: [UInt8]) throws(JSONError) -> Head {
        try body.withBytes { (buffer) throws(JSONError) in
            var cursor = JSONCursor(buffer, skipping: unreadValueCount)
            var head = Head()
            var (named, latest, expired): (String?, String?, String?)
            var object = try cursor.beginObject()
            while let key = try cursor.nextKey(&object) {
                switch key {
                case "password":
                    let start = cursor.index
                    let text = try cursor.readText()
                    head.password = Password(range: start..<cursor.index, text: text)
                case "bid": named = try cursor.readText()
                case "latest_receipt_info": latest = try innerBundleId(&cursor)
                case "latest_expired_receipt_info": expired = try innerBundleId(&cursor)
                default: try cursor.skipValue()
                }
            }
            try cursor.finish()
            head.bundleId = (named ?? latest ?? expired).map { BundleId($0) }
            return head
        }
    }

    /// The receipt inside a body, in base64; nil without one, and for what is no JSON. Read in one
    /// pass that keeps nothing else, within the bounds of `head(of:)`: it can be looked at before the
    /// body is believed.
    public static func latestReceipt(of body: [UInt8]) -> [UInt8]? {
        let found = try? body.withBytes { (buffer) throws(JSONError) -> [UInt8]? in
            var cursor = JSONCursor(buffer, skipping: unreadValueCount)
            return try latestReceipt(&cursor, isOutermost: true)
        }
        return found.flatMap { $0 }
    }

    private static func latestReceipt(
        _ cursor: inout JSONCursor, isOutermost: Bool
    ) throws(JSONError) -> [UInt8]? {
        guard cursor.isAtObject() else {
            try cursor.skipValue()
            return nil
        }
        var (own, unified): ([UInt8]?, [UInt8]?)
        var object = try cursor.beginObject()
        while let key = try cursor.nextKey(&object) {
            switch key {
            case "latest_receipt": own = try cursor.readTextBytes()
            case "unified_receipt" where isOutermost:
                unified = try latestReceipt(&cursor, isOutermost: false)
            default: try cursor.skipValue()
            }
        }
        return unified ?? own
    }

    /// Of a receipt that stands there as an object; a list names no app.
    private static func innerBundleId(_ cursor: inout JSONCursor) throws(JSONError) -> String? {
        guard cursor.isAtObject() else {
            try cursor.skipValue()
            return nil
        }
        var named: String?
        var object = try cursor.beginObject()
        while let key = try cursor.nextKey(&object) {
            switch key {
            case "bid": named = try cursor.readText()
            default: try cursor.skipValue()
            }
        }
        return named
    }
}
