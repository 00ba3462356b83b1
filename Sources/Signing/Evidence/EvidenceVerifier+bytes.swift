public import AppStore

/// Verification of bytes in an array.
extension EvidenceVerifier {
    /// See the variant for a buffer.
    public func verifyNotification(
        _ bytes: [UInt8], receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedNotification {
        try bytes.withUnsafeBufferPointer { (buffer) throws(VerificationError) in
            try verifyNotification(buffer, receivedAt: receivedAt)
        }
    }

    /// See the variant for a buffer.
    public func verifyTransaction(
        _ bytes: [UInt8], receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedTransaction {
        try bytes.withUnsafeBufferPointer { (buffer) throws(VerificationError) in
            try verifyTransaction(buffer, receivedAt: receivedAt)
        }
    }

    /// See the variant for a buffer.
    public func verifyAppTransaction(
        _ bytes: [UInt8], receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedAppTransaction {
        try bytes.withUnsafeBufferPointer { (buffer) throws(VerificationError) in
            try verifyAppTransaction(buffer, receivedAt: receivedAt)
        }
    }

    /// See the variant for a buffer.
    public func verifyRenewal(
        _ bytes: [UInt8], fallbackDate: Timestamp
    ) throws(VerificationError) -> VerifiedRenewal {
        try bytes.withUnsafeBufferPointer { (buffer) throws(VerificationError) in
            try verifyRenewal(buffer, fallbackDate: fallbackDate)
        }
    }

    /// See the variant for buffers.
    public func verifyPair(
        transaction: [UInt8], renewal: [UInt8], receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedPair {
        try transaction.withUnsafeBufferPointer { (first) throws(VerificationError) in
            try renewal.withUnsafeBufferPointer { (second) throws(VerificationError) in
                try verifyPair(transaction: first, renewal: second, receivedAt: receivedAt)
            }
        }
    }

    /// See the variant for a buffer.
    public func verifyAny(
        _ bytes: [UInt8], receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedEvidence {
        try bytes.withUnsafeBufferPointer { (buffer) throws(VerificationError) in
            try verifyAny(buffer, receivedAt: receivedAt)
        }
    }
}
