internal import AppStore
internal import Ledger

/// The stored form of a fact, without position and signedDate, which are in the row's key.
enum FactCodec {
    static func encode(_ fact: Fact) -> [UInt8] {
        var writer = FactWriter()
        let base = fact.signedDate?.milliseconds ?? 0
        writer.optionalBool(fact.signedDate != nil)
        writer.signed(fact.receivedAt.milliseconds &- base)
        writer.unsigned((fact.isArrivalKnown ? 1 : 0) | (fact.hasForeignReceipt ? 2 : 0))
        writer.unsigned(UInt64(FactTables.trusts.firstIndex(of: fact.trust) ?? 0))
        writer.unsigned(UInt64(FactTables.kinds.firstIndex(of: fact.cause.kind) ?? 0))
        writer.raw(fact.cause.notificationType, FactTables.notificationTypes)
        writer.raw(fact.cause.subtype, FactTables.subtypes)
        writer.optionalText(fact.cause.notificationUUID?.rawValue)
        writer.digest(fact.digest)
        writer.raw(fact.status)
        writer.optionalText(fact.flaw?.rawValue)
        writer.unsigned(UInt64(fact.unknownValues.count))
        for name in fact.unknownValues { writer.text(name) }
        writer.optionalBool(fact.transaction != nil)
        if let transaction = fact.transaction { encode(transaction, base, &writer) }
        writer.optionalBool(fact.renewal != nil)
        if let renewal = fact.renewal {
            encode(renewal, beside: fact.transaction?.appAccountToken, base, &writer)
        }
        if let command = fact.command { encode(command, &writer) }
        if fact.cause.kind == .erasure {
            writer.differences(fact.erasedPurchases.map(\.milliseconds))
        }
        return writer.bytes
    }

