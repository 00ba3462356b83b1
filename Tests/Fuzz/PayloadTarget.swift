import AppStore

/// A decoder of one of the three payloads, compared with Foundation's decoder.
struct PayloadTarget<Payload: WireObject>: FuzzTarget {
    let name: String
    let maximumByteCount = 8 * 1_024
    let samples: @Sendable (SeedSource) throws -> [[UInt8]]

    func seeds(_ source: SeedSource) throws -> [[UInt8]] { try samples(source) }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let witness = FoundationWitness(Array(bytes))
        do throws(JSONError) {
            let payload = try Payload.decode(bytes)
            let encoded = payload.encoded()
            witness.requireAgreement(with: encoded)
            let again = try Payload.decode(encoded)
            require(again == payload, "a decoded payload round-trips")
            require(again.encoded() == encoded, "equal payloads encode to equal bytes")
            require(payload.unknownValues == again.unknownValues, "unknown values round-trip")
        } catch {
            witness.requireReason(for: error)
        }
        requireNull(bytes)
    }

    /// `decodeUnlessNull` differs from `decode` only for `null`.
    private func requireNull(_ bytes: UnsafeBufferPointer<UInt8>) {
        let plain = try? Payload.decode(bytes)
        guard let lenient = try? Payload.decodeUnlessNull(Array(bytes)) else { return }
        require(lenient == plain, "decodeUnlessNull differs only for the literal null")
    }
}

extension PayloadTarget where Payload == NotificationPayload {
    static var notification: Self { Self(name: "notification") { try $0.notifications } }
}

extension PayloadTarget where Payload == TransactionPayload {
    static var transaction: Self { Self(name: "transaction") { $0.transactions } }
}

extension PayloadTarget where Payload == RenewalPayload {
    static var renewal: Self { Self(name: "renewal") { $0.renewals } }
}
