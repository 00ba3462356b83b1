public import AppStore
public import Signing

extension Authority {
    /// Which of its certificates the authority is asked about.
    public enum Subject: Sendable, Hashable, CaseIterable {
        /// Answered for by the intermediate.
        case leaf
        /// Answered for by the root.
        case intermediate
    }

    /// Who signs an answer.
    public enum Responder: Sendable, Hashable, CaseIterable {
        /// The certificate's issuer itself.
        case issuer
        /// A certificate of the issuer's made for answering (RFC 6960 §4.2.2.2).
        case delegate
        /// A certificate of the issuer's that was not made for answering.
        case undelegated
        /// A delegate whose certificate has expired.
        case expiredDelegate
        /// Somebody else, with a certificate for answering signed by himself.
        case stranger
    }

    /// An OCSP answer to `request` about one of the certificates, holding from `validity`'s start
    /// to its end, or without an end.
    public func answer(
        _ request: [UInt8], about subject: Subject, status: RevocationStatus,
        validity: ClosedRange<Timestamp>, isOpenEnded: Bool = false,
        responder: Responder = .issuer
    ) throws -> [UInt8] {
        let issuerKey = subject == .leaf ? intermediateKey : rootKey
        let issuerDER = subject == .leaf ? intermediateDER : rootDER
        var builder = ResponseBuilder(
            status: status,
            window: ValidityWindow(from: validity.lowerBound, until: validity.upperBound))
        builder.hasNextUpdate = !isOpenEnded
        guard responder != .issuer else {
            return try builder.answer(request, signer: issuerDER, key: issuerKey)
        }
        let key = try PrivateKey(generating: .p256)
        let delegate = try AuthorityCertificates.responder(
            shape, key: key, issuerKey: responder == .stranger ? key : issuerKey,
            isOfRoot: subject == .intermediate, mayAnswer: responder != .undelegated,
            validity: responder == .expiredDelegate
                ? AuthorityShape.days(18_262...18_300) : shape.leafValidity)
        builder.certificates = [delegate]
        return try builder.answer(request, signer: delegate, key: key)
    }
}
