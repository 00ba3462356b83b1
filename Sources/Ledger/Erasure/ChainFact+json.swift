import AppStore

/// A fact in an erasure's evidence, with Apple's names and the wire format of its payloads, so that
/// later versions read it as they read the payloads themselves.
extension ChainFact {
    func writeMembers(to json: inout JSONWriter) {
        chain.writeMembers(to: &json)
        json.member("position", fact.position)
        if part > 0 { json.member("part", Int64(part)) }
        json.member("receivedAt", fact.receivedAt.milliseconds)
        if !fact.isArrivalKnown { json.member("isArrivalKnown", false) }
        if fact.hasForeignReceipt { json.member("hasForeignReceipt", true) }
        json.member("trust", fact.trust.rawValue)
        json.member("kind", fact.cause.kind.rawValue)
        json.memberIfPresent("notificationType", fact.cause.notificationType?.rawValue)
        json.memberIfPresent("subtype", fact.cause.subtype?.rawValue)
        json.memberIfPresent("signedDate", fact.signedDate?.milliseconds)
        json.member("digest", fact.digest)
        json.memberIfPresent("status", fact.status?.rawValue)
        json.memberIfPresent("flaw", fact.flaw?.rawValue)
        if !fact.unknownValues.isEmpty { json.array("unknownValues", fact.unknownValues) }
        if let transaction = fact.transaction {
            json.member("transaction", TransactionPayload(transaction))
            json.memberIfPresent("isTrialPeriod", transaction.isTrialPeriod)
        }
        if let renewal = fact.renewal { json.member("renewal", RenewalPayload(renewal)) }
        if let command = fact.command {
            json.key("command")
            json.raw(command.evidence(about: nil))
        }
    }

    init?(_ json: JSONValue) {
        guard let bundleId = json["bundleId"]?.string,
            let original = json["originalTransactionId"]?.string,
            let position = json["position"]?.int64, let receivedAt = json["receivedAt"]?.int64,
            let trust = json["trust"]?.string.flatMap({ Trust(rawValue: $0) }),
            let kind = json["kind"]?.string.flatMap({ EventKind(rawValue: $0) }),
            let digest = json["digest"]?.string.flatMap({ Digest(hexadecimal: $0) })
        else { return nil }
        var fact = Fact(
            position: position, receivedAt: Timestamp(milliseconds: receivedAt),
            isArrivalKnown: json["isArrivalKnown"]?.bool ?? true, trust: trust,
            cause: Cause(
                kind: kind,
                notificationType: json["notificationType"]?.string.map { Raw(rawValue: $0) },
                subtype: json["subtype"]?.string.map { Raw(rawValue: $0) }),
            signedDate: json["signedDate"]?.int64.map { Timestamp(milliseconds: $0) },
            digest: digest, status: json["status"]?.int64.map { Raw(rawValue: $0) },
            unknownValues: json["unknownValues"]?.array?.compactMap(\.string) ?? [],
            flaw: json["flaw"]?.string.flatMap { Fact.Flaw(rawValue: $0) })
        fact.hasForeignReceipt = json["hasForeignReceipt"]?.bool ?? false
        if let payload = json["transaction"] {
            guard let read = try? TransactionPayload.decode(payload.encoded(), clampsDates: true),
                var snapshot = TransactionSnapshot(read)
            else { return nil }
            snapshot.isTrialPeriod = json["isTrialPeriod"]?.bool
            fact.transaction = snapshot
        }
        if let payload = json["renewal"] {
            guard let read = try? RenewalPayload.decode(payload.encoded(), clampsDates: true) else {
                return nil
            }
            fact.renewal = RenewalSnapshot(read)
        }
        if let command = json["command"] {
            guard let read = Command(evidence: command) else { return nil }
            fact.command = read
        }
        self.init(
            chain: ChainId(
                bundleId: BundleId(bundleId),
                originalTransactionId: OriginalTransactionId(original)),
            fact: fact, part: UInt16(clamping: json["part"]?.int64 ?? 0))
    }
}

extension TransactionPayload {
    /// The payload whose snapshot this is.
    init(_ snapshot: TransactionSnapshot) {
        self.init()
        transactionId = snapshot.transactionId
        originalTransactionId = snapshot.originalTransactionId
        webOrderLineItemId = snapshot.webOrderLineItemId
        productId = snapshot.productId
        subscriptionGroupIdentifier = snapshot.subscriptionGroupIdentifier
        purchaseDate = snapshot.purchaseDate
        originalPurchaseDate = snapshot.originalPurchaseDate
        expiresDate = snapshot.expiresDate
        quantity = snapshot.quantity
        type = snapshot.type
        appAccountToken = snapshot.appAccountToken
        inAppOwnershipType = snapshot.inAppOwnershipType
        signedDate = snapshot.signedDate
        revocationDate = snapshot.revocationDate
        revocationReason = snapshot.revocationReason
        revocationType = snapshot.revocationType
        revocationPercentage = snapshot.revocationPercentage
        isUpgraded = snapshot.isUpgraded ? true : nil
        offerType = snapshot.offer?.type
        offerIdentifier = snapshot.offer?.identifier
        offerDiscountType = snapshot.offer?.discountType
        offerPeriod = snapshot.offer?.period
        storefront = snapshot.storefront
        transactionReason = snapshot.transactionReason
        price = snapshot.price
        currency = snapshot.currency
        billingPlanType = snapshot.billingPlanType
        commitmentInfo = snapshot.commitment.map { commitment in
            var info = TransactionCommitmentInfo()
            info.billingPeriodNumber = commitment.billingPeriodNumber
            info.totalBillingPeriods = commitment.totalBillingPeriods
            info.commitmentExpiresDate = commitment.commitmentExpiresDate
            info.commitmentPrice = commitment.commitmentPrice
            return info
        }
    }
}

extension RenewalPayload {
    /// The payload whose snapshot this is.
    init(_ snapshot: RenewalSnapshot) {
        self.init()
        productId = snapshot.productId
        autoRenewProductId = snapshot.autoRenewProductId
        autoRenewStatus = snapshot.autoRenewStatus
        expirationIntent = snapshot.expirationIntent
        isInBillingRetryPeriod = snapshot.isInBillingRetryPeriod
        priceIncreaseStatus = snapshot.priceIncreaseStatus
        gracePeriodExpiresDate = snapshot.gracePeriodExpiresDate
        offerType = snapshot.offer?.type
        offerIdentifier = snapshot.offer?.identifier
        offerDiscountType = snapshot.offer?.discountType
        offerPeriod = snapshot.offer?.period
        renewalDate = snapshot.renewalDate
        renewalPrice = snapshot.renewalPrice
        currency = snapshot.currency
        appAccountToken = snapshot.appAccountToken
        signedDate = snapshot.signedDate
        renewalBillingPlanType = snapshot.renewalBillingPlanType
        commitmentInfo = snapshot.commitment.map { commitment in
            var info = RenewalCommitmentInfo()
            info.commitmentAutoRenewProductId = commitment.autoRenewProductId
            info.commitmentAutoRenewStatus = commitment.autoRenewStatus
            info.commitmentRenewalDate = commitment.renewalDate
            info.commitmentRenewalPrice = commitment.renewalPrice
            info.commitmentRenewalBillingPlanType = commitment.renewalBillingPlanType
            return info
        }
    }
}
