import Testing

@testable import PostgresStore

@Suite("Connection strings")
struct ConnectionStringTests {
    static let secret = "s3cret"

    @Test(
        "No description holds a password",
        arguments: [
            "postgresql://user:\(secret)@db.example:5433/ledger",
            "postgresql://db.example/ledger?password=\(secret)&sslpassword=\(secret)",
            "host=db.example dbname=ledger password='\(secret)'",
        ])
    func descriptions(text: String) throws {
        let string = try #require(ConnectionString(text))
        let place = try #require(PostgresLocation(string, schema: "subledger"))
        var dumped = ""
        dump(place, to: &dumped)
        for text in ["\(string)", String(reflecting: string), "\(place)", dumped, "\([string])"] {
            #expect(!text.contains(ConnectionStringTests.secret), "\(text)")
            #expect(text.contains("db.example"))
        }
        #expect(string.value("password") == ConnectionStringTests.secret)
    }

    @Test(
        "What libpq cannot parse is refused",
        arguments: ["postgresql://host/x?what=1", "host", "host='a", "host=a\0password=b"])
    func invalid(text: String) { #expect(ConnectionString(text) == nil) }

    @Test(
        "A password whose special characters are not encoded ends up in other parts, and is refused",
        arguments: [
            "postgresql://user:s3/cret@db/ledger", "postgresql://user:s3@cret@db/ledger",
            "postgresql://user:12/cret@db/ledger",
        ])
    func misplaced(text: String) { #expect(ConnectionString(text) == nil) }

    @Test("Several hosts, and values that are given are kept")
    func defaults() throws {
        let string = try #require(
            ConnectionString("postgresql://a:1,b:2/x?target_session_attrs=any"))
        let place = try #require(PostgresLocation(string, schema: "s"))
        #expect(place.description == "postgresql://a:1,b:2/x?schema=s")
        #expect(place.completed.value("target_session_attrs") == "any")
        #expect(place.completed.value("connect_timeout") == "5")
    }

    @Test("The hosts after one that accepted and closed the connection")
    func after() throws {
        let string = try #require(ConnectionString("postgresql://u@a:1,a:2,b:1/x"))
        #expect(string.after(host: "a", port: "1")?.location == "postgresql://a:2,b:1/x")
        #expect(string.after(host: "a", port: "2")?.location == "postgresql://b:1/x")
        #expect(string.after(host: "b", port: "1") == nil)
        let usual = try #require(ConnectionString("host=a,b port=7"))
        #expect(usual.location == "postgresql://a:7,b:7/")
        #expect(usual.after(host: "a", port: "7") == ConnectionString("host=b port=7"))
        #expect(ConnectionString("host=a,b hostaddr=1,2")?.after(host: "a", port: "5432") == nil)
        #expect(ConnectionString("dbname=x")?.after(host: "/tmp", port: "5432") == nil)
    }

    @Test(
        "A schema is a plain name",
        arguments: ["", "1a", "A", "a-b", "a\"b", "pg_x", String(repeating: "a", count: 64)])
    func schemas(name: String) throws {
        let string = try #require(ConnectionString("host=a"))
        #expect(PostgresLocation(string, schema: name) == nil)
        #expect(PostgresLocation(string, schema: String(repeating: "a", count: 63)) != nil)
    }
}
