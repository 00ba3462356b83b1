/* Verifies an event in the browser, as Verification.md and Log.md ("Tree and leaf encoding") say.
 * Writes one <li class="yes|no"> per check into the <ul> of <section id="verify">, whose data-state
 * becomes running, then yes, no or unavailable. Its attributes, each optional:
 *   data-jws-from   id of the element whose text is the evidence: a JWS, or a pair's JSON
 *   data-evidence-from   instead: other evidence, only compared with the leaf
 *   data-roots      SHA-256 of trusted roots, hex, by spaces; without it Apple Root CA - G3
 *   data-date       effective date, ms since 1970, for a JWS without a date of its own
 *   data-leaf, data-leaf-hash        leaf data in base64, its hash in hex
 *   data-index, data-size, data-path, data-tree-root   position - 1; leaves; hex, by commas; hex
 * Stricter than the service: names are compared byte by byte, certificates are ECDSA on P-256 or
 * P-384, and no critical extension is known but the two that are read. */
export const appleRoot = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179";
const leafMarker = "2a864886f76364060b01"; // 1.2.840.113635.100.6.11.1
const middleMarker = "2a864886f76364060201"; // 1.2.840.113635.100.6.2.1
const [constraintsId, usageId, commonName, unit] = ["551d13", "551d0f", "550403", "55040b"];
const curves = { "2a8648ce3d030107": ["P-256", 32], "2b81040022": ["P-384", 48] };
const digests = { "2a8648ce3d040302": "SHA-256", "2a8648ce3d040303": "SHA-384" };
const need = (holds, reason) => { if (!holds) throw new Error(reason); };

// Bytes
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const same = (a, b) => hex(a) === hex(b);
const text = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
const encode = (string) => new TextEncoder().encode(string);
function unhex(string = "") {
  need(/^([0-9a-f]{2})*$/i.test(string), "not hexadecimal");
  return Uint8Array.from(string.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
function base64(string) {
  const binary = atob(string);
  need(btoa(binary) === string, "not canonical base64");
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
function base64url(string) {
  need(/^[\w-]+$/.test(string), "not base64url");
  const padding = "===".slice((string.length + 3) % 4);
  return base64(string.replace(/-/g, "+").replace(/_/g, "/") + padding);
}
const sha256 = async (...parts) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));

// DER
function elements(bytes) {
  const all = [];
  for (let at = 0, from = 0; at < bytes.length; from = at) {
    const tag = bytes[at++];
    let length = bytes[at++];
    if (length > 127) {
      let digits = length - 128;
      need(digits === 1 || digits === 2, "not DER");
      for (length = 0; digits > 0; digits--) length = length * 256 + bytes[at++];
      need(length > (at - from > 3 ? 255 : 127), "not DER");
    }
    need(at + length <= bytes.length, "not DER");
    all.push({ tag, content: bytes.subarray(at, at += length), whole: bytes.subarray(from, at) });
  }
  return all;
}
const inside = (element) => elements(element.content);
function only(bytes, tag) {
  const all = elements(bytes);
  need(all.length === 1 && all[0].tag === tag, "not one DER element");
  return all[0];
}
function time({ tag, content }) {
  const digits = text(content);
  const full = tag === 0x17 ? (digits < "50" ? "20" : "19") + digits : digits;
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full);
  need(parts, "a validity date is unreadable");
  return Date.UTC(parts[1], parts[2] - 1, ...parts.slice(3));
}
function named(name, id) {
  const pairs = inside(name).map((set) => inside(inside(set)[0]));
  return text(pairs.find(([type]) => hex(type.content) === id)?.[1].content ?? encode("?"));
}

