extension AppReceipt {
    /// Decodes the signed content of a receipt.
    ///
    /// Some signers wrap the set in another octet string, which is removed. Attributes of unknown
    /// types are kept raw; a known one must have its form and occur once.
    public static func decode(_ payload: [UInt8]) throws(AppReceiptError) -> AppReceipt {
        let bytes = payload.span
        var receipt = AppReceipt()
        var cursor = try ReceiptAttributeCursor(set: unwrapped(bytes), in: bytes)
        var count = 0
        while let attribute = try cursor.next(in: bytes) {
            if attribute.type == AppReceipt.inAppPurchaseType {
                try receipt.append(purchase: attribute, in: bytes)
                continue
            }
            count += 1
            guard count <= AppReceiptLimits.attributeCount else {
                throw AppReceiptError(.tooManyAttributes)
            }
            if try receipt.set(attribute, in: bytes) {
                try cursor.requireFirst(attribute.type)
            } else {
                receipt.otherAttributes.append(attribute.raw(in: bytes))
            }
        }
        return receipt
    }

    private static let inAppPurchaseType: Int64 = 17

    /// The range of the set: the whole payload, or the contents of the one octet string around it.
    private static func unwrapped(
        _ bytes: borrowing Span<UInt8>
    ) throws(AppReceiptError) -> Range<Int> {
        let whole = 0..<bytes.count
        guard bytes.count > 0, bytes[0] == BERTag.octetString else { return whole }
        do throws(BERError) {
            var cursor = BERCursor(whole)
            let wrapper = try cursor.require(BERTag.octetString, in: bytes)
            try cursor.requireEnd()
            return wrapper.contents
        } catch {
            throw AppReceiptError(.malformed)
        }
    }

    private mutating func append(
        purchase value: ReceiptValue, in bytes: borrowing Span<UInt8>
    ) throws(AppReceiptError) {
        guard inAppPurchases.count < AppReceiptLimits.inAppPurchaseCount else {
            throw AppReceiptError(.tooManyPurchases)
        }
        inAppPurchases.append(try InAppPurchaseReceipt(value, in: bytes))
    }

    /// Returns false for an unknown type.
    private mutating func set(
        _ value: ReceiptValue, in bytes: borrowing Span<UInt8>
    ) throws(AppReceiptError) -> Bool {
        switch value.type {
        case 0: receiptType = try value.text(in: bytes).map { Raw(rawValue: $0) }
        case 1: appAppleId = try value.positive(in: bytes)
        case 2:
            bundleId = try value.text(in: bytes).map { BundleId($0) }
            bundleIdValue = BER.copy(value.range, of: bytes)
        case 3: applicationVersion = try value.text(in: bytes)
        case 4: opaqueValue = BER.copy(value.range, of: bytes)
        case 5: deviceHash = BER.copy(value.range, of: bytes)
        case 12: creationDate = try value.date(in: bytes)
        case 15: downloadId = try value.positive(in: bytes)
        case 16: versionExternalIdentifier = try value.positive(in: bytes)
        case 18: originalPurchaseDate = try value.date(in: bytes)
        case 19: originalApplicationVersion = try value.text(in: bytes)
        case 21: expirationDate = try value.date(in: bytes)
        default: return false
        }
        return true
    }
}

extension InAppPurchaseReceipt {
    /// Decodes the value of an attribute 17: a SET of attributes.
    init(_ value: ReceiptValue, in bytes: borrowing Span<UInt8>) throws(AppReceiptError) {
        self.init()
        var cursor = try ReceiptAttributeCursor(set: value.range, in: bytes)
        var count = 0
        while let attribute = try cursor.next(in: bytes) {
            count += 1
            guard count <= AppReceiptLimits.attributeCount else {
                throw AppReceiptError(.tooManyAttributes)
            }
            if try set(attribute, in: bytes) {
                try cursor.requireFirst(attribute.type)
            } else {
                otherAttributes.append(attribute.raw(in: bytes))
            }
        }
    }

    /// Returns false for an unknown type.
    private mutating func set(
        _ value: ReceiptValue, in bytes: borrowing Span<UInt8>
    ) throws(AppReceiptError) -> Bool {
        switch value.type {
        case 1701: purchase.quantity = try value.number(in: bytes)
        case 1702: purchase.productId = try value.text(in: bytes).map { ProductId($0) }
        case 1703: purchase.transactionId = try value.text(in: bytes).map { TransactionId($0) }
        case 1704: purchase.purchaseDate = try value.date(in: bytes)
        case 1705:
            purchase.originalTransactionId = try value.text(in: bytes)
                .map { OriginalTransactionId($0) }
        case 1706: purchase.originalPurchaseDate = try value.date(in: bytes)
        case 1707: productType = try value.number(in: bytes).map { Raw(rawValue: $0) }
        case 1708: purchase.expiresDate = try value.date(in: bytes)
        case 1711:
            purchase.webOrderLineItemId = try value.positive(in: bytes)
                .map { WebOrderLineItemId(String($0)) }
        case 1712: purchase.cancellationDate = try value.date(in: bytes)
        case 1713: purchase.isTrialPeriod = try value.truth(in: bytes)
        case 1719: purchase.isInIntroOfferPeriod = try value.truth(in: bytes)
        case 1721: purchase.promotionalOfferId = try value.text(in: bytes)
        default: return false
        }
        return true
    }
}
