internal import AppStore
internal import Ledger

extension Catalogue {
    /// Reads `canonicalBytes`; nil for anything else.
    init?(bundled json: JSONValue) {
        guard let leeway = json["leewayMilliseconds"]?.int64,
            let trust = json["minimumTrust"]?.string.flatMap({ MinimumTrust(rawValue: $0) }),
            let products = json["products"]?.array
        else { return nil }
        self.init(leewayMilliseconds: leeway)
        minimumTrust = trust
        for entry in products {
            guard let id = entry["productId"]?.string else { return nil }
            var product = Product(
                entitlements: entry["entitlements"]?.array?.compactMap(\.string) ?? [])
            product.group = entry["group"]?.string
            product.level = entry["level"]?.int64.map { Int($0) }
            product.period = entry["period"]?.string.flatMap { ISO8601Period($0) }
            product.duration = entry["duration"]?.string.flatMap { ISO8601Period($0) }
            self.products[ProductId(id)] = product
        }
        for app in json["smallBusinessProgram"]?.array ?? [] {
            guard let id = app["bundleId"]?.string, let spans = app["spans"]?.array else {
                return nil
            }
            smallBusinessProgram[BundleId(id)] = spans.compactMap { span in
                span["from"]?.string.flatMap { Timestamp(userInput: $0) }.map {
                    ProgramSpan(
                        from: $0, to: span["to"]?.string.flatMap { Timestamp(userInput: $0) })
                }
            }
        }
        guard canonicalBytes == json.encoded() else { return nil }
    }

    /// The operator's settings that decide an answer; neither Apple nor the log states them.
    var bundleWords: String {
        let leeway = ISO8601Period(seconds: leewayMilliseconds / 1_000)
        return "by the operator's settings: leeway \(leeway), minimum trust"
            + " \(minimumTrust.rawValue), \(products.count.named("product", "products"))"
    }
}
