/// An identifier Apple issues. Ids look numeric but are strings (App Store Server API); the tag
/// keeps one kind from being used as another.
public struct Identifier<Tag>: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any string: ids are Apple's, and their form is not promised.
    @inlinable
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The id itself.
    public var description: String { rawValue }

    /// Order of the bytes, the same on every machine and in every locale.
    @inlinable
    public static func < (left: Identifier, right: Identifier) -> Bool {
        left.lendingBytes { one in right.lendingBytes { two in Bytes.compare(one, two) < 0 } }
    }

    /// Equality of the bytes: String's own would take canonically equivalent spellings for one.
    @inlinable
    public static func == (left: Identifier, right: Identifier) -> Bool {
        // Most ids that are compared are one string, kept once: then nothing has to be read.
        let (one, two) = (left.representation, right.representation)
        if one == two { return true }
        guard left.rawValue.utf8.count == right.rawValue.utf8.count else { return false }
        return left.lendingBytes { one in right.lendingBytes { two in Bytes.compare(one, two) == 0 }
        }
    }

    /// The string's own words, its memory's address among them: the same words are the same text.
    @inlinable @inline(__always)
    var representation: (UInt64, UInt64) {
        unsafeBitCast(rawValue, to: (UInt64, UInt64).self)
    }

    @inlinable @inline(__always)
    func lendingBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        rawValue.lendingUTF8(body)
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Tags `TransactionId`.
public enum TransactionTag: Sendable {}
/// Tags `OriginalTransactionId`.
public enum OriginalTransactionTag: Sendable {}
/// Tags `WebOrderLineItemId`.
public enum WebOrderLineItemTag: Sendable {}
/// Tags `BundleId`.
public enum BundleTag: Sendable {}
/// Tags `ProductId`.
public enum ProductTag: Sendable {}
/// Tags `SubscriptionGroupIdentifier`.
public enum SubscriptionGroupTag: Sendable {}
/// Tags `NotificationUUID`.
public enum NotificationTag: Sendable {}
/// Tags `AppTransactionId`.
public enum AppTransactionTag: Sendable {}

/// One purchase, renewal or restore.
public typealias TransactionId = Identifier<TransactionTag>
/// The chain: stable through renewals, plan changes and resubscriptions.
public typealias OriginalTransactionId = Identifier<OriginalTransactionTag>
/// One purchased subscription period, the same across devices and restores.
public typealias WebOrderLineItemId = Identifier<WebOrderLineItemTag>
/// One app.
public typealias BundleId = Identifier<BundleTag>
/// One product of an app, named by its developer.
public typealias ProductId = Identifier<ProductTag>
/// Products of which a customer has at most one subscription at a time.
public typealias SubscriptionGroupIdentifier = Identifier<SubscriptionGroupTag>
/// `notificationUUID`: unique per notification, identical on every redelivery.
public typealias NotificationUUID = Identifier<NotificationTag>
/// Apple Account × app; exists without purchases.
public typealias AppTransactionId = Identifier<AppTransactionTag>

extension TransactionId {
    /// The chain of a purchase of original StoreKit that names no original transaction: the first of a
    /// chain is its own. Nil for "0", which stands for no id in the receipts that Xcode makes.
    public var own: OriginalTransactionId? {
        rawValue == "0" ? nil : OriginalTransactionId(rawValue)
    }
}
