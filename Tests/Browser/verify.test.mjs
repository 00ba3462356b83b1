// Tests the verifier of the console over the published data beside the repository:
//   node --test Tests/Browser
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
// Loaded as text: beside it no package.json says that it is a module.
const assets = join(repository, "Sources/Console/Assets");
const script = (name) => readFileSync(join(assets, `${name}.js`), "utf8");
const load = (source) =>
  import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`);
const { appleRoot, tokens, verifyInclusion, verifyJWS, verifyLeaf } = await load(script("verify"));

const fixtures = join(repository, "../shared/fixtures");
const isPresent = existsSync(join(fixtures, "jws/manifest.json"));
const skip = isPresent || process.env.CI
  ? false : "../shared/fixtures is not beside the repository";
const manifest = isPresent ? JSON.parse(readFileSync(join(fixtures, "jws/manifest.json"))) : [];
const read = (path) => readFileSync(join(fixtures, path), "utf8").trim();
const jwsOf = (label) => manifest.filter((entry) => entry.label === label)
  .map(({ file }) => read(`jws/${file}`));
/** Notifications without a date of their own, whose parts have one. */
const undatedNotifications = jwsOf("APPLE_VALID_NO_SIGNEDDATE").filter((jws) =>
  JSON.parse(Buffer.from(jws.split(".")[1], "base64url"))?.data?.signedTransactionInfo);
const fingerprint = (path) =>
  createHash("sha256").update(readFileSync(join(fixtures, path))).digest("hex");
const failed = ({ checks }) => checks.filter(({ ok }) => !ok).map(({ name }) => name);
/** The same text with one character of base64 changed. */
const flipped = (text, at) =>
  text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
const hex = (...parts) => Buffer.concat(parts).toString("hex");
/** In hex, of bytes or of hex. */
const sha256 = (...parts) => createHash("sha256").update(
  Buffer.concat(parts.map((part) => Buffer.from(part, "hex")))).digest("hex");

test("the fixtures are there", { skip }, () => {
  assert.equal(manifest.length, 75);
  assert.equal(jwsOf("APPLE_VALID").length, 51);
});

test("exactly Apple's genuine JWS with a date, or a dated part, pass", { skip }, async () => {
  for (const { file, label } of manifest) {
    const jws = read(`jws/${file}`);
    const found = await verifyJWS(jws);
    const isValid = label === "APPLE_VALID" || undatedNotifications.includes(jws);
    assert.equal(found.ok, isValid, `${file}: ${JSON.stringify(found.checks)}`);
  }
});

test("each refusal names its check", { skip }, async () => {
  const expected = {
    APPLE_CHAIN_BAD_SIG: "signature", APPLE_CHAIN_BROKEN: "certificates", XCODE: "certificates",
    TEST_CA: "certificates", APPLE_VALID_NO_SIGNEDDATE: "dates at signing",
  };
  for (const [label, name] of Object.entries(expected)) {
    for (const jws of jwsOf(label).filter((one) => !undatedNotifications.includes(one))) {
      assert.ok(failed(await verifyJWS(jws)).includes(name), label);
    }
  }
});

test("a JWS without a date is checked at the stated one", { skip }, async () => {
  const undated = jwsOf("APPLE_VALID_NO_SIGNEDDATE");
  for (const jws of undated.filter((one) => !undatedNotifications.includes(one))) {
    assert.deepEqual(failed(await verifyJWS(jws, [appleRoot], Date.UTC(2022, 2, 10))), []);
    for (const year of [2010, 2030]) {
      const other = await verifyJWS(jws, [appleRoot], Date.UTC(year, 0, 1));
      assert.ok(failed(other).includes("dates at signing"));
    }
  }
});

test("an undated notification is checked at the latest date of its parts", { skip }, async () => {
  assert.equal(undatedNotifications.length, 1);
  for (const year of [2010, 2022, 2030]) {
    const [notification] = undatedNotifications;
    const found = await verifyJWS(notification, [appleRoot], Date.UTC(year, 0, 1));
    assert.deepEqual(failed(found), []);
    assert.equal(found.checks[2].text, "2022-03-04T09:43:28.254Z");
  }
});

test("no changed character is accepted", { skip }, async () => {
  const [jws] = jwsOf("APPLE_VALID").sort((a, b) => a.length - b.length);
  assert.ok((await verifyJWS(jws)).ok);
  for (let at = 0; at < jws.length; at += 7) {
    assert.equal((await verifyJWS(flipped(jws, at))).ok, false, `character ${at}`);
  }
  for (let at = jws.length - 90; at < jws.length; at += 1) {
    assert.equal((await verifyJWS(flipped(jws, at))).ok, false, `character ${at}`);
  }
});

test("a pair has two JWS, anything else one", () => {
  assert.deepEqual(tokens("a.b.c"), ["a.b.c"]);
  const pair = { status: 1, signedTransactionInfo: "a.b.c", signedRenewalInfo: "d.e.f" };
  assert.deepEqual(tokens(JSON.stringify(pair)), ["a.b.c", "d.e.f"]);
});

test("evidence without signatures is never accepted", async () => {
  // As a section of an event's page, and of a proof, which verify each of the tokens.
  for (const text of ["{}", "{\"status\":1}", "{\"signedTransactionInfo\":{\"split\":1}}"]) {
    const found = tokens(text);
    assert.equal(found.length, 2, text);
    for (const token of found) await assert.rejects(verifyJWS(token), text);
  }
  assert.throws(() => tokens("{"));
});

test("only trusted roots are accepted", { skip }, async () => {
  const [jws] = jwsOf("APPLE_VALID");
  for (const roots of [[], ["00".repeat(32)], [appleRoot.slice(0, 63)]]) {
    assert.deepEqual(failed(await verifyJWS(jws, roots)).includes("certificates"), true);
  }
});

test("texts that are no JWS are refused", async () => {
  for (const text of ["", ".", "..", "a.b.c", "e30.e30.e30", `e30.${"A".repeat(262144)}.AA`]) {
    assert.equal((await verifyJWS(text)).ok, false);
  }
});

test("the rules hold for added roots, too", { skip }, async () => {
  const verified = async (file, root) =>
    (await verifyJWS(read(`adversarial/${file}`), [fingerprint(`adversarial/${root}`)]));
  for (const file of ["transaction.jws", "app-transaction.jws"]) {
    const found = await verified(file, "jws-root.der");
    assert.deepEqual(failed(found), [], JSON.stringify(found.checks));
    assert.match(found.checks[1].text, /^up to an added root, not Apple's: [0-9a-f]{8}…$/);
  }
  for (const kind of ["no-leaf-oid", "no-intermediate-oid"]) {
    const found = await verified(`transaction-${kind}.jws`, `jws-${kind}-root.der`);
    assert.match(found.checks[1].text, /extension 2a864886f7636406/);
  }
  const historical = await verified("expired-cert-historical.jws", "jws-expired-root.der");
  assert.deepEqual(failed(historical), []);
  const fresh = await verified("expired-cert-fresh.jws", "jws-expired-root.der");
  assert.deepEqual(failed(fresh), ["dates at signing"]);
});

test("inclusion proofs", { skip }, async () => {
  const folder = join(fixtures, "merkle/inclusion");
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".json"));
  const bytes = (base64) => Buffer.from(base64 ?? "", "base64").toString("hex");
  let acceptedCount = 0;
  for (const file of files) {
    const vector = JSON.parse(readFileSync(join(folder, file)));
    const proof = {
      leafHash: bytes(vector.leafHash), index: vector.leafIdx, size: vector.treeSize,
      path: (vector.proof ?? []).map(bytes), root: bytes(vector.root),
    };
    assert.equal(await verifyInclusion(proof), !vector.wantErr, file);
    acceptedCount += !vector.wantErr;
  }
  assert.ok(files.length > 50 && acceptedCount >= 6, `${files.length}, ${acceptedCount}`);
});

// --- Trees and leaves made here ---

const leafField = (bytes) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes ? bytes.length : 0xffffffff);
  return Buffer.concat([length, bytes ?? Buffer.alloc(0)]);
};

function leafOf(position, evidence, {
  receivedAt = position, kind = "transaction", chain, trust = "signed", app = "com.example.app",
} = {}) {
  const number = (value) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(BigInt(value));
    return bytes;
  };
  const digest = Buffer.from(sha256(Buffer.from(evidence)), "hex");
  const fields = [
    number(position), number(receivedAt), Buffer.from(kind), digest, digest,
    Buffer.from("webhook"), Buffer.from(trust), Buffer.of(0), digest,
    Buffer.from(app), chain ? Buffer.from(chain) : null, null, null, null, null, null,
    digest,
  ];
  const data = hex(...fields.map(leafField));
  return { data, hash: sha256("00", data) };
}

/** Root and path by the recursion of RFC 9162 §2.1.1 and §2.1.3.1, not by the verifier's loop. */
function rootOf(hashes) {
  if (hashes.length === 1) return hashes[0];
  const split = 2 ** Math.floor(Math.log2(hashes.length - 1));
  return sha256("01", rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
}
function pathOf(hashes, index) {
  if (hashes.length === 1) return [];
  const split = 2 ** Math.floor(Math.log2(hashes.length - 1));
  return index < split
    ? [...pathOf(hashes.slice(0, split), index), rootOf(hashes.slice(split))]
    : [...pathOf(hashes.slice(split), index - split), rootOf(hashes.slice(0, split))];
}

test("every leaf of every small tree is included, and nowhere else", async () => {
  const hashes = Array.from({ length: 17 }, (_, index) => leafOf(index + 1, `${index}`).hash);
  for (let size = 1; size <= hashes.length; size += 1) {
    const leaves = hashes.slice(0, size);
    const root = rootOf(leaves);
    for (let index = 0; index < size; index += 1) {
      const proof = { leafHash: leaves[index], index, size, path: pathOf(leaves, index), root };
      assert.equal(await verifyInclusion(proof), true, `${index} of ${size}`);
      for (const other of [-1, size, index + 1, index - 1]) {
        assert.equal(await verifyInclusion({ ...proof, index: other }), false);
      }
      const wrong = root.slice(0, 63) + (root[63] === "0" ? "1" : "0");
      assert.equal(await verifyInclusion({ ...proof, root: wrong }), false);
    }
  }
});

test("a leaf has its hash, its position and its evidence", async () => {
  const evidence = Buffer.from("evidence");
  const leaf = leafOf(13, "evidence");
  assert.match(await verifyLeaf({ ...leaf, index: 12, evidence }), /of this evidence/);
  assert.match(await verifyLeaf({ ...leaf, index: "12" }), /evidence not here/);
  const refused = (changes, reason) =>
    assert.rejects(verifyLeaf({ ...leaf, index: 12, evidence, ...changes }), reason);
  await refused({ index: 13 }, /another position/);
  await refused({ evidence: Buffer.from("Evidence") }, /other evidence/);
  for (let at = 0; at < leaf.data.length; at += 1) {
    const other = (parseInt(leaf.data[at], 16) ^ 1).toString(16);
    const data = leaf.data.slice(0, at) + other + leaf.data.slice(at + 1);
    await refused({ data }, /another hash/);
  }
  const longer = `${leaf.data}00`;
  await refused({ data: longer, hash: sha256("00", longer) }, /malformed/);
});

// --- Pages, as far as the scripts use them ---

let pageCount = 0;

/** Runs scripts in a page with these elements by id; the rows that they add to one of them. */
async function rowsOf(names, id, elements) {
  const rows = [];
  const list = { appendChild: (row) => (rows.push(row), row) };
  elements[id] = { append: () => {}, querySelector: () => list, ...elements[id] };
  globalThis.addEventListener = () => {};
  globalThis.document = {
    getElementById: (name) => elements[name], createElement: () => ({}),
  };
  try {
    // Another text each time: a module is run once.
    await load(`${names.map(script).join("")}// ${pageCount += 1}`);
    while (!["yes", "no"].includes(elements[id].dataset.state)) await new Promise(setImmediate);
  } finally {
    delete globalThis.document;
    delete globalThis.addEventListener;
  }
  return rows.map(({ textContent }) => textContent);
}