    /// - Parameter isForReduction: leaves out the notificationUUID: no state, fact or notice
    ///   depends on it, and it differs in every fact.
    ///
    /// Throws `FactReader.Damage` for bytes that `encode` did not produce.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, position: Int64, signedAt: Int64,
        recent: StringInterner, isForReduction: Bool = false
    ) throws(FactReader.Damage) -> Fact {
        var reader = FactReader(bytes, recent: recent)
        let isDated = try reader.optionalBool() ?? false
        let base = isDated ? signedAt : 0
        let receivedAt = Timestamp(milliseconds: base &+ (try reader.signed()))
        let flags = try reader.unsigned()
        let trust = try reader.element(of: FactTables.trusts)
        let kind = try reader.element(of: FactTables.kinds)
        let cause = Cause(
            kind: kind, notificationType: try reader.raw(FactTables.notificationTypes),
            subtype: try reader.raw(FactTables.subtypes),
            notificationUUID: isForReduction
                ? try reader.skipOptionalText()
                : try reader.optionalText().map { NotificationUUID($0) })
        let digest = try reader.digest()
        let status: Raw<SubscriptionStatus>? = try reader.raw()
        let flaw = try reader.optionalText().flatMap { Fact.Flaw(rawValue: $0) }
        var unknown: [String] = []
        for _ in 0..<(try reader.unsigned()) { unknown.append(try reader.text()) }
        let transaction =
            try reader.optionalBool() == true ? try transaction(base, &reader) : nil
        let renewal =
            try reader.optionalBool() == true
            ? try renewal(beside: transaction?.appAccountToken, base, &reader) : nil
        let command = kind == .command && !reader.isAtEnd ? try command(&reader) : nil
        let erased = kind == .erasure ? try reader.differences() : []
        guard reader.isAtEnd else { throw FactReader.Damage() }
        var fact = Fact(
            position: position, receivedAt: receivedAt, isArrivalKnown: flags & 1 != 0,
            trust: trust, cause: cause,
            signedDate: isDated ? Timestamp(milliseconds: signedAt) : nil, digest: digest,
            status: status, sharing: transaction, renewal, unknownValues: unknown, flaw: flaw,
            command: command)
        if flags & 2 != 0 { fact.hasForeignReceipt = true }
        if !erased.isEmpty {
            fact.erasedPurchases = erased.map { Timestamp(milliseconds: $0) }
        }
        return fact
    }

    // MARK: Transaction

    private static func encode(
        _ snapshot: TransactionSnapshot, _ base: Int64, _ writer: inout FactWriter
    ) {
        writer.id(snapshot.transactionId.rawValue)
        writer.id(
            snapshot.originalTransactionId.rawValue == snapshot.transactionId.rawValue
                ? nil : snapshot.originalTransactionId.rawValue)
        writer.id(snapshot.webOrderLineItemId?.rawValue)
        writer.optionalText(snapshot.productId?.rawValue)
        writer.id(snapshot.subscriptionGroupIdentifier?.rawValue)
        writer.date(snapshot.purchaseDate, from: base)
        writer.date(snapshot.originalPurchaseDate, from: base)
        writer.date(snapshot.expiresDate, from: base)
        writer.date(snapshot.signedDate, from: base)
        writer.date(snapshot.revocationDate, from: base)
        writer.optionalSigned(snapshot.quantity)
        writer.raw(snapshot.type, FactTables.productTypes)
        writer.optionalText(snapshot.appAccountToken)
        writer.raw(snapshot.inAppOwnershipType, FactTables.ownershipTypes)
        writer.raw(snapshot.revocationReason)
        writer.raw(snapshot.revocationType, FactTables.revocationTypes)
        writer.optionalSigned(snapshot.revocationPercentage)
        writer.optionalBool(snapshot.isUpgraded)
        encode(snapshot.offer, &writer)
        writer.optionalBool(snapshot.isTrialPeriod)
        writer.optionalText(snapshot.storefront)
        writer.raw(snapshot.transactionReason, FactTables.transactionReasons)
        writer.optionalSigned(snapshot.price)
        writer.optionalText(snapshot.currency)
        writer.raw(snapshot.billingPlanType, FactTables.billingPlanTypes)
        writer.optionalBool(snapshot.commitment != nil)
        if let commitment = snapshot.commitment {
            writer.optionalSigned(commitment.billingPeriodNumber)
            writer.optionalSigned(commitment.totalBillingPeriods)
            writer.date(commitment.commitmentExpiresDate, from: base)
            writer.optionalSigned(commitment.commitmentPrice)
        }
    }

    private static func transaction(
        _ base: Int64, _ reader: inout FactReader
    ) throws(FactReader.Damage) -> Shared<TransactionSnapshot> {
        guard let id = try reader.id() else { throw FactReader.Damage() }
        // Read in the order written: arguments are evaluated left to right.
        return Shared(
            TransactionSnapshot(
                stored: TransactionId(id),
                originalTransactionId: OriginalTransactionId(try reader.id() ?? id),
                webOrderLineItemId: try reader.id().map { WebOrderLineItemId($0) },
                productId: try reader.optionalText().map { ProductId($0) },
                subscriptionGroupIdentifier: try reader.id().map {
                    SubscriptionGroupIdentifier($0)
                },
                purchaseDate: try reader.date(from: base),
                originalPurchaseDate: try reader.date(from: base),
                expiresDate: try reader.date(from: base), signedDate: try reader.date(from: base),
                revocationDate: try reader.date(from: base), quantity: try reader.optionalSigned(),
                type: try reader.raw(FactTables.productTypes),
                appAccountToken: try reader.optionalText(),
                inAppOwnershipType: try reader.raw(FactTables.ownershipTypes),
                revocationReason: try reader.raw(),
                revocationType: try reader.raw(FactTables.revocationTypes),
                revocationPercentage: try reader.optionalSigned(),
                isUpgraded: try reader.optionalBool() ?? false, offer: try offer(&reader),
                isTrialPeriod: try reader.optionalBool(), storefront: try reader.optionalText(),
                transactionReason: try reader.raw(FactTables.transactionReasons),
                price: try reader.optionalSigned(), currency: try reader.optionalText(),
                billingPlanType: try reader.raw(FactTables.billingPlanTypes),
                commitment: try commitment(base, &reader)))
    }

    private static func commitment(
        _ base: Int64, _ reader: inout FactReader
    ) throws(FactReader.Damage) -> TransactionSnapshot.Commitment? {
        guard try reader.optionalBool() == true else { return nil }
        return TransactionSnapshot.Commitment(
            billingPeriodNumber: try reader.optionalSigned(),
            totalBillingPeriods: try reader.optionalSigned(),
            commitmentExpiresDate: try reader.date(from: base),
            commitmentPrice: try reader.optionalSigned())
    }

    // MARK: Renewal

    /// - Parameter token: the transaction's, which is nearly always the renewal's, too.
    private static func encode(
        _ snapshot: RenewalSnapshot, beside token: String?, _ base: Int64,
        _ writer: inout FactWriter
    ) {
        writer.optionalText(snapshot.productId?.rawValue)
        writer.optionalText(
            snapshot.autoRenewProductId == snapshot.productId
                ? nil : snapshot.autoRenewProductId?.rawValue)
        writer.optionalBool(
            snapshot.autoRenewProductId != nil
                && snapshot.autoRenewProductId == snapshot.productId)
        writer.raw(snapshot.autoRenewStatus)
        writer.raw(snapshot.expirationIntent)
        writer.optionalBool(snapshot.isInBillingRetryPeriod)
        writer.date(snapshot.gracePeriodExpiresDate, from: base)
        writer.raw(snapshot.priceIncreaseStatus)
        writer.date(snapshot.renewalDate, from: base)
        writer.date(snapshot.signedDate, from: base)
        writer.optionalSigned(snapshot.renewalPrice)
        writer.optionalText(snapshot.currency)
        var isSame = false
        if let stated = snapshot.appAccountToken, let token {
            // By bytes: String's own equality would merge canonically equivalent ones.
            isSame = stated.utf8.elementsEqual(token.utf8)
        }
        writer.optionalText(isSame ? nil : snapshot.appAccountToken)
        writer.optionalBool(isSame)
        encode(snapshot.offer, &writer)
        writer.raw(snapshot.renewalBillingPlanType, FactTables.billingPlanTypes)
        writer.optionalBool(snapshot.commitment != nil)
        if let commitment = snapshot.commitment {
            writer.optionalText(commitment.autoRenewProductId?.rawValue)
            writer.raw(commitment.autoRenewStatus)
            writer.date(commitment.renewalDate, from: base)
            writer.optionalSigned(commitment.renewalPrice)
            writer.raw(commitment.renewalBillingPlanType, FactTables.billingPlanTypes)
        }
    }

    private static func renewal(
        beside token: String?, _ base: Int64, _ reader: inout FactReader
    ) throws(FactReader.Damage) -> Shared<RenewalSnapshot> {
        let productId = try reader.optionalText().map { ProductId($0) }
        let next = try reader.optionalText().map { ProductId($0) }
        let isSame = try reader.optionalBool() ?? false
        // Read in the order written: arguments are evaluated left to right.
        return Shared(
            RenewalSnapshot(
                stored: productId, autoRenewProductId: isSame ? productId : next,
                autoRenewStatus: try reader.raw(), expirationIntent: try reader.raw(),
                isInBillingRetryPeriod: try reader.optionalBool(),
                gracePeriodExpiresDate: try reader.date(from: base),
                priceIncreaseStatus: try reader.raw(), renewalDate: try reader.date(from: base),
                signedDate: try reader.date(from: base),
                renewalPrice: try reader.optionalSigned(), currency: try reader.optionalText(),
                appAccountToken: try Self.token(beside: token, &reader),
                offer: try offer(&reader),
                renewalBillingPlanType: try reader.raw(FactTables.billingPlanTypes),
                commitment: try renewalCommitment(base, &reader)))
    }

    private static func token(
        beside token: String?, _ reader: inout FactReader
    ) throws(FactReader.Damage) -> String? {
        let stated = try reader.optionalText()
        return try reader.optionalBool() == true ? token : stated
    }

    private static func renewalCommitment(
        _ base: Int64, _ reader: inout FactReader
    ) throws(FactReader.Damage) -> RenewalSnapshot.Commitment? {
        guard try reader.optionalBool() == true else { return nil }
        return RenewalSnapshot.Commitment(
            autoRenewProductId: try reader.optionalText().map { ProductId($0) },
            autoRenewStatus: try reader.raw(), renewalDate: try reader.date(from: base),
            renewalPrice: try reader.optionalSigned(),
            renewalBillingPlanType: try reader.raw(FactTables.billingPlanTypes))
    }

    // MARK: Offer

    private static func encode(_ offer: Offer?, _ writer: inout FactWriter) {
        writer.optionalBool(offer != nil)
        guard let offer else { return }
        writer.raw(offer.type)
        writer.optionalText(offer.identifier)
        writer.raw(offer.discountType, FactTables.discountTypes)
        writer.optionalText(offer.period)
    }

    private static func offer(_ reader: inout FactReader) throws(FactReader.Damage) -> Offer? {
        guard try reader.optionalBool() == true else { return nil }
        return Offer(
            type: try reader.raw(), identifier: try reader.optionalText(),
            discountType: try reader.raw(FactTables.discountTypes),
            period: try reader.optionalText())
    }

    /// Appends the fields of an operator's command, after everything else; other facts have none.
    /// The subject is in the row's key.
    static func encode(_ command: Command, _ writer: inout FactWriter) {
        writer.text(String(decoding: command.evidence(about: nil), as: UTF8.self))
    }

    static func command(_ reader: inout FactReader) throws(FactReader.Damage) -> Command {
        let text = try reader.text()
        guard let value = try? JSONValue.parse(Array(text.utf8)),
            let command = Command(evidence: value)
        else { throw FactReader.Damage() }
        return command
    }
}
