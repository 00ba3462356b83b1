import Foundation

extension PostgresCluster {
    /// Rows per second that `pgbench` inserts into a table with a primary key, for two seconds:
    /// `batchCount` rows of `byteCount` bytes in a transaction, from each of `clientCount`
    /// connections. The server makes the bytes. Blocks.
    public func bareInserts(batchCount: Int, byteCount: Int, clientCount: Int) throws -> Double {
        let table = PostgresCluster.newName()
        try sql("CREATE TABLE \(table) (id bigserial PRIMARY KEY, body bytea NOT NULL)")
        let script = """
            INSERT INTO \(table) (body) SELECT convert_to(repeat('x', \(byteCount)), 'UTF8') \
            FROM generate_series(1, \(batchCount));
            """
        let path = "\(directory)/\(table).sql"
        try script.write(toFile: path, atomically: false, encoding: .utf8)
        let output = try Program.run(
            [
                "\(binaries)/pgbench", "-n", "-T", "2", "-c", "\(clientCount)", "-f", path,
                "-h", directory, "-p", "\(port)", "-U", PostgresCluster.superuser, "postgres",
            ], in: directory)
        try sql("DROP TABLE \(table)")
        let rate = output.split(separator: "\n").first { $0.hasPrefix("tps = ") }
        let number = rate?.split(separator: " ").dropFirst(2).first.flatMap { Double($0) }
        return (number ?? 0) * Double(batchCount)
    }
}
