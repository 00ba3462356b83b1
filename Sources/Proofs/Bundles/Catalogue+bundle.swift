internal import AppStore
internal import Ledger
internal import Queries

extension Catalogue {
    /// Reads `canonicalBytes`; nil for anything else, and for a leeway that no configuration
    /// allows.
    init?(bundled json: JSONValue) {
        guard let leeway = json["leewayMilliseconds"]?.int64,
            (0...Catalogue.longestLeewayMilliseconds).contains(leeway),
            leeway.isMultiple(of: 1_000),
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
    func bundleWords(of answer: JSONValue) -> String {
        let leeway = ISO8601Period(seconds: leewayMilliseconds / 1_000)
        let used = [answer] + (answer["entitlements"]?.array ?? [])
        let named = Set(used.compactMap { $0["productId"]?.string.map { ProductId($0) } })
        let apps = smallBusinessProgram.count
        let parts = [
            "by the operator's settings: leeway \(leeway), minimum trust"
                + " \(minimumTrust.rawValue), \(products.count.named("product", "products"))",
            listed("duration", naming: named, \.duration),
            listed("period", naming: named, \.period),
            apps > 0 ? "Small Business Program of \(apps.named("app", "apps"))" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: "; ").printable
    }

    /// The products with a period, those that the answer names first; nil without one.
    private func listed(
        _ name: String, naming named: Set<ProductId>, _ period: (Product) -> ISO8601Period?
    ) -> String? {
        let all = products.compactMap { id, product in period(product).map { (id, $0) } }
            .sorted { left, right in
                let (isLeft, isRight) = (named.contains(left.0), named.contains(right.0))
                return isLeft == isRight ? left.0 < right.0 : isLeft
            }
        let words = all.map { id, period in "of \(id.rawValue.quotedWhereNeeded) \(period)" }
        return words.isEmpty ? nil : "\(name) \(words.shortened)"
    }
}

extension [String] {
    /// The first ten, and the number of others.
    var shortened: String {
        let rest = count - 10
        return prefix(10).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