/** A pair whose renewal info is the literal `null`, and its leaf; received long after. */
function nullPair(transaction, chain, receivedAt = Date.UTC(2030, 0, 1)) {
  const [renewal] = jwsOf("APPLE_VALID_NO_SIGNEDDATE").filter(
    (jws) => Buffer.from(jws.split(".")[1], "base64url").toString() === "null");
  const evidence = JSON.stringify(
    { signedTransactionInfo: transaction, signedRenewalInfo: renewal });
  const app = JSON.parse(Buffer.from(transaction.split(".")[1], "base64url")).bundleId;
  const leaf = leafOf(1, evidence, { receivedAt, kind: "renewalPair", chain, app });
  return { evidence, receivedAt, leaf };
}

const proofRows = ({ evidence, leaf }) => rowsOf(["verify", "proof"], "proof", {
  proof: { dataset: { roots: appleRoot } }, answer: {},
  bundle: {
    textContent: JSON.stringify({
      environment: "Sandbox", checkpoint: "o\n1\nAAAA\n\n\u2014 o AAAA\n",
      key: "o+00000000+AQAA", answer: null,
      events: [{
        position: 1, leafData: Buffer.from(leaf.data, "hex").toString("base64"), inclusion: [],
        evidence, evidenceEncoding: "text",
      }],
    }),
  },
});

