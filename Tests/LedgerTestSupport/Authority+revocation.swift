import AppStore
import Signing
import Simulator

extension Authority {
    /// The certificate that a request is about.
    package enum Subject: Sendable, Hashable, CaseIterable {
        /// Its responder is the intermediate.
        case leaf
        /// Its responder is the root.
        case intermediate
    }

    /// The signer of an OCSP response.
    package enum Responder: Sendable, Hashable, CaseIterable {
        /// The certificate's issuer itself.
        case issuer
        /// A certificate of the issuer's for OCSP signing (RFC 6960 §4.2.2.2).
        case delegate
        /// A certificate of the issuer's without OCSP signing.
        case undelegated
        /// A delegate whose certificate has expired.
        case expiredDelegate
        /// An unrelated responder with a self-signed certificate for OCSP signing.
        case stranger
    }

    /// An OCSP response to `request` about one of the certificates, valid from `validity`'s start
    /// to its end, or without an end.
    package func answer(
        _ request: [UInt8], about subject: Subject, status: RevocationStatus,
        validity: ClosedRange<Timestamp>, isOpenEnded: Bool = false,
        responder: Responder = .issuer
    ) throws -> [UInt8] {
        let issuerKey = subject == .leaf ? intermediateKey : rootKey
        let issuerDER = subject == .leaf ? intermediateDER : rootDER
        var builder = OCSPResponseBuilder(
            status: status,
            window: ValidityWindow(from: validity.lowerBound, until: validity.upperBound))
        builder.hasNextUpdate = !isOpenEnded
        guard responder != .issuer else {
            return try builder.answer(request, signer: issuerDER, key: issuerKey)
        }
        let key = try PrivateKey(generating: .p256)
        let delegate = try AuthorityCertificates.jws.responder(
            shape, key: key, issuerKey: responder == .stranger ? key : issuerKey,
            isOfRoot: subject == .intermediate, mayAnswer: responder != .undelegated,
            validity: responder == .expiredDelegate
                ? AuthorityShape.days(18_262...18_300) : shape.leafValidity)
        builder.certificates = [delegate]
        return try builder.answer(request, signer: delegate, key: key)
    }

    /// The same authority with a new leaf, as Apple's changes about every two years.
    package func rotatedLeaf(validity: ClosedRange<Timestamp>? = nil) throws -> Authority {
        var shape = shape
        if let validity { shape.leafValidity = validity }
        return try Authority(
            shape: shape, rootKey: rootKey, rootDER: rootDER, intermediateKey: intermediateKey,
            intermediateDER: intermediateDER)
    }
}
