public import AppStore

extension Notifier {
    /// The body Apple posts: the payload is the same at every attempt; whether the signatures are,
    /// too, depends on the `AttemptLog`. Throws only the errors of signing.
    public func body(_ step: Step, signedBy signer: DeliverySigner) throws -> [UInt8] {
        let sent = books.sent[step.index]
        let signed = try attempts.token(step.index) {
            try signer.signedPayload(sent.notification, sent.transaction, sent.renewal)
        }
        var json = JSONWriter(reservingCapacity: signed.utf8.count + 32)
        json.object { $0.member("signedPayload", signed) }
        return json.bytes
    }

    /// Sends everything that arrives by `end` (nil: all), one attempt after the other. `reach` is
    /// called with the time of each arrival before it happens, to set a virtual clock; an error
    /// ends the run before the attempt. `deliver` returns the result as Apple sees it.
    public mutating func run(
        until end: Timestamp? = nil, signedBy signer: DeliverySigner,
        reach: (Timestamp) async throws -> Void = { _ in },
        deliver: (_ body: [UInt8], _ step: Step) async throws -> AttemptResult
    ) async throws {
        while let arrival = nextArrival, end.map({ arrival <= $0 }) ?? true {
            try await reach(arrival)
            guard let step = next() else { return }
            guard step.obstacle == nil else {
                complete(step, .other)
                continue
            }
            complete(step, try await deliver(try body(step, signedBy: signer), step))
        }
    }
}
