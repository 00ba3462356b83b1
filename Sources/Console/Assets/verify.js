/* Verifies an event (Verification.md, Log.md): one <li> per check in <section id="verify">; its
 * data-state becomes running, then yes, no or unavailable. Bytes in hex. */
export const appleRoot = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179";
const p256 = "3059301306072a8648ce3d020106082a8648ce3d030107";
const digests = { "300a06082a8648ce3d040302": "SHA-256", "300a06082a8648ce3d040303": "SHA-384" };
// Basic constraints, key usage, Apple's marker.
const certSign = /^(030[23]0..[4-7c-f](..)?)?$/;
const rules = [
  { "551d13": /^(3000)?$/, "551d0f": /^(030[23]0.[89a-f].(..)?)?$/, "2a864886f76364060b01": /./ },
  { "551d13": /^30(030101ff|060101ff0201[0-7].)$/, "551d0f": certSign,
    "2a864886f76364060201": /./ },
  { "551d13": /^30(030101ff|060101ff0201(?!00)[0-7].)$/, "551d0f": certSign },
];
const need = (holds, reason = "malformed") => { if (!holds) throw new Error(reason); };
const check = (name, body) => Promise.resolve().then(body).then(
  (text) => ({ name, ok: true, text }), ({ message }) => ({ name, ok: false, text: message }));

