public import AppStore

/// The text of a retention message (Retention Messaging API, `UploadMessageRequestBody`).
public struct UploadMessageRequest: APIObject {
    /// At most 66 characters.
    public var header: String?
    /// At most 144 characters.
    public var body: String?
    /// The image of a text-based message; messages with an offer or another plan have none.
    public var image: MessageImage?
    /// Where the header is.
    public var headerPosition: Raw<HeaderPosition>?
    /// At most five.
    public var bulletPoints: [MessageBulletPoint]?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("header", &header)
        visitor.visit("body", &body)
        visitor.visit("image", &image)
        visitor.visit("headerPosition", &headerPosition)
        visitor.visit("bulletPoints", &bulletPoints)
    }
}

/// An uploaded image and its description (Retention Messaging API, `UploadMessageImage`).
public struct MessageImage: APIObject {
    /// The UUID of the upload.
    public var imageIdentifier: String?
    /// At most 150 characters.
    public var altText: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("imageIdentifier", &imageIdentifier)
        visitor.visit("altText", &altText)
    }
}

/// A line of a message, with its image (Retention Messaging API, `BulletPoint`).
public struct MessageBulletPoint: APIObject {
    /// At most 66 characters.
    public var text: String?
    /// The UUID of the upload.
    public var imageIdentifier: String?
    /// At most 150 characters.
    public var altText: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("text", &text)
        visitor.visit("imageIdentifier", &imageIdentifier)
        visitor.visit("altText", &altText)
    }
}

/// Where the header of a message is (Retention Messaging API, `headerPosition`).
public enum HeaderPosition: String, Sendable, CaseIterable {
    case aboveBody = "ABOVE_BODY"
    case aboveImage = "ABOVE_IMAGE"
}

/// The use of an image, which sets its dimensions (Retention Messaging API, `imageSize`).
public enum MessageImageSize: String, Sendable, CaseIterable {
    case fullSize = "FULL_SIZE"
    case bulletPoint = "BULLET_POINT"
}