// Certificates
function certificate(der) {
  need(der.length <= 8192, "a certificate has more than 8 KiB");
  const [signed, algorithm, signature] = inside(only(der, 0x30));
  const [version, , inner, issuer, dates, subject, key, ...rest] = inside(signed);
  need(hex(version.whole) === "a003020102", "a certificate is not X.509 v3");
  need(same(inner.whole, algorithm.whole), "the algorithms of a certificate differ");
  const extensions = new Map();
  for (const extension of inside(only(rest.at(-1)?.content ?? [], 0x30))) {
    const fields = inside(extension);
    const id = hex(fields[0].content);
    need(!extensions.has(id), "an extension is there twice");
    need(fields.length < 3 || [constraintsId, usageId].includes(id), "unknown critical extension");
    extensions.set(id, fields.at(-1).content);
  }
  const [authority, path] =
    extensions.has(constraintsId) ? inside(only(extensions.get(constraintsId), 0x30)) : [];
  const usage = extensions.has(usageId) ? only(extensions.get(usageId), 3).content[1] : 255;
  const [kind, curve] = inside(inside(key)[0]).map(({ content }) => hex(content));
  const method = hex(inside(algorithm)[0].content);
  return {
    signed: signed.whole, signature: signature.content, issuer, subject, extensions, usage,
    key: key.whole, curve: kind === "2a8648ce3d0201" && curves[curve], digest: digests[method],
    dates: inside(dates).map(time), isAuthority: authority && hex(authority.whole) === "0101ff",
    pathLength: path ? Number(`0x${hex(path.content)}`) : Infinity,
  };
}
async function verifies(key, namedCurve, hash, signature, bytes) {
  const method = { name: "ECDSA", namedCurve, hash };
  const imported = await crypto.subtle.importKey("spki", key, method, false, ["verify"]);
  return crypto.subtle.verify(method, imported, signature, bytes);
}
async function issued(subject, issuer) {
  need(issuer.curve && subject.digest, "not ECDSA on P-256 or P-384");
  const [curve, length] = issuer.curve;
  const integers = inside(only(subject.signature.subarray(1), 0x30));
  const raw = new Uint8Array(2 * length);
  integers.forEach(({ content }, index) => {
    const digits = content[0] === 0 ? content.subarray(1) : content;
    need(digits.length <= length && index < 2, "a signature is malformed");
    raw.set(digits, (index + 1) * length - digits.length);
  });
  return verifies(issuer.key, curve, subject.digest, raw, subject.signed);
}
async function chain(x5c, roots) {
  need(Array.isArray(x5c) && x5c.length === 3, "x5c has not exactly three certificates");
  const ders = x5c.map(base64);
  const print = hex(await sha256(ders[2]));
  need(roots.includes(print), `the root ${print.slice(0, 8)}\u2026 is not trusted`);
  const all = ders.map(certificate);
  const [leaf, middle, root] = all;
  need(root.isAuthority && middle.isAuthority && !leaf.isAuthority, "the CA flags are wrong");
  need(root.usage & middle.usage & 4 && leaf.usage & 128, "a key usage is wrong");
  need(root.pathLength >= 1, "the root's path length forbids the intermediate");
  need([[root, root], [middle, root], [leaf, middle]].every(([one, issuer]) =>
    same(one.issuer.whole, issuer.subject.whole)), "an issuer is not the next one's subject");
  need(leaf.curve[0] === "P-256", "the leaf's key is not on P-256");
  need(leaf.extensions.has(leafMarker) && middle.extensions.has(middleMarker),
    "Apple's marker extension is missing");
  need(await issued(leaf, middle), "the intermediate did not sign the leaf");
  need(await issued(middle, root), "the root did not sign the intermediate");
  const names = print === appleRoot ? [`WWDR ${named(middle.subject, unit)}`, "Root G3"]
    : [named(middle.subject, commonName), named(root.subject, commonName)];
  const foreign = print === appleRoot ? "" : ", not Apple's root";
  const says = `${["leaf", ...names].join(" \u2190 ")} (${print.slice(0, 8)}\u2026)${foreign}`;
  return { all, says };
}

async function check(checks, name, body) {
  try { checks.push({ name, ok: true, text: await body() }); } catch (error) {
    checks.push({ name, ok: false, text: error.message });
  }
}

/** Verifies a compact JWS and the signed parts in its payload against roots (SHA-256 in hex) at its
 * own date, else at `otherDate`; without a date it is refused.
 * Returns { ok, checks: [{ name, ok, text }], payload }. */
export async function verifyJWS(jws, roots = [appleRoot], otherDate = undefined) {
  const [certificates, checks] = [[], []];
  const segments = jws.split(".");
  let found, payload;
  await check(certificates, "certificates", async () => {
    need(jws.length <= 262144 && segments.length === 3, "not a compact JWS");
    const header = JSON.parse(text(base64url(segments[0])));
    need(header.alg === "ES256" && !("crit" in header), "not ES256");
    found = await chain(header.x5c, roots);
    return found.says;
  });
  await check(checks, "signature", async () => {
    need(found, "not checked, the certificates are refused");
    const signature = base64url(segments[2]);
    const bytes = base64url(segments[1]);
    need(signature.length === 64 && await verifies(found.all[0].key, "P-256", "SHA-256", signature,
      encode(`${segments[0]}.${segments[1]}`)), "the leaf's key did not sign this");
    payload = JSON.parse(text(bytes));
    return "ES256 by the leaf's key";
  });
  checks.push(...certificates);
  const own = payload?.signedDate ?? payload?.receiptCreationDate;
  const date = own ?? otherDate;
  await check(checks, "dates at signing", () => {
    need(payload !== undefined, "not checked, nothing signed was read");
    need(Number.isFinite(date), "there is no signedDate");
    need(found.all.every(({ dates: [from, until] }) => from <= date && date <= until),
      "a certificate was not valid then");
    return new Date(date).toISOString() + (own ? "" : " as the service states");
  });
  const { data, appData } = payload ?? {};
  for (const [name, part] of Object.entries({
    transaction: data?.signedTransactionInfo, renewal: data?.signedRenewalInfo,
    "app transaction": appData?.signedAppTransactionInfo,
  })) {
    if (typeof part === "string") {
      await check(checks, `signed ${name}`, async () => {
        const { checks } = await verifyJWS(part, roots, date);
        checks.forEach((one) => need(one.ok, `${one.name}: ${one.text}`));
        return "its signature, certificates and date";
      });
    }
  }
  return { ok: checks.every(({ ok }) => ok), checks, payload };
}

