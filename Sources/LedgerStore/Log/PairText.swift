/// The fixed text around the parts of a pair.
enum PairText {
    static let start = #"{"signedTransactionInfo":""#
    static let middle = #"","signedRenewalInfo":""#

    static func end(status: Int64?) -> String {
        guard let status else { return #""}"# }
        return #"","status":\#(status)}"#
    }
}
