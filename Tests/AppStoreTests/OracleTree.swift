import AppStore
import Foundation

/// A JSON tree built by Foundation's decoder: an independent reference for this project's reader.
indirect enum OracleTree: Decodable, Equatable {
    case object([String: OracleTree])
    case array([OracleTree])
    case string(String)
    case integer(Int64)
    case fraction(Double)
    case bool(Bool)
    case null

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        // Texts first, which most values are: each attempt in vain throws.
        if value.decodeNil() {
            self = .null
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let double = try? value.decode(Double.self) {
            self = .fraction(double)
        } else if let elements = try? value.decode([OracleTree].self) {
            self = .array(elements)
        } else {
            self = .object(try value.decode([String: OracleTree].self))
        }
    }

    static func read(_ bytes: [UInt8]) throws -> OracleTree {
        try JSONDecoder().decode(OracleTree.self, from: Data(bytes))
    }

    /// The same tree from this project's reader; integral numbers in any spelling are integers, as
    /// in Foundation.
    init(_ value: JSONValue) {
        switch value {
        case .object(let members):
            let pairs = members.map { ($0.key, OracleTree($0.value)) }
            self = .object(Dictionary(pairs) { first, _ in first })
        case .array(let elements): self = .array(elements.map { OracleTree($0) })
        case .string(let text): self = .string(text)
        case .number(let token):
            if let integer = value.int64 {
                self = .integer(integer)
            } else {
                self = .fraction(Double(token) ?? .nan)
            }
        case .bool(let bool): self = .bool(bool)
        case .null: self = .null
        }
    }

    /// Whether a number inside exceeds every double.
    var holdsInfinity: Bool {
        switch self {
        case .object(let members): members.values.contains(where: \.holdsInfinity)
        case .array(let elements): elements.contains(where: \.holdsInfinity)
        case .fraction(let number): number.isInfinite
        default: false
        }
    }

    /// The changes that decoding may make: dates rounded to the millisecond, null members removed.
    var afterDecoding: OracleTree {
        switch self {
        case .object(let members):
            var result: [String: OracleTree] = [:]
            for (key, value) in members where value != .null {
                if case .fraction(let date) = value, key.hasSuffix("Date") {
                    result[key] = .integer(Int64(date.rounded(.toNearestOrAwayFromZero)))
                } else {
                    result[key] = value.afterDecoding
                }
            }
            return .object(result)
        case .array(let elements): return .array(elements.map(\.afterDecoding))
        default: return self
        }
    }
}
