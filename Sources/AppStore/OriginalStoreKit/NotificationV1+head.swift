extension NotificationV1 {
    /// The fields needed to authenticate a version 1 body, read in one pass that stores nothing
    /// else: a sender without the secret cannot cause four million bytes to be decoded or read
    /// twice.
    public struct Head: Sendable {
        /// The top-level password; nil without one.
        public private(set) var password: Password?
        /// Whether the body is of version 1: it has a notification type, or contains a receipt as
        /// version 1 does.
        public private(set) var isVersionOne = false
        /// The app named by the body: `bid`, or in the oldest bodies that of the receipt inside.
        public var bundleId: BundleId? {
            (named ?? latest ?? expired).map { BundleId($0) }
        }

        /// "Sandbox" or "PROD", as the body names it; nil without one.
        public private(set) var environment: String?

        private var named: String?
        private var latest: String?
        private var expired: String?
        private var ownReceipt: JSONCursor.PlacedText?
        private var unifiedReceipt: JSONCursor.PlacedText?

        /// The head before anything is read.
        public init() {}

        /// Reads or skips the member whose key was just read.
        public mutating func read(
            _ key: JSONKey, _ cursor: inout JSONCursor
        ) throws(JSONError) {
            switch key {
            case "password":
                let start = cursor.index
                let text = try cursor.readText()
                password = Password(range: start..<cursor.index, text: text)
            case "notification_type":
                if try cursor.readText() != nil { isVersionOne = true }
            case "environment": environment = try cursor.readText()
            case "bid": named = try cursor.readText()
            case "latest_receipt": ownReceipt = try cursor.readTextInPlace()
            case "unified_receipt":
                isVersionOne = true
                unifiedReceipt = try Head.member("latest_receipt", &cursor) {
                    (cursor: inout JSONCursor) throws(JSONError) in try cursor.readTextInPlace()
                }
            case "latest_receipt_info": latest = try Head.innerBundleId(&cursor)
            case "latest_expired_receipt_info": expired = try Head.innerBundleId(&cursor)
            default: try cursor.skipValue()
            }
        }

        /// The base64 receipt in the body with this head; nil without one. Available before
        /// authentication.
        public func latestReceipt(in body: [UInt8]) -> [UInt8]? {
            switch unifiedReceipt ?? ownReceipt {
            case .inPlace(let range): Array(body[range])
            case .unescaped(let bytes): bytes
            case nil: nil
            }
        }

        /// The app of an inline receipt object; a list names no app.
        private static func innerBundleId(
            _ cursor: inout JSONCursor
        ) throws(JSONError) -> String? {
            try member("bid", &cursor) { (cursor: inout JSONCursor) throws(JSONError) in
                try cursor.readText()
            }
        }

        /// One member of an object; nil where the value is not an object.
        private static func member<Value>(
            _ name: StaticString, _ cursor: inout JSONCursor,
            _ read: (inout JSONCursor) throws(JSONError) -> Value?
        ) throws(JSONError) -> Value? {
            guard cursor.isAtObject() else {
                try cursor.skipValue()
                return nil
            }
            var value: Value?
            var object = try cursor.beginObject()
            while let key = try cursor.nextKey(&object) {
                if name ~= key { value = try read(&cursor) } else { try cursor.skipValue() }
            }
            return value
        }
    }

    /// The place of the password in a version 1 body, so that only it is replaced and all other
    /// bytes are kept.
    public struct Password: Sendable {
        /// The bytes of the JSON string, including quotes.
        public let range: Range<Int>
        /// The password; nil unless it is a string.
        public let text: String?
    }

    /// Most values, and thus keys, of a body skipped before its password is compared: 10,000. Every
    /// key must be compared with those before it, whatever the password. Apple's bodies have at
    /// most 100 transactions of about 25 keys (responseBodyV1, unified_receipt), and renewals of
    /// about 12.
    public static let unreadValueCount = 10_000

    /// Reads the head of a body.
    ///
    /// Throws `JSONError` if the body is not a JSON object or has a duplicate key, because it would
    /// be ambiguous which of two passwords counts; `tooManyValues` for more than
    /// `unreadValueCount`.
    public static func head(of body: [UInt8]) throws(JSONError) -> Head {
        try body.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            var cursor = JSONCursor(buffer, skipping: unreadValueCount)
            var head = Head()
            var object = try cursor.beginObject()
            while let key = try cursor.nextKey(&object) { try head.read(key, &cursor) }
            try cursor.finish()
            return head
        }
    }
}
