internal import COpenSSL
internal import Synchronization

/// OpenSSL's memory for one computation on a curve: a context with its numbers, and two points. Kept
/// from one verification to the next, as making and freeing it takes allocations for every number and
/// coordinate.
///
/// Unchecked Sendable because one user at a time has it: whoever `ArithmeticScratches` lent it to.
final class ArithmeticScratch: @unchecked Sendable {
    let context: OpaquePointer
    let sum: OpaquePointer
    let other: OpaquePointer

    /// Nil when OpenSSL has no memory.
    init?(curve: OpaquePointer) {
        guard let context = BN_CTX_new() else { return nil }
        guard let sum = EC_POINT_new(curve) else {
            BN_CTX_free(context)
            return nil
        }
        guard let other = EC_POINT_new(curve) else {
            EC_POINT_free(sum)
            BN_CTX_free(context)
            return nil
        }
        (self.context, self.sum, self.other) = (context, sum, other)
    }

    deinit {
        EC_POINT_free(other)
        EC_POINT_free(sum)
        BN_CTX_free(context)
    }
}

/// Lends scratch memory, what was used last first. Nothing of a computation is read by the next:
/// numbers and points are written before they are used.
final class ArithmeticScratches: Sendable {
    /// Kept while nobody uses them; as many as cores compute at once on most machines.
    static let keptCount = 16

    private let kept = Mutex<[ArithmeticScratch]>([])

    /// How many lie ready.
    var readyCount: Int { kept.withLock { $0.count } }

    /// Computes with numbers of a frame of their own (BN_CTX_start(3)); nil when OpenSSL has no
    /// memory.
    func lend<Result>(
        curve: OpaquePointer, _ body: (ArithmeticScratch) -> Result?
    ) -> Result? {
        let ready = kept.withLock { $0.popLast() }
        guard let scratch = ready ?? ArithmeticScratch(curve: curve) else { return nil }
        BN_CTX_start(scratch.context)
        let result = body(scratch)
        BN_CTX_end(scratch.context)
        kept.withLock { if $0.count < ArithmeticScratches.keptCount { $0.append(scratch) } }
        return result
    }
}
