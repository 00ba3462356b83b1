/// An identifier issued by Apple. Ids look numeric but are strings (App Store Server API); the tag
/// prevents mixing kinds.
public struct Identifier<Tag>: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any string: Apple does not specify the form of ids.
    @inlinable
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The id itself.
    public var description: String { rawValue }

    /// Byte order, the same on every machine and in every locale.
    @inlinable
    public static func < (left: Identifier, right: Identifier) -> Bool {
        left.lendingBytes { one in right.lendingBytes { two in Bytes.compare(one, two) < 0 } }
    }

    /// Byte equality: String's own would equate canonically equivalent spellings.
    @inlinable
    public static func == (left: Identifier, right: Identifier) -> Bool {
        // Fast path: most compared ids share one string's storage.
        let (one, two) = (left.representation, right.representation)
        if one == two { return true }
        guard left.rawValue.utf8.count == right.rawValue.utf8.count else { return false }
        return left.lendingBytes { one in right.lendingBytes { two in Bytes.compare(one, two) == 0 }
        }
    }

    /// The string's two words, including its storage address: equal words imply equal text.
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

/// Tag type of `TransactionId`.
public enum TransactionTag: Sendable {}
/// Tag type of `OriginalTransactionId`.
public enum OriginalTransactionTag: Sendable {}
/// Tag type of `WebOrderLineItemId`.
public enum WebOrderLineItemTag: Sendable {}
/// Tag type of `BundleId`.
public enum BundleTag: Sendable {}
/// Tag type of `ProductId`.
public enum ProductTag: Sendable {}
/// Tag type of `SubscriptionGroupIdentifier`.
public enum SubscriptionGroupTag: Sendable {}
/// Tag type of `NotificationUUID`.
public enum NotificationTag: Sendable {}
/// Tag type of `AppTransactionId`.
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
    /// The chain of an original StoreKit purchase without an original transaction, which is the
    /// first of its chain. Nil for "0", which means no id in Xcode's receipts.
    public var asOriginal: OriginalTransactionId? {
        rawValue == "0" ? nil : OriginalTransactionId(rawValue)
    }
}
