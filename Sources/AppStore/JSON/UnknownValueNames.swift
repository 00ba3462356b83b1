/// Collects the names of fields with enumerated values unknown to this version.
struct UnknownValueNames {
    private(set) var names: [String] = []

    mutating func check<Value>(_ name: String, _ field: Raw<Value>?) {
        if let field, field.value == nil { names.append(name) }
    }

    mutating func check<Object: WireObject>(_ name: String, _ field: Object?) {
        guard let field else { return }
        names.append(contentsOf: field.unknownValues.map { "\(name).\($0)" })
    }

    /// Does not distinguish the elements of a list; a name appears once.
    mutating func check<Object: WireObject>(_ name: String, _ field: [Object]?) {
        for element in field ?? [] {
            for inner in element.unknownValues {
                let full = "\(name).\(inner)"
                if !names.contains(full) { names.append(full) }
            }
        }
    }
}
