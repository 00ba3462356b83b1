internal import AppStore
internal import COpenSSL

/// A public key's point on P-256 with OpenSSL's table of its multiples, which only the curve's own
/// generator has by itself. Apple signs nearly everything with a handful of keys, and with the table
/// a verification costs 28 µs where EVP_PKEY_verify costs 52 (OpenSSL 3.0, one core, `bench verify`);
/// making one costs as much as a few hundred verifications, and 150 KB.
///
/// The equation is that of FIPS 186-5 §6.4.2; all arithmetic is OpenSSL's. The API behind the table is
/// deprecated without a successor: where it is missing there is no table, and keys do without.
///
/// Unchecked Sendable because nothing in it changes after `init`: groups are only read by
/// EC_POINT_mul(3), and every verification has its own BN_CTX, numbers and points.
final class PreparedPoint: @unchecked Sendable {
    /// P-256 with its own generator.
    private let curve: OpaquePointer
    /// P-256 with the key's point in the generator's place.
    private let table: OpaquePointer
    /// The order of the group, n.
    let order: OpaquePointer
    private let scratches = ArithmeticScratches()

    /// Length of a point as it stands at the end of a SubjectPublicKeyInfo: 04, x, y.
    private static let pointByteCount = 65

    /// Nil when OpenSSL refuses, or has no tables.
    init?(publicKeyInfo: [UInt8]) {
        guard let curve = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return nil }
        guard let table = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
            EC_GROUP_free(curve)
            return nil
        }
        let isPrepared = ErrorQueue.contained {
            PreparedPoint.prepare(table, publicKeyInfo.suffix(PreparedPoint.pointByteCount))
        }
        guard isPrepared, let order = EC_GROUP_get0_order(curve) else {
            EC_GROUP_free(table)
            EC_GROUP_free(curve)
            return nil
        }
        self.curve = curve
        self.table = table
        self.order = order
    }

    deinit {
        EC_GROUP_free(table)
        EC_GROUP_free(curve)
    }

    private static func prepare(_ group: OpaquePointer, _ bytes: ArraySlice<UInt8>) -> Bool {
        guard let point = EC_POINT_new(group) else { return false }
        defer { EC_POINT_free(point) }
        // Decoding checks that the point is on the curve.
        let isPoint = bytes.withUnsafeBufferPointer {
            EC_POINT_oct2point(group, point, $0.baseAddress, $0.count, nil) == 1
        }
        guard isPoint,
            EC_GROUP_set_generator(
                group, point, EC_GROUP_get0_order(group), EC_GROUP_get0_cofactor(group)) == 1,
            EC_GROUP_precompute_mult(group, nil) == 1
        else { return false }
        return EC_GROUP_have_precompute_mult(group) == 1
    }

    /// Whether r and s are a signature over `digest`. False as well when OpenSSL fails: whoever is
    /// refused asks EVP_PKEY_verify, so that nothing genuine depends on this alone.
    ///
    /// - Parameter inverses: where the inverse of s may have been found already.
    func isValid(
        _ signature: ES256Signature, over digest: Digest, inverses: SignatureInverses? = nil
    ) -> Bool {
        compute { scratch in
            let numbers = signature.withRaw { raw in
                Numbers(raw, digest, inverses: inverses, order: order, context: scratch.context)
            }
            return numbers.map { holds($0, scratch) }
        } ?? false
    }

    /// Scratch memory that lies ready.
    var readyScratchCount: Int { scratches.readyCount }

    /// Nil when OpenSSL has no memory, or `body` says so.
    func compute<Result>(_ body: (ArithmeticScratch) -> Result?) -> Result? {
        ErrorQueue.contained { scratches.lend(curve: curve, body) }
    }

    /// r, and the factors of the generator and of the key's point.
    private struct Numbers {
        let r: OpaquePointer
        let u1: OpaquePointer
        let u2: OpaquePointer

        /// Nil unless r and s are in 1…n−1. All numbers live as long as the frame of `context`.
        init?(
            _ raw: UnsafeBufferPointer<UInt8>, _ digest: Digest, inverses: SignatureInverses?,
            order: OpaquePointer, context: OpaquePointer
        ) {
            let half = raw.count / 2
            guard let r = BN_CTX_get(context), let s = BN_CTX_get(context),
                let e = BN_CTX_get(context), let inverse = BN_CTX_get(context),
                let u1 = BN_CTX_get(context), let u2 = BN_CTX_get(context),
                let start = raw.baseAddress,
                BN_bin2bn(start, Int32(half), r) != nil,
                BN_bin2bn(start + half, Int32(half), s) != nil,
                PreparedPoint.read(digest, into: e),
                BN_is_zero(r) == 0, BN_is_zero(s) == 0,
                BN_cmp(r, order) < 0, BN_cmp(s, order) < 0,
                PreparedPoint.invert(
                    s, UnsafeBufferPointer(rebasing: raw[half...]), inverses, order, context,
                    into: inverse),
                BN_mod_mul(u1, e, inverse, order, context) == 1,
                BN_mod_mul(u2, r, inverse, order, context) == 1
            else { return nil }
            (self.r, self.u1, self.u2) = (r, u1, u2)
        }
    }

    /// The inverse of s, found before or computed now.
    private static func invert(
        _ s: OpaquePointer, _ bytes: UnsafeBufferPointer<UInt8>, _ inverses: SignatureInverses?,
        _ order: OpaquePointer, _ context: OpaquePointer, into inverse: OpaquePointer
    ) -> Bool {
        guard let known = inverses?.inverse(of: bytes) else {
            return BN_mod_inverse(inverse, s, order, context) != nil
        }
        return BN_bin2bn(known, Int32(known.count), inverse) != nil
    }

    /// The digest as a number; it has as many bits as the order, so none is cut off.
    private static func read(_ digest: Digest, into number: OpaquePointer) -> Bool {
        let words = digest.words
        let bytes = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
        return withUnsafeBytes(of: bytes) { bytes in
            BN_bin2bn(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(bytes.count), number)
                != nil
        }
    }

    /// Whether x of u1·G + u2·Q is r, modulo n.
    ///
    /// Asked of the coordinates as OpenSSL has them, x = X ÷ Z²: X = r·Z², modulo p, needs no
    /// inverse, which costs as much as a tenth of all this.
    private func holds(_ numbers: Numbers, _ scratch: ArithmeticScratch) -> Bool {
        let (context, sum, other) = (scratch.context, scratch.sum, scratch.other)
        guard let x = BN_CTX_get(context), let z = BN_CTX_get(context),
            let square = BN_CTX_get(context), let candidate = BN_CTX_get(context),
            let field = EC_GROUP_get0_field(curve),
            EC_POINT_mul(curve, sum, numbers.u1, nil, nil, context) == 1,
            EC_POINT_mul(table, other, numbers.u2, nil, nil, context) == 1,
            EC_POINT_add(curve, sum, sum, other, context) == 1,
            EC_POINT_is_at_infinity(curve, sum) == 0,
            EC_POINT_get_Jprojective_coordinates_GFp(curve, sum, x, nil, z, context) == 1,
            BN_mod_sqr(square, z, field, context) == 1,
            BN_mod_mul(candidate, square, numbers.r, field, context) == 1
        else { return false }
        if BN_cmp(candidate, x) == 0 { return true }
        // An x that is not less than n is r + n: there is room for no more below p.
        guard BN_add(candidate, numbers.r, order) == 1, BN_cmp(candidate, field) < 0,
            BN_mod_mul(candidate, square, candidate, field, context) == 1
        else { return false }
        return BN_cmp(candidate, x) == 0
    }
}
