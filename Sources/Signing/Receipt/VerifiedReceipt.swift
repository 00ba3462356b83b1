public import AppStore

/// A verified app receipt: the App Store's statement at `receipt.creationDate`, without renewal
/// state.
public struct VerifiedReceipt: Sendable {
    /// The decoded payload.
    public let receipt: AppReceipt
    /// The evidence: the receipt as BER, byte for byte as received after decoding base64.
    public let bytes: [UInt8]
    /// The signed payload.
    public let payloadBytes: [UInt8]
    /// The date at which the chain was checked: the receipt's creation (`Lifecycle.md` §1).
    public let effectiveDate: Timestamp
    /// Trust anchor of the signature.
    public let trust: EvidenceTrust
    /// The certificates above the signature; nil for Xcode's receipts, whose certificate proves
    /// nothing.
    public let chain: ReceiptCertificateChain?
    /// Bytes other than content and certificates; no signature covers them.
    let unsignedByteCount: Int

    /// Maximum unsigned bytes, without the headers of the content's chunks: anyone can add such
    /// bytes and so make a different receipt. Genuine ones have about 600.
    static let maximumUnsignedByteCount = 16 * 1024

    /// The limit for content of this size: 1/128 more, twice the headers of chunks of 1,000 bytes.
    static func unsignedLimit(contentByteCount: Int) -> Int {
        maximumUnsignedByteCount + contentByteCount / 128
    }

    /// Throws `malformedReceipt` for more unsigned bytes than a new event may have. A receipt that
    /// is already in a log is read whatever it contains.
    package func requireBounded() throws(VerificationError) {
        let limit = VerifiedReceipt.unsignedLimit(contentByteCount: payloadBytes.count)
        guard unsignedByteCount <= limit else {
            throw VerificationError(
                .malformedReceipt,
                reason: "The receipt has more than \(limit) bytes other than its content and"
                    + " its certificates.")
        }
    }

    /// SHA-256 of the root the chain ends in; nil for local data.
    public var rootFingerprint: Digest? { chain?.rootFingerprint }

    /// Throws `wrongDevice` unless the receipt was made for the device with this identifier: the 16
    /// bytes of `identifierForVendor` on iOS, the hardware address on macOS (App Store Receipts,
    /// "Validating receipts on the device").
    public func requireDevice(_ identifier: [UInt8]) throws(VerificationError) {
        guard !receipt.deviceHash.isEmpty, !receipt.opaqueValue.isEmpty else {
            throw VerificationError(
                .wrongDevice, reason: "The receipt has no device hash.")
        }
        let hash = ReceiptDevice.hash(
            identifier: identifier, opaque: receipt.opaqueValue,
            bundleIdValue: receipt.bundleIdValue)
        guard hash == receipt.deviceHash else {
            throw VerificationError(
                .wrongDevice, reason: "The receipt was made for another device.")
        }
    }
}
