extension NotificationV1 {
    /// What tells whether a version 1 body is to be believed, read in one pass that keeps nothing
    /// else: a sender without the secret has neither four million bytes decoded nor read twice.
    public struct Head: Sendable {
        /// The top-level password; nil without one.
        public private(set) var password: Password?
        /// Whether the body says that it is of version 1: it names its type, or holds a receipt as
        /// version 1 does.
        public private(set) var isVersionOne = false
        /// The app the body names: `bid`, or in the oldest bodies that of the receipt inside.
        public var bundleId: BundleId? {
            (named ?? latest ?? expired).map { BundleId($0) }
        }

        private var named: String?
        private var latest: String?
        private var expired: String?
        private var ownReceipt: JSONCursor.PlacedText?
        private var unifiedReceipt: JSONCursor.PlacedText?

        /// Of a body of which nothing was read yet.
        public init() {}

        /// Reads the member of the body whose key has just been read, or passes over it.
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
            case "bid": named = try cursor.readText()
            case "latest_receipt": ownReceipt = try cursor.readTextInPlace()
            case "unified_receipt":
                isVersionOne = true
                unifiedReceipt = try Head.latestReceipt(&cursor)
            case "latest_receipt_info": latest = try Head.innerBundleId(&cursor)
            case "latest_expired_receipt_info": expired = try Head.innerBundleId(&cursor)
            default: try cursor.skipValue()
            }
        }

        /// The receipt inside the body that this is the head of, in base64; nil without one. It can
        /// be looked at before the body is believed.
        public func latestReceipt(in body: [UInt8]) -> [UInt8]? {
            switch unifiedReceipt ?? ownReceipt {
            case .inPlace(let range): Array(body[range])
            case .unescaped(let bytes): bytes
            case nil: nil
            }
        }

        private static func latestReceipt(
            _ cursor: inout JSONCursor
        ) throws(JSONError) -> JSONCursor.PlacedText? {
            guard cursor.isAtObject() else {
                try cursor.skipValue()
                return nil
            }
            var receipt: JSONCursor.PlacedText?
            var object = try cursor.beginObject()
            while let key = try cursor.nextKey(&object) {
                switch key {
                case "latest_receipt": receipt = try cursor.readTextInPlace()
                default: try cursor.skipValue()
                }
            }
            return receipt
        }

        /// Of a receipt that stands there as an object; a list names no app.
        private static func innerBundleId(
            _ cursor: inout JSONCursor
        ) throws(JSONError) -> String? {
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

    /// Where the password of a version 1 body stands, so that it alone is replaced and every other
    /// byte is kept.
    public struct Password: Sendable {
        /// The bytes of the JSON string, quotation marks included.
        public let range: Range<Int>
        /// What it says; nil for what is no text.
        public let text: String?
    }

    /// Values, and so keys, of a body that are passed over before its password is compared: 10,000.
    /// Every key has to be compared with those before it, whatever the password. Apple's bodies hold
    /// at most 100 transactions of some 25 keys (responseBodyV1, unified_receipt), and renewals of
    /// some 12.
    public static let unreadValueCount = 10_000

    /// Reads the head of a body.
    ///
    /// Throws `JSONError` for what is no JSON object, a key that stands twice included: nobody
    /// could say which of two passwords counts; `tooManyValues` for more than `unreadValueCount`.
    public static func head(of body: [UInt8]) throws(JSONError) -> Head {
        try body.withBytes { (buffer) throws(JSONError) in
            var cursor = JSONCursor(buffer, skipping: unreadValueCount)
            var head = Head()
            var object = try cursor.beginObject()
            while let key = try cursor.nextKey(&object) { try head.read(key, &cursor) }
            try cursor.finish()
            return head
        }
    }
}
