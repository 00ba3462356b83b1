internal import COpenSSL

extension PreparedPoint {
    /// The inverses of the s of these signatures, with one inversion for all: the inverse of the
    /// product of all, times the product of the others (P. L. Montgomery, Mathematics of
    /// Computation 48, 1987, §10.3.1). Nil when there are fewer than two, when any is not in 1…n−1,
    /// and when OpenSSL fails.
    ///
    /// - Parameter signatures: r and s, 32 bytes each.
    func inverses(of signatures: [[UInt8]]) -> SignatureInverses? {
        guard signatures.count > 1,
            signatures.allSatisfy({ $0.count == CompactJWS.signatureByteCount })
        else { return nil }
        let numbers = signatures.map { Array($0.suffix(CompactJWS.signatureByteCount / 2)) }
        return compute { inverses(of: numbers, $0.context) }
    }

    private func inverses(
        of numbers: [[UInt8]], _ context: OpaquePointer
    ) -> SignatureInverses? {
        // products[i] is the product of numbers 0…i.
        var (values, products): ([OpaquePointer], [OpaquePointer]) = ([], [])
        for number in numbers {
            guard let value = BN_CTX_get(context), let product = BN_CTX_get(context),
                BN_bin2bn(number, Int32(number.count), value) != nil,
                BN_is_zero(value) == 0, BN_cmp(value, order) < 0
            else { return nil }
            if let last = products.last {
                guard BN_mod_mul(product, last, value, order, context) == 1 else { return nil }
            } else {
                guard BN_copy(product, value) != nil else { return nil }
            }
            values.append(value)
            products.append(product)
        }
        guard let all = products.last, let rest = BN_CTX_get(context),
            let inverse = BN_CTX_get(context),
            BN_mod_inverse(rest, all, order, context) != nil
        else { return nil }
        // rest is the inverse of the product of numbers 0…index.
        var entries: [SignatureInverses.Entry] = []
        for index in values.indices.reversed() {
            if index > 0 {
                guard BN_mod_mul(inverse, rest, products[index - 1], order, context) == 1,
                    BN_mod_mul(rest, rest, values[index], order, context) == 1
                else { return nil }
            } else {
                guard BN_copy(inverse, rest) != nil else { return nil }
            }
            var bytes = [UInt8](repeating: 0, count: numbers[index].count)
            guard BN_bn2binpad(inverse, &bytes, Int32(bytes.count)) == bytes.count else {
                return nil
            }
            entries.append(SignatureInverses.Entry(s: numbers[index], inverse: bytes))
        }
        return SignatureInverses(entries: entries)
    }
}
