extension NotificationV1 {
    /// Where the password of a version 1 body stands, so that it alone is replaced and every other
    /// byte is kept.
    public struct Password: Sendable {
        /// The bytes of the JSON string, quotation marks included.
        public let range: Range<Int>
        /// What it says; nil for what is no text.
        public let text: String?
    }

    /// The top-level `password` of a body; nil without one.
    ///
    /// Throws `JSONError` for what is no JSON object, a key that stands twice included: nobody
    /// could say which of two passwords counts.
    public static func password(in body: [UInt8]) throws(JSONError) -> Password? {
        try body.withBytes { (buffer) throws(JSONError) in
            var cursor = JSONCursor(buffer)
            var found: Password?
            var object = try cursor.beginObject()
            while let key = try cursor.nextKey(&object) {
                switch key {
                case "password":
                    let start = cursor.index
                    let text = try cursor.readValue().string
                    found = Password(range: start..<cursor.index, text: text)
                default: try cursor.skipValue()
                }
            }
            try cursor.finish()
            return found
        }
    }
}