/** RFC 9162 §2.1.3.2: hashes as bytes, index and size as numbers or decimal text. */
export async function verifyInclusion({ leafHash, index, size, path, root }) {
  let [node, last, hash] = [BigInt(index), BigInt(size) - 1n, leafHash];
  if (node < 0n || node > last || hash.length !== 32) return false;
  for (const sibling of path) {
    if (last === 0n || sibling.length !== 32) return false;
    const isRight = node & 1n || node === last;
    hash = await sha256(Uint8Array.of(1), ...(isRight ? [sibling, hash] : [hash, sibling]));
    while (isRight && !(node & 1n) && node !== 0n) [node, last] = [node >> 1n, last >> 1n];
    [node, last] = [node >> 1n, last >> 1n];
  }
  return last === 0n && same(hash, root);
}

/** Checks that leaf data has the hash, the position index + 1, and this evidence if any is given.
 * Throws the reason. */
export async function verifyLeaf({ data, hash, index, evidence }) {
  need(same(await sha256(Uint8Array.of(0), data), hash), "the leaf data has another hash");
  const fields = [];
  for (let at = 0; at < data.length;) {
    const length = parseInt(hex(data.subarray(at, at + 4)), 16);
    fields.push(data.subarray(at + 4, at += 4 + (length === 0xffffffff ? 0 : length)));
  }
  need(fields.length === 17, "the leaf data is malformed");
  need(BigInt(`0x${hex(fields[0])}`) === BigInt(index) + 1n, "the leaf has another position");
  need(!evidence || same(await sha256(evidence), fields[4]), "the leaf has other evidence");
  return `${hex(hash).slice(0, 8)}\u2026 ${evidence ? "of this evidence" : "(evidence not here)"}`;
}

// The page
async function allChecks(given) {
  const roots = (given.roots ?? appleRoot).toLowerCase().split(" ");
  const source = document.getElementById(given.jwsFrom ?? given.evidenceFrom);
  const evidence = source?.textContent.trim();
  const checks = [];
  if (source && given.jwsFrom) {
    const { signedTransactionInfo: transaction, signedRenewalInfo: renewal } =
      evidence[0] === "{" ? JSON.parse(evidence) : {};
    const signed = transaction ? { transaction, renewal } : { evidence };
    for (const [name, jws] of Object.entries(signed)) {
      const one = await verifyJWS(jws, roots, given.date && Number(given.date));
      checks.push(...one.checks.map((row) =>
        transaction ? { ...row, name: `${row.name} of the ${name}` } : row));
    }
  }
  const { leaf, leafHash, index, size, path, treeRoot } = given;
  if (leaf) {
    await check(checks, "leaf hash", () => verifyLeaf({
      data: base64(leaf), hash: unhex(leafHash), index, evidence: evidence && encode(evidence) }));
  }
  if (treeRoot) {
    await check(checks, `in tree of ${Number(size).toLocaleString("en")}`, async () => {
      const hashes = path ? path.split(",").map(unhex) : [];
      need(await verifyInclusion({
        leafHash: unhex(leafHash), index, size, path: hashes, root: unhex(treeRoot),
      }), "the proof does not lead to the root");
      return `root ${treeRoot.slice(0, 8)}\u2026`;
    });
  }
  return checks;
}
async function show(section) {
  const list = section.querySelector("ul");
  const write = (state, rows) => {
    list.replaceChildren(...rows.map(([kind, says]) =>
      Object.assign(document.createElement("li"), { className: kind, textContent: says })));
    section.dataset.state = state;
  };
  if (!globalThis.crypto?.subtle) {
    write("unavailable", [["unknown", "This browser verifies only on https or localhost."]]);
    return;
  }
  section.dataset.state = "running";
  let checks = [];
  try { checks = await allChecks(section.dataset); } catch (error) {
    checks.push({ name: "evidence", ok: false, text: error.message });
  }
  write(checks.length && checks.every(({ ok }) => ok) ? "yes" : "no", checks.map(
    (one) => (one.ok ? ["yes", `\u2713 ok ${one.name}: ${one.text}`]
      : ["no", `\u2717 FAILED ${one.name}: ${one.text}`])));
}
const section = globalThis.document?.getElementById("verify");
if (section) show(section);
