import AppStore
import Testing

@testable import Console
@testable import Queries

@Suite("What to say of trials, copies, revocations and later ends")
struct AccessAdviceTests {
    @Test("A trial that is over was not paid for")
    func trialEnds() throws {
        let trial = { (transaction: inout TransactionPayload) in
            transaction.offerType = Raw(.introductoryOffer)
            transaction.offerDiscountType = Raw(.freeTrial)
            transaction.price = 0
        }
        let cases: [(AutoRenewStatus, AccessReason)] = [(.off, .voluntary), (.on, .unconfirmed)]
        for (status, expected) in cases {
            let reading = try AccessReasonTests.bought(
                after: 31 * 86_400_000, { $0.autoRenewStatus = Raw(status) }, trial)
            #expect(AccessReason(reading) == expected)
            #expect(!AccessReasonTests.explained(reading).contains("paid"))
        }
    }

    @Test("Of a copy, renewal, price and payment are its payer's to change, not its holder's")
    func copies() throws {
        let cases: [(InAppOwnershipType, String)] = [
            (.familyShared, "the family member who bought it"),
            (.assigned, "the organisation that assigned it"),
        ]
        let own = [
            "charge you", "your Apple Account", "you agree", "You can turn", "you did not",
            "You can subscribe again", "you bought",
        ]
        for (ownership, payer) in cases {
            let copy = { (transaction: inout TransactionPayload) in
                transaction.inAppOwnershipType = Raw(ownership)
            }
            let reading = try AccessReasonTests.bought({ $0.autoRenewStatus = Raw(.off) }, copy)
            for reason in AccessReason.allCases {
                let advice = reason.advice(of: reading)
                #expect(advice.hasSuffix("."))
                #expect(!own.contains { advice.contains($0) }, "\(reason)")
            }
            #expect(AccessReason.billingRetry.advice(of: reading).contains("charge \(payer)"))
            let page = AccessReasonTests.explained(reading)
            #expect(page.contains("Only \(payer) can turn renewal on again."))
        }
    }

    @Test("What was revoked can be bought: a refund, a family's copy or an assigned licence")
    func revoked() throws {
        let cases: [(ProductType, InAppOwnershipType, RevocationType?, AccessReason)] = [
            (.nonConsumable, .purchased, nil, .refund),
            (.nonRenewingSubscription, .purchased, .refundFull, .refund),
            (.nonConsumable, .familyShared, .familyRevoke, .familyRevoke),
            (.autoRenewableSubscription, .assigned, nil, .assignmentRevoke),
            (.autoRenewableSubscription, .assigned, .assignmentRevoke, .assignmentRevoke),
        ]
        for (type, ownership, revocation, expected) in cases {
            let revoked = { (transaction: inout TransactionPayload) in
                transaction.type = Raw(type)
                if type != .autoRenewableSubscription { transaction.expiresDate = nil }
                transaction.inAppOwnershipType = Raw(ownership)
                transaction.revocationDate = transaction.purchaseDate?.advanced(
                    byMilliseconds: 1_000)
                transaction.revocationType = revocation.map { Raw($0) }
            }
            let reading = try AccessReasonTests.bought({ _ in }, revoked)
            #expect(AccessReason(reading) == expected)
            let page = AccessReasonTests.explained(reading)
            #expect(page.contains("buy it") && !page.contains("subscribe"))
            #expect(page.contains("refunded") == (expected == .refund))
            #expect(page.contains("family") == (expected == .familyRevoke))
            let frame = Frame.bare(["subscriptions", "1"], now: reading.moment.now)
            let fields = SubscriptionPage(frame, reading, before: nil).page.html
            #expect(fields.contains("(\(revocation?.rawValue ?? expected.rawValue))</dd>"))
        }
    }

    @Test("A later end that only a signed renewal info states is not called unsigned")
    func laterEnd() throws {
        let reading = try AccessReasonTests.bought {
            $0.renewalDate = $0.renewalDate?.advanced(byMilliseconds: 15 * 86_400_000)
        }
        let page = AccessReasonTests.explained(reading)
        #expect(page.contains("<li>Only a renewal info states an end at "))
        #expect(!page.contains("not sign"))
    }
}