/** On the page of its event. */
const pairRows = ({ evidence, receivedAt, leaf }) => rowsOf(["verify"], "verify", {
  verify: { dataset: {
    raw: `data:,${encodeURIComponent(evidence)}`, jws: "true", roots: appleRoot,
    date: String(receivedAt), leaf: Buffer.from(leaf.data, "hex").toString("base64"),
    leafHash: leaf.hash, index: "0", size: "1", path: "", treeRoot: leaf.hash,
  } },
});

test("a pair whose transaction is damaged keeps the rows of its checks", { skip }, async () => {
  const transaction = read("jws/028-transaction.jws");
  const pair = nullPair(transaction, "1000000906235058");
  const damaged = flipped(transaction, transaction.indexOf(".") + 1);
  const rows = await pairRows({ ...pair, evidence: pair.evidence.replace(transaction, damaged) });
  assert.equal(rows.length, 9);
  const failures = rows.filter((row) => !row.startsWith("✓ ok ")).map((row) => row.split(":")[0]);
  assert.deepEqual(failures, ["✗ FAILED signature", "✗ FAILED dates at signing",
    "✗ FAILED dates at signing", "✗ FAILED leaf hash"]);
  assert.ok(rows.includes("✗ FAILED leaf hash: other evidence"));
});

test("the null renewal info of a pair is checked at its transaction's date", { skip }, async () => {
  const transaction = read("jws/028-transaction.jws");
  const chain = "1000000906235058";
  const pair = nullPair(transaction, chain);
  // In a proof, and on the page of the event.
  const signature = (rows) => rows.find((row) => row.includes("#1 signature"));
  assert.match(signature(await proofRows(pair)), /^✓ ok .*, valid at its date$/);
  const rows = await pairRows(pair);
  assert.equal(rows.length, 9);
  for (const row of rows) assert.match(row, /^✓ ok /);
  // The transaction has to name the chain, and to have a date within the certificates.
  for (const other of ["1", undefined]) {
    assert.match(signature(await proofRows(nullPair(transaction, other))), /another subscription/);
  }
  const later = nullPair(read("jws/050-transaction.jws"), "2000001024993299", Date.UTC(2022, 0, 1));
  assert.match(signature(await proofRows(later)), /not valid then/);
});