const encode = (text) => new TextEncoder().encode(text);
const hex = (buffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const json = (hex) => JSON.parse(decoder.decode(bytes(hex)));
const sha256 = async (data) => hex(await crypto.subtle.digest("SHA-256", data));
function base64(text) {
  const binary = atob(text);
  need(btoa(binary) === text);
  return hex(Uint8Array.from(binary, (one) => one.charCodeAt(0)));
}
function base64url(text) {
  need(!/[+/=]/.test(text));
  return base64(text.replace(/-/g, "+").replace(/_/g, "/") + "===".slice((text.length + 3) % 4));
}

function elements(der) {
  if (!der) return [];
  const [head, tag, ...size] = /^(..)(?:([0-7].)|81([89a-f].)|82((?!00)....))/.exec(der) ?? [];
  const end = head?.length + 2 * parseInt(size.join(""), 16);
  need(end <= der.length);
  return [{ tag, content: der.slice(head.length, end), whole: der.slice(0, end) },
    ...elements(der.slice(end))];
}
function sequence(der) {
  const [one, other] = elements(der);
  need(one?.tag === "30" && !other);
  return elements(one.content);
}
function time({ tag, content }) {
  const digits = (tag === "18" ? "" : content < "35" ? "3230" : "3139") + content;
  need(/^(3\d){14}5a$/.test(digits));
  const [century, year, month, ...rest] = digits.replace(/3(.)|5a/g, "$1").match(/../g);
  return Date.UTC(century + year, month - 1, ...rest);
}
async function verifies(key, hash, signature, data) {
  const method = { name: "ECDSA", namedCurve: key.startsWith(p256) ? "P-256" : "P-384", hash };
  const imported = await crypto.subtle.importKey("spki", bytes(key), method, false, ["verify"]);
  return crypto.subtle.verify(method, imported, bytes(signature), data);
}
async function certificate(der, rules, issuer) {
  const [signed, method, signature] = sequence(der);
  const [version, , inner, by, dates, subject, key, ...rest] = elements(signed.content);
  need(der.length <= 2 * 8192 && version.whole === "a003020102" && inner.whole === method.whole);
  const found = {};
  for (const { content } of sequence(rest.at(-1).content)) {
    const [{ content: id }, ...values] = elements(content);
    need(!found[id] && (values.length < 2 || /^551d(13|0f)$/.test(id)), "critical extension");
    found[id] = values.at(-1).content;
  }
  for (const id in rules) need(rules[id].test(found[id] ?? ""), `extension ${id}`);
  const result = { key: key.whole, name: subject.whole, dates: elements(dates.content).map(time) };
  const signer = issuer ?? result;
  const numbers = sequence(signature.content.slice(2)).map(({ content }) =>
    content.replace(/^00/, "").padStart(signer.key.startsWith(p256) ? 64 : 96, "0"));
  need(numbers.length === 2 && by.whole === signer.name && await verifies(
    signer.key, digests[method.whole], numbers.join(""), bytes(signed.whole)), "not by its issuer");
  return result;
}

const payloadOf = (jws) => json(base64url(jws.split(".")[1])) ?? {};
const ownDate = (jws) => payloadOf(jws).signedDate ?? payloadOf(jws).receiptCreationDate;
/** The latest of their own dates, else `date`. */
const latest = (tokens, date) =>
  tokens.map(ownDate).filter(Number.isFinite).sort((a, b) => b - a)[0] ?? date;
/** A JWS and its parts, at its date, else the latest of its parts and pair, else `otherDate`. */
export async function verifyJWS(jws, roots = [appleRoot], otherDate, pair = []) {
  const [header, content, signature, ...others] = jws.split(".");
  const chain = [];
  let date, payload = {};
  const certificates = await check("certificates", async () => {
    need(jws.length <= 262144 && signature && !others.length);
    const { alg, crit, x5c } = json(base64url(header));
    need(alg === "ES256" && crit === undefined && x5c.length === 3, "not ES256 by three");
    const ders = x5c.map(base64);
    const print = await sha256(bytes(ders[2]));
    need(roots.includes(print), "the root is not trusted");
    for (const at of [2, 1, 0])
      chain[at] = await certificate(ders[at], rules[at], chain[at + 1]);
    const name = print === appleRoot ? "Apple's root" : "an added root, not Apple's:";
    return `up to ${name} ${print.slice(0, 8)}…`;
  });
  const signed = await check("signature", async () => {
    need(chain[0]?.key.startsWith(p256) && await verifies(chain[0].key, "SHA-256",
      base64url(signature), encode(`${header}.${content}`)), "not by that P-256 leaf");
    payload = payloadOf(jws);
    return "ES256";
  });
  const { data, appData } = payload;
  const parts = [data?.signedTransactionInfo, data?.signedRenewalInfo,
    appData?.signedAppTransactionInfo].filter((part) => part != null);
  const dates = await check("dates at signing", () => {
    need(signed.ok);
    date = ownDate(jws) ?? latest(pair.concat(parts), otherDate);
    need(Number.isFinite(date), "no date");
    need(chain.every(({ dates: [from, until] }) => from <= date && date <= until),
      "not valid then");
    return new Date(date).toISOString();
  });
  const checks = [signed, certificates, dates];
  for (const part of parts) checks.push(await check("signed part", async () => {
    const { checks } = await verifyJWS(part, roots, date);
    checks.forEach(({ ok, name, text }) => need(ok, `${name}: ${text}`));
    return "likewise";
  }));
  return { ok: checks.every(({ ok }) => ok), checks };
}
/** Itself, or both of a pair. */
export const tokens = (text) => text[0] !== "{" ? [text]
  : ["signedTransactionInfo", "signedRenewalInfo"].map((name) => JSON.parse(text)[name]);
/** RFC 9162 §2.1.3.2. */
export async function verifyInclusion({ leafHash, index, size, path, root }) {
  let [node, last, hash] = [BigInt(index), BigInt(size) - 1n, leafHash];
  if (node < 0n || node > last || hash.length !== 64) return false;
  for (const sibling of path) {
    if (!last || sibling.length !== 64) return false;
    for (; node === last && !(node & 1n); last >>= 1n) node >>= 1n;
    hash = await sha256(bytes(`01${node & 1n ? sibling + hash : hash + sibling}`));
    [node, last] = [node >> 1n, last >> 1n];
  }
  return !last && hash === root;
}
function leafFields(data) {
  const fields = [];
  for (let at = 0; at < data.length;) {
    const length = parseInt(data.slice(at, at + 8), 16);
    fields.push(data.slice(at + 8, at += 8 + (length === 0xffffffff ? 0 : 2 * length)));
  }
  need(fields.length === 17);
  return fields;
}
export async function verifyLeaf({ data, hash, index, evidence }) {
  need(await sha256(bytes(`00${data}`)) === hash, "another hash");
  const fields = leafFields(data);
  need(Number(`0x${fields[0]}`) === +index + 1, "another position");
  need(!evidence || await sha256(evidence) === fields[4], "other evidence");
  return evidence ? "of this evidence" : "evidence not here";
}

async function show(section) {
  const { jwsFrom, raw, jws, roots, date, leaf, leafHash, index, size, path, treeRoot } =
    section.dataset;
  section.dataset.state = crypto.subtle ? "running" : "unavailable";
  if (!crypto.subtle) return section.append("Verified on https or localhost only.");
  let evidence = jwsFrom && encode(document.getElementById(jwsFrom).textContent.trim());
  const checks = [];
  if (raw) checks.push(await check("bytes", async () => {
    const answer = await fetch(raw);
    need(answer.ok && !answer.redirected, "not here");
    evidence = new Uint8Array(await answer.arrayBuffer());
    return evidence.length;
  }));
  const parts = evidence && (jwsFrom || jws) ? tokens(decoder.decode(evidence)) : [];
  for (const part of parts)
    checks.push(...(await verifyJWS(part, roots.split(" "), +date, parts)).checks);
  if (leaf !== undefined) checks.push(await check("leaf hash", () =>
    verifyLeaf({ data: base64(leaf), hash: leafHash, index, evidence })));
  checks.push(await check(`in tree of ${Number(size).toLocaleString("en")}`, async () => {
    const proof = { leafHash, index, size, path: path ? path.split(",") : [], root: treeRoot };
    need(await verifyInclusion(proof), "not in the tree");
    return `root ${treeRoot.slice(0, 8)}…`;
  }));
  for (const { ok, name, text } of checks) {
    const row = section.querySelector("ul").appendChild(document.createElement("li"));
    row.className = ok ? "yes" : "no";
    row.textContent = `${ok ? "✓ ok" : "✗ FAILED"} ${name}: ${text}`;
  }
  section.dataset.state = checks.every(({ ok }) => ok) ? "yes" : "no";
}
const section = globalThis.document?.getElementById("verify");
if (section) show(section).catch(() => {
  section.dataset.state = "no";
  section.append("✗ FAILED malformed");
});
