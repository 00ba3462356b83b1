/// One attribute; decodes the DER value inside its octet string.
struct ReceiptValue {
    let type: Int64
    let version: Int64
    let range: Range<Int>

    private var wrongForm: AppReceiptError { AppReceiptError(.wrongForm, attribute: type) }

    func raw(in bytes: borrowing Span<UInt8>) -> ReceiptAttribute {
        ReceiptAttribute(type: type, version: version, value: BER.copy(range, of: bytes))
    }

    /// Text; nil if empty. Genuine receipts use UTF8String for names and IA5String for dates; both
    /// are accepted for either.
    func text(in bytes: borrowing Span<UInt8>) throws(AppReceiptError) -> String? {
        guard let element = try single(in: bytes) else { return nil }
        switch element.tag {
        case BERTag.utf8String, BERTag.ia5String, BERTag.printableString: break
        default: throw wrongForm
        }
        let text = bytes.extracting(element.contents).withUnsafeBufferPointer {
            String(validating: $0, as: UTF8.self)
        }
        guard let text else { throw wrongForm }
        return text.isEmpty ? nil : text
    }

    /// An RFC 3339 date; nil if empty.
    func date(in bytes: borrowing Span<UInt8>) throws(AppReceiptError) -> Timestamp? {
        guard let text = try text(in: bytes) else { return nil }
        guard let date = Timestamp(receiptDate: text) else { throw wrongForm }
        return date
    }

    /// A whole number; nil if empty.
    func number(in bytes: borrowing Span<UInt8>) throws(AppReceiptError) -> Int64? {
        guard let element = try single(in: bytes) else { return nil }
        guard element.tag == BERTag.integer,
            let number = ReceiptValue.integer(element.contents, in: bytes)
        else { throw wrongForm }
        return number
    }

    /// A whole number; nil for 0, which means none.
    func positive(in bytes: borrowing Span<UInt8>) throws(AppReceiptError) -> Int64? {
        try number(in: bytes).flatMap { $0 == 0 ? nil : $0 }
    }

    /// A boolean, encoded as a number that is 0 or not.
    func truth(in bytes: borrowing Span<UInt8>) throws(AppReceiptError) -> Bool? {
        try number(in: bytes).map { $0 != 0 }
    }

    /// The only element; nil for an empty value.
    private func single(
        in bytes: borrowing Span<UInt8>
    ) throws(AppReceiptError) -> BERElement? {
        guard !range.isEmpty else { return nil }
        do throws(BERError) {
            var cursor = BERCursor(range)
            let element = try cursor.next(in: bytes)
            try cursor.requireEnd()
            return element
        } catch {
            throw wrongForm
        }
    }

    /// A two's complement integer of at most eight octets (X.690 §8.3); nil for others.
    static func integer(_ range: Range<Int>, in bytes: borrowing Span<UInt8>) -> Int64? {
        guard (1...8).contains(range.count) else { return nil }
        var value: Int64 = bytes[range.lowerBound] & 0x80 == 0 ? 0 : -1
        for index in range { value = value << 8 | Int64(bytes[index]) }
        return value
    }
}

extension Timestamp {
    /// Parses a receipt's date: RFC 3339, or Xcode's variant without a colon in the offset
    /// (`2020-07-22T18:33:15+0100`). A date outside the years 1 to 9999, which such text can exceed
    /// by a year or a day, is read as the nearest inside.
    init?(receiptDate text: String) {
        if let date = Timestamp(rfc3339: text) {
            self = date.clamped
            return
        }
        let bytes = Array(text.utf8)
        guard bytes.count > 5, let sign = bytes.dropLast(4).last,
            sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
        else { return nil }
        guard let date = Timestamp(rfc3339: "\(text.dropLast(2)):\(text.suffix(2))") else {
            return nil
        }
        self = date.clamped
    }
}
