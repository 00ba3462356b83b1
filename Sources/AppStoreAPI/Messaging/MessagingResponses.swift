public import AppStore

/// Whether Apple has approved an image or a message (Retention Messaging API, `imageState`,
/// `messageState`).
public enum MessagingState: String, Sendable, CaseIterable {
    case pending = "PENDING"
    case approved = "APPROVED"
    case rejected = "REJECTED"
}

/// The uploaded images (Retention Messaging API, Get Image List).
public struct ImageListResponse: APIObject {
    /// One item for each image.
    public var imageIdentifiers: [Item]?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("imageIdentifiers", &imageIdentifiers)
    }

    /// One image.
    public struct Item: APIObject {
        public var imageIdentifier: String?
        public var imageState: Raw<MessagingState>?
        public var imageSize: Raw<MessageImageSize>?

        public init() {}

        public mutating func visitFields(_ visitor: inout some FieldVisitor) {
            visitor.visit("imageIdentifier", &imageIdentifier)
            visitor.visit("imageState", &imageState)
            visitor.visit("imageSize", &imageSize)
        }
    }
}

/// The uploaded messages (Retention Messaging API, Get Message List).
public struct MessageListResponse: APIObject {
    /// One item for each message.
    public var messageIdentifiers: [Item]?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("messageIdentifiers", &messageIdentifiers)
    }

    /// One message.
    public struct Item: APIObject {
        public var messageIdentifier: String?
        public var messageState: Raw<MessagingState>?

        public init() {}

        public mutating func visitFields(_ visitor: inout some FieldVisitor) {
            visitor.visit("messageIdentifier", &messageIdentifier)
            visitor.visit("messageState", &messageState)
        }
    }
}

/// The message shown for a product and locale without a real-time answer (Retention Messaging API,
/// Get Default Message).
public struct DefaultMessage: APIObject {
    /// The UUID of an approved message.
    public var messageIdentifier: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("messageIdentifier", &messageIdentifier)
    }
}

/// Where Apple sends real-time requests (Retention Messaging API, Get Realtime URL).
public struct RealtimeURL: APIObject {
    /// At most 256 characters.
    public var realtimeURL: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("realtimeURL", &realtimeURL)
    }
}

extension ImageListResponse: RequiredMembers {
    var missingMember: String? { imageIdentifiers == nil ? "imageIdentifiers" : nil }
}

extension MessageListResponse: RequiredMembers {
    var missingMember: String? { messageIdentifiers == nil ? "messageIdentifiers" : nil }
}
