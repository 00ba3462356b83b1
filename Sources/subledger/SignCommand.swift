import AppStore
import AppStoreAPI
import ArgumentParser
import Foundation
import Intake
import Ledger
import Projection
import Queries
import Service

struct SignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign what an app passes to StoreKit, with its In-App Purchase key.",
        discussion: """
            Sends nothing to Apple. With --if-eligible the ledger decides whether to sign, and \
            names the events that decide it.
            """,
        subcommands: [
            SignatureCommand<Signatures.PromotionalOffer>.self,
            SignatureCommand<Signatures.PromotionalOfferV1>.self,
            SignatureCommand<Signatures.IntroductoryOffer>.self,
            SignatureCommand<Signatures.AdvancedCommerce>.self,
        ])
}

/// A signature: the options of a command, and the order they make.
protocol SignatureOptions: ParsableArguments {
    static var configuration: CommandConfiguration { get }

    /// Throws `IntakeRefusal` for options that exclude each other.
    func order() async throws -> SignatureOrder
}

struct SignatureCommand<Options: SignatureOptions>: OutputCommand {
    static var configuration: CommandConfiguration { Options.configuration }

    @OptionGroup var options: Options
    @OptionGroup var key: APIKeyOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let order: SignatureOrder
        do { order = try await options.order() } catch let refusal as IntakeRefusal {
            throw CommandFailure.invalidOption(refusal.message)
        }
        let app = try settings.selectedApp(key)
        let credentials = try settings.credentials(of: app)
        settings.warnOfOpenKeys(of: [app])
        let now = Terminal.now
        var eligibility: EligibilityAnswer?
        if order.isForEligible {
            do {
                eligibility = try await settings.withSession { session in
                    try await order.eligibility(
                        in: session.snapshot, bundleId: app.bundleId,
                        moment: Moment(at: nil, now: now))
                }
            } catch let error as EligibilityError {
                // With the decision; the same sentence is on standard error.
                return Output(text: "", failure: error) { json in
                    json.member("code", error.code.rawValue)
                    json.member("message", error.message)
                    error.eligibility?.writeRefusal(to: &json)
                }
            }
            if eligibility?.stamp.position == 0 {
                Terminal.note(
                    "warning: the ledger is empty and knows no customer; check --data and"
                        + " --environment.")
            }
        }
        let answer = SignatureAnswer(
            try credentials.sign(order.request, nonce: UUID().uuidString, at: now), eligibility)
        return Output(json: { answer.write(to: &$0) }, text: answer.text())
    }
}

/// Whether the ledger decides if a customer gets an offer.
struct EligibilityOptions: ParsableArguments {
    @Flag(help: "Sign only for a customer who is eligible by the ledger; otherwise exit code 1.")
    var ifEligible = false

    @Option(help: "The customer whose eligibility is asked, beside the transaction's or token's.")
    var customer: String?

    func order(_ request: SignatureRequest) throws(IntakeRefusal) -> SignatureOrder {
        try SignatureOrder(request, isForEligible: ifEligible, customer: customer)
    }
}

/// The signatures that `sign` makes.
enum Signatures {
    fileprivate static let transactionHelp =
        "Any transaction of the customer, or their appTransactionId; with --if-eligible the latter"
        + " needs --customer, since the ledger does not know it."

    struct PromotionalOffer: SignatureOptions {
        static let configuration = CommandConfiguration(
            commandName: SignatureRequest.Kind.promotionalOffer.rawValue,
            abstract: "A promotional offer as JWS, for current StoreKit.",
            discussion: """
                A customer is eligible whose subscriptions of the product's group have all ended, \
                at least one of them by expiring; in grace, in billing retry, or where every one \
                was refunded or revoked, they are not.
                """)

        @Argument(help: "The product.")
        var product: String

        @Argument(help: "The offer's identifier in App Store Connect.")
        var offer: String

        @Option(help: ArgumentHelp(Signatures.transactionHelp))
        var transaction: String?

        @OptionGroup var eligibility: EligibilityOptions

        func order() async throws -> SignatureOrder {
            try eligibility.order(
                .promotionalOffer(
                    productId: ProductId(product), offerId: offer, transactionId: transaction))
        }
    }

    struct PromotionalOfferV1: SignatureOptions {
        static let configuration = CommandConfiguration(
            commandName: SignatureRequest.Kind.promotionalOfferV1.rawValue,
            abstract: "A promotional offer in the first form, for any StoreKit.",
            discussion: """
                The app passes key id, nonce, timestamp and signature; Apple accepts them for 24 \
                hours. A customer is eligible whose subscriptions of the product's group have all \
                ended, at least one of them by expiring; in grace, in billing retry, or where every \
                one was refunded or revoked, they are not.
                """)

        @Argument(help: "The product.")
        var product: String

        @Argument(help: "The offer's identifier in App Store Connect.")
        var offer: String

        @Option(help: "The appAccountToken or applicationUsername of the purchase (default: none).")
        var appAccountToken: String?

        @OptionGroup var eligibility: EligibilityOptions

        func order() async throws -> SignatureOrder {
            try eligibility.order(
                .promotionalOfferV1(
                    productId: ProductId(product), offerId: offer,
                    appAccountToken: appAccountToken))
        }
    }

    struct IntroductoryOffer: SignatureOptions {
        static let configuration = CommandConfiguration(
            commandName: SignatureRequest.Kind.introductoryOffer.rawValue,
            abstract: "Whether a customer gets a product's introductory offer.",
            discussion: """
                A customer is eligible who never had an introductory offer in the product's \
                group, by a history without gaps.
                """)

        @Argument(help: "The product.")
        var product: String

        @Option(help: ArgumentHelp(Signatures.transactionHelp))
        var transaction: String

        @Flag(help: "Sign that the customer does not get it.")
        var deny = false

        @OptionGroup var eligibility: EligibilityOptions

        func order() async throws -> SignatureOrder {
            try eligibility.order(
                .introductoryOffer(
                    productId: ProductId(product), isAllowed: !deny, transactionId: transaction))
        }
    }

    struct AdvancedCommerce: SignatureOptions {
        static let configuration = CommandConfiguration(
            commandName: SignatureRequest.Kind.advancedCommerce.rawValue,
            abstract: "An in-app request of the Advanced Commerce API.")

        @Argument(
            help: ArgumentHelp(
                "A file with the request as JSON; - is standard input.", valueName: "file"),
            completion: .file())
        var file: String

        func order() async throws -> SignatureOrder {
            let bytes = try await StoredReceipt.read(file)
            guard let request = try? JSONValue.parse(bytes) else {
                throw CommandFailure(
                    SignatureError.Code.invalidCommerceRequest, "\(file) is no valid JSON.", .usage)
            }
            return try SignatureOrder(.advancedCommerce(request: request))
        }
    }
}

extension SignatureAnswer {
    /// For people: one member per line.
    fileprivate func text() -> String {
        var lines = [
            "signature: \(signature.signature)", "keyId: \(signature.keyId.printable)",
            "nonce: \(signature.nonce)", "timestamp: \(signature.timestamp.milliseconds)",
        ]
        if let eligibility = eligibility?.eligibility {
            let events = eligibility.evidence.map(String.init).joined(separator: ", ")
            lines.append(
                "eligible: \(eligibility.reason.rawValue)"
                    + (events.isEmpty ? "" : " (events \(events))"))
        }
        return lines.map { "\($0)\n" }.joined()
    }
}
