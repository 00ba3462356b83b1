/// Visits the fields that a `WireObject` lists.
public protocol FieldVisitor {
    /// Visits one field, whose key in the object is `name`.
    mutating func visit<Value: WireValue>(_ name: StaticString, _ field: inout Value?)
}

/// Reads the fields of an object in the order of the text.
struct FieldReader: FieldVisitor {
    /// Positioned before the value of `key`.
    private(set) var cursor: JSONCursor
    private var object: JSONCursor.ObjectState
    /// The key whose field is searched; nil after the last one and after an error.
    private(set) var key: JSONKey?
    private(set) var failure: JSONError?

    @inline(__always)
    init(_ cursor: JSONCursor) throws(JSONError) {
        self.cursor = cursor
        object = try self.cursor.beginObject()
        key = try self.cursor.nextKey(&object)
    }

    @inline(__always)
    mutating func visit<Value: WireValue>(_ name: StaticString, _ field: inout Value?) {
        if isAt(name) { read(&field) }
    }

    @inline(__always)
    private func isAt(_ name: StaticString) -> Bool {
        switch key {
        case let key?: name ~= key
        case nil: false
        }
    }

    /// Reads the value and the next key, whose field is probably the next one visited.
    private mutating func read<Value: WireValue>(_ field: inout Value?) {
        guard let key else { return }
        do throws(JSONError) {
            if try !cursor.readNull() { field = try Value.read(&cursor, key) }
            self.key = try cursor.nextKey(&object)
        } catch {
            failure = error
            self.key = nil
        }
    }

    /// Reads the member of a key without a field.
    mutating func readUnknown(_ key: JSONKey) throws(JSONError) -> JSONMember {
        let member = try cursor.member(key)
        self.key = try cursor.nextKey(&object)
        return member
    }
}

/// Writes the fields that are present.
extension JSONWriter: FieldVisitor {
    @inline(__always)
    public mutating func visit<Value: WireValue>(_ name: StaticString, _ field: inout Value?) {
        guard let field else { return }
        key(name)
        field.writeField(&self)
    }
}

/// Collects the names of fields with enumerated values unknown to this version.
struct UnknownValueNames: FieldVisitor {
    private(set) var names: [String] = []

    @inline(__always)
    mutating func visit<Value: WireValue>(_ name: StaticString, _ field: inout Value?) {
        guard let field else { return }
        field.appendUnknownValues(name, to: &names)
    }
}