// --- Whole bundles, by a key made here ---

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const base64 = (text) => Buffer.from(text, "hex").toString("base64");
const spki = publicKey.export({ format: "der", type: "spki" }).toString("hex");
const material = `01${spki.slice(-64)}`;
const keyId = sha256(Buffer.from("o\n").toString("hex"), material).slice(0, 8);
const signed = (text) => sign(null, Buffer.from(text), privateKey).toString("hex");

/** The rows that are not ok of the page of a bundle of events, with the changes before its seal. */
async function failures(events, { environment = "Sandbox", size, note, change } = {}) {
  const leaves = events.map((event, index) => leafOf(index + 1, event.evidence, event));
  const hashes = leaves.map(({ hash }) => hash);
  const text = `o\n${size ?? events.length}\n${base64(rootOf(hashes))}\n`;
  const whole = `${text}\n\u2014 o ${base64(keyId + signed(text))}\n`;
  const bundle = JSON.stringify({
    format: "subledger-proof/1", environment, checkpoint: note?.(whole) ?? whole,
    key: `o+${keyId}+${base64(material)}`,
    events: events.map(({ evidence }, index) => ({
      position: index + 1, leafData: base64(leaves[index].data),
      inclusion: pathOf(hashes, index).map(base64), evidence, evidenceEncoding: "text",
    })), answer: null,
  });
  const line = change?.(bundle) ?? bundle;
  assert.ok(!change || line !== bundle);
  const seal = base64(signed(`subledger-proof/1\n${line}\n`));
  const rows = await rowsOf(["verify", "proof"], "proof", {
    proof: { dataset: { roots: appleRoot } }, answer: {},
    bundle: { textContent: `${line.slice(0, -1)},"seal":"${seal}"}\n` },
  });
  return rows.filter((row) => !row.startsWith("\u2713 ok ")).join();
}

const command = (members, fields) => ({
  evidence: JSON.stringify({ command: "link", ...members }), kind: "command", trust: "operator",
  chain: "7", ...fields,
});
const refused = async (reason, ...bundle) => assert.match(await failures(...bundle), reason);

test("a genuine bundle passes, also with whole numbers of any size", { skip }, async () => {
  const purchase = { evidence: read("jws/050-transaction.jws"), chain: "2000001024993299",
    app: "com.loki-project.loki-messenger" };
  assert.equal(await failures([purchase]), "");
  const answer = `{"query":-9007199254740993,"reducerVersion":1,"catalogue":[9007199254740993],` +
    `"leeway":null,"value":"\\u00001234567890123456,12345678901234567:1e5\\u001f\u2028"}`;
  const change = (text) => text.replace(`"answer":null`, () => `"answer":${answer}`);
  assert.equal(await failures([purchase], { change }), "");
  // What the evidence names is neither of another environment nor of another app.
  await refused(/another environment/, [purchase], { environment: "Production" });
  await refused(/another app/, [{ ...purchase, app: "com.example.app" }]);
  await refused(/another subscription/, [{ ...purchase, chain: "7" }]);
  for (const trust of ["operator", "transport", "xcode"])
    await refused(/trust/, [{ ...purchase, trust }]);
  await refused(/each event once/, [purchase, purchase]);
});

test("what Xcode signed passes in its environment alone", { skip }, async () => {
  const evidence = readFileSync(
    join(fixtures, "apple-library/xcode/xcode-signed-transaction"), "utf8").trim();
  const purchase = { evidence, chain: "0", trust: "xcode",
    app: "com.example.naturelab.backyardbirds.example" };
  assert.equal(await failures([purchase], { environment: "Xcode" }), "");
  // Earlier releases logged it as signed.
  assert.equal(await failures([{ ...purchase, trust: "signed" }], { environment: "Xcode" }), "");
  for (const environment of ["Production", "LocalTesting"])
    await refused(/#1 signature/, [purchase], { environment });
});

test("what no JWS signs is not what its leaf contradicts", async () => {
  const app = "com.example.app";
  const members = { bundleId: app, originalTransactionId: "7" };
  assert.equal(await failures([command(members)]), "");
  await refused(/trust/, [command(members, { trust: "signed" })]);
  await refused(/another app/, [command({ ...members, bundleId: "com.example.other" })]);
  await refused(/another subscription/, [command({ ...members, originalTransactionId: "8" })]);
  const bodies = (members) => [
    { kind: "notificationV1", trust: "secret", evidence: JSON.stringify({ bid: app, ...members }) },
    { kind: "verifyReceipt", trust: "transport",
      evidence: JSON.stringify({ receipt: { bundle_id: members.bid ?? app }, ...members }) }];
  for (const event of bodies({ environment: "Sandbox" })) {
    assert.equal(await failures([event]), "");
    await refused(/another environment/, [event], { environment: "Production" });
  }
  for (const event of bodies({ bid: "com.example.other" })) await refused(/another app/, [event]);
});

test("a bundle and its note have one spelling", async () => {
  const events = [command({})];
  assert.equal(await failures(events), "");
  for (const size of ["0x1", "+1", "01", " 1", "1 "])
    await refused(/checkpoint signed/, events, { size });
  for (const note of [(text) => text.slice(0, -1), (text) => `${text}\n`, (text) => ` ${text}`])
    await refused(/checkpoint signed/, events, { note });
  for (const [one, other] of [
    [`"answer":null`, `"answer":null,"more":1`], [`"answer":null`, `"answer":false`],
    [`"answer":null`, `"answer":null,"answer":null`], [`"answer":null`, `"answer": null`],
    [`"position":1`, `"position":"1"`], [`"position":1`, `"position":1.0`],
    ["Sandbox", "\\u0053andbox"], [`"format":"subledger-proof/1",`, ""],
    [/"evidence":"(.*)","evidenceEncoding":"text"/, () =>
      `"evidence":"${Buffer.from(events[0].evidence).toString("base64")}",` +
      `"evidenceEncoding":"base64"`],
  ]) await refused(/one spelling/, events, { change: (text) => text.replace(one, other) });
});
