// The reference reader of AgentOS bundles, in JavaScript: which lines are accepted, what they hold, their normal form.
//
//     node reader.mjs verify FILE       what it holds, as JSON
//     node reader.mjs normalise FILE    its normal form, on standard output
//     node reader.mjs seal FILE [KEY]   whether it is as it was sealed, and who signed it; 1 if not, or not by that key
//     node reader.mjs signed FILE [KEY] the same of another signed document: a catalog, a certificate, a manifest
//
// One file for Node 20 or newer that needs no package: copy it. A bundle that is not accepted ends it with 1 and the
// complaint as JSON on standard error. README.md beside it explains the format; reader.py is the same in Python.

import { createHash, createPublicKey, verify } from "node:crypto";
import { existsSync, readFileSync, realpathSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const FORMAT = 1n;
export const MAX_DEPTH = 64;
const MAX_INTEGER = 2n ** 63n;
const SIGNED = "AgentOS signature 1\n";
const SCHEME = "ed25519";
const KEY_HEAD = Buffer.from("302a300506032b6570032100", "hex"); // of a public key of Ed25519 in DER (RFC 8410)

/** Why a bundle is not accepted: a `code`, the same in every reader, and the line's number, from 1. */
export class Complaint extends Error {
  constructor(code, line, message) {
    super(message);
    this.code = code;
    this.line = line;
  }

  toJSON() {
    return { code: this.code, line: this.line, message: this.message };
  }
}

/** A number that was written with a fraction or an exponent. Whole numbers are BigInts: a double has 53 bits only. */
export class Real {
  constructor(value) {
    this.value = value;
  }
}

/** The value of a line (bytes) of strict JSON: objects are Maps, numbers BigInt or Real. Throws SyntaxError for others.
 *
 * Stricter than JSON where readers would differ: UTF-8 without a byte order mark, no name twice in an object, whole
 * numbers of 64 bits, other numbers finite, no half of a surrogate pair, at most MAX_DEPTH levels.
 */
export function parse(bytes) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SyntaxError("is no UTF-8");
  }
  return new Parser(text).document();
}

class Parser {
  #text;
  #at = 0;

  constructor(text) {
    this.#text = text;
  }

  document() {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#wrong("goes on after its value");
    return value;
  }

  #value(depth) {
    this.#space();
    const sign = this.#text[this.#at];
    if (sign === "{" || sign === "[") {
      if (depth === MAX_DEPTH) throw this.#wrong(`is nested deeper than ${MAX_DEPTH} levels`);
      return sign === "{" ? this.#object(depth + 1) : this.#list(depth + 1);
    }
    if (sign === '"') return this.#string();
    for (const [word, value] of [["true", true], ["false", false], ["null", null]]) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#number();
  }

  #object(depth) {
    const found = new Map();
    this.#at += 1;
    this.#space();
    if (this.#taken("}")) return found;
    do {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#wrong("lacks a name");
      const name = this.#string();
      if (found.has(name)) throw this.#wrong("an object has the same name twice");
      this.#space();
      if (!this.#taken(":")) throw this.#wrong("lacks a colon");
      found.set(name, this.#value(depth));
      this.#space();
    } while (this.#taken(","));
    if (!this.#taken("}")) throw this.#wrong("an object does not end");
    return found;
  }

  #list(depth) {
    const found = [];
    this.#at += 1;
    this.#space();
    if (this.#taken("]")) return found;
    do {
      found.push(this.#value(depth));
      this.#space();
    } while (this.#taken(","));
    if (!this.#taken("]")) throw this.#wrong("a list does not end");
    return found;
  }

  #string() {
    const begin = this.#at;
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += this.#text[this.#at] === "\\" ? 2 : 1) {
      if (this.#at >= this.#text.length) throw this.#wrong("a text does not end");
    }
    this.#at += 1;
    const value = JSON.parse(this.#text.slice(begin, this.#at));
    if (!value.isWellFormed()) throw this.#wrong("a text has half of a surrogate pair");
    return value;
  }

  #number() {
    const written = this.#matched(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y);
    if (written === null) throw this.#wrong("is no value");
    if (/[.eE]/.test(written)) {
      const value = Number(written);
      if (!Number.isFinite(value)) throw this.#wrong("a number is too large");
      return new Real(value);
    }
    const value = written.length > 20 ? MAX_INTEGER : BigInt(written);
    if (value < -MAX_INTEGER || value >= MAX_INTEGER) throw this.#wrong("a whole number is out of range: it has more than 64 bits");
    return value;
  }

  #matched(pattern) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at = pattern.lastIndex;
    return found[0];
  }

  #space() {
    while (" \t\n\r".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
  }

  #taken(sign) {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #wrong(what) {
    return new SyntaxError(`${what} (at character ${this.#at})`);
  }
}

/** The one text of a JSON value; in a file it is UTF-8.
 *
 * Names in the order of their code points, no spaces; in texts only `"`, `\` and what is below U+0020 is escaped. A
 * Real keeps a fraction or an exponent: the fewest digits that give the same double, as `1.0`, `0.0001`, `1e-05`,
 * `1e+16` (an exponent of two digits or more, below 1e-4 and from 1e16 on).
 */
export function canonical(value) {
  if (value instanceof Map) {
    const names = inOrder([...value.keys()]);
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value.get(name))}`).join(",")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value instanceof Real) return realText(value.value);
  if (typeof value === "bigint") return value.toString();
  return JSON.stringify(value);
}

function realText(value) {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [mantissa, exponent] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return `${sign}${digits[0]}${fraction}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${digits}`;
  const before = digits.slice(0, power + 1).padEnd(power + 1, "0");
  return `${sign}${before}.${digits.slice(power + 1) || "0"}`;
}

/** Texts in the order of their code points, which is that of their UTF-8, and not JavaScript's own. */
function inOrder(texts) {
  if (!texts.some((text) => /[\ud800-\udfff]/.test(text))) return texts.sort();
  return texts.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** SHA-256 over rows, whatever their order: of the sorted hashes of each. */
export class CanonicalHash {
  #hashes = [];

  add(table, row) {
    this.#hashes.push(createHash("sha256").update(canonical([table, row])).digest());
  }

  get digest() {
    return createHash("sha256").update(Buffer.concat(this.#hashes.toSorted(Buffer.compare))).digest("hex");
  }
}

/** The lines of a bundle (bytes), each checked before it is given: `{number, kind, value}`, the kind head, row or end.
 *
 * After the last one the bundle was whole and unchanged. Throws Complaint.
 */
export function* read(lines) {
  const found = new CanonicalHash();
  let count = 0n;
  let number = 0;
  let ended = false;
  for (const bytes of lines) {
    number += 1;
    if (ended) throw new Complaint("after", number, `line ${number} comes after the last line`);
    const value = accepted(number, bytes);
    if (number === 1) {
      checkHead(value);
      yield { number, kind: "head", value };
    } else if (value.has("end")) {
      checkEnd(number, value, count, found.digest);
      ended = true;
      yield { number, kind: "end", value };
    } else {
      checkRow(number, value);
      yield { number, kind: "row", value };
      found.add(value.get("table"), value.get("row"));
      count += 1n;
    }
  }
  if (!ended) throw new Complaint("end", number + 1, "ends too early: its last line is missing");
}

function accepted(number, bytes) {
  let value;
  try {
    value = parse(bytes);
  } catch (error) {
    throw new Complaint("json", number, `line ${number}: ${error.message}`);
  }
  if (!(value instanceof Map)) throw new Complaint("json", number, `line ${number} is no JSON object`);
  return value;
}

function checkHead(value) {
  const [made, schema] = [value.get("agentos_bundle"), value.get("schema")];
  if (typeof made !== "bigint" || made < 1n || typeof schema !== "bigint" || schema < 1n) {
    throw new Complaint("head", 1, "is no AgentOS bundle: the first line does not say so");
  }
  if (made !== FORMAT) throw new Complaint("newer", 1, `has format ${made}, this reader knows ${FORMAT}; upgrade`);
}

function checkRow(number, value) {
  if (typeof value.get("table") !== "string" || !(value.get("row") instanceof Map)) {
    throw new Complaint("row", number, `line ${number} is not a row`);
  }
}

function checkEnd(number, value, count, digest) {
  const wrong = "is not as it was written: rows are missing or changed";
  if (value.get("end") !== count) throw new Complaint("count", number, `${wrong} (their number)`);
  if (value.get("canonical_hash") !== digest) throw new Complaint("hash", number, `${wrong} (their hash)`);
}

/** The lines (texts) of a bundle's normal form: each canonical, the tables by name, their rows as they arrived.
 *
 * Throws Complaint.
 */
export function* normal(lines) {
  const rows = new Map();
  const ends = [];
  for (const { kind, value } of read(lines)) {
    const text = `${canonical(value)}\n`;
    if (kind === "head") {
      yield text;
    } else if (kind === "row") {
      const table = value.get("table");
      if (!rows.has(table)) rows.set(table, []);
      rows.get(table).push(text);
    } else {
      ends.push(text);
    }
  }
  for (const table of inOrder([...rows.keys()])) yield* rows.get(table);
  yield* ends;
}

/** What a bundle says of itself, when that is so: its format, its schema, rows by table, hash. Throws Complaint. */
export function verified(lines) {
  const summary = new Map();
  const counts = new Map();
  for (const { kind, value } of read(lines)) {
    if (kind === "head") {
      summary.set("format", value.get("agentos_bundle")).set("schema", value.get("schema"));
    } else if (kind === "row") {
      counts.set(value.get("table"), (counts.get(value.get("table")) ?? 0n) + 1n);
    } else {
      summary.set("rows", counts).set("canonical_hash", value.get("canonical_hash"));
    }
  }
  return summary;
}

/** A bundle's envelope, its seal or null, and the SHA-256 that a seal must name.
 *
 * That of its bytes, with the last line in its canonical text without the seal: a sealed bundle has one spelling.
 * Throws Complaint.
 */
export function sealing(lines) {
  const digest = createHash("sha256");
  let [latest, envelope, seal] = [null, null, null];
  function* remembered() {
    for (latest of lines) yield latest;
  }
  for (const { kind, value } of read(remembered())) {
    if (kind === "head") envelope = value.get("envelope");
    if (kind === "end") {
      const end = new Map(value);
      seal = end.get("seal");
      end.delete("seal");
      digest.update(Buffer.from(canonical(value)).equals(latest) ? canonical(end) : latest);
    } else {
      digest.update(latest).update("\n");
    }
  }
  return [envelope instanceof Map ? envelope : new Map(), seal instanceof Map ? seal : null, digest.digest("hex")];
}

/** The text that the signature in a document signs: all of it but the signature's own value. */
export function signedText(document) {
  const unsigned = new Map(document.get("signature"));
  unsigned.delete("value");
  return SIGNED + canonical(new Map(document).set("signature", unsigned));
}

/** How the signature in a document stands to it and to the key it names: `valid`, `invalid` or `unsigned`. */
export function signatureOf(document) {
  if (!document.has("signature")) return "unsigned";
  const signature = document.get("signature");
  if (!(signature instanceof Map) || signature.get("scheme") !== SCHEME) return "invalid";
  const [raw, value] = [bytesOf(signature.get("key")), bytesOf(signature.get("value"))];
  if (typeof signature.get("author") !== "string" || raw?.length !== 32 || value?.length !== 64) return "invalid";
  const key = createPublicKey({ key: Buffer.concat([KEY_HEAD, raw]), format: "der", type: "spki" });
  return verify(null, Buffer.from(signedText(document)), key, value) ? "valid" : "invalid";
}

function bytesOf(text) {
  const value = typeof text === "string" ? Buffer.from(text, "base64") : null;
  return value?.toString("base64") === text ? value : null;
}

/** How a bundle stands to its seal: `integrity` whole, changed or none, signature, author, key. Throws Complaint. */
export function sealOf(lines) {
  const [envelope, seal, digest] = sealing(lines);
  const signature = seal === null ? "unsigned" : signatureOf(seal);
  const signed = signature === "valid" ? seal.get("signature") : new Map();
  return new Map([
    ["envelope", envelope],
    ["integrity", seal === null ? "none" : seal.get("sha256") === digest ? "whole" : "changed"],
    ["signature", signature],
    ["author", signed.get("author") ?? null],
    ["key", signed.get("key") ?? null],
  ]);
}

/** The lines of a file's bytes: they end with U+000A and with nothing else. */
/** How a signed document stands to its signature, and its author and key. Throws Complaint. */
export function signedBy(bytes) {
  let document;
  try {
    document = parse(bytes);
  } catch (error) {
    throw new Complaint("json", 1, `is no signed document: ${error.message}`);
  }
  if (!(document instanceof Map)) throw new Complaint("json", 1, "is no signed document: no object");
  const found = signatureOf(document);
  const signature = found === "valid" ? document.get("signature") : new Map();
  return new Map([
    ["signature", found],
    ["author", signature.get("author") ?? null],
    ["key", signature.get("key") ?? null],
  ]);
}

export function* inLines(bytes) {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    yield bytes.subarray(at, end === -1 ? bytes.length : end);
    at = end === -1 ? bytes.length : end + 1;
  }
}

function main([action, file, ...more]) {
  const most = { verify: 0, normalise: 0, seal: 1, signed: 1 }[action];
  if (most === undefined || file === undefined || more.length > most) {
    process.stderr.write("node reader.mjs verify FILE\nnode reader.mjs normalise FILE\nnode reader.mjs seal FILE [KEY]\nnode reader.mjs signed FILE [KEY]\n");
    return 2;
  }
  try {
    const bytes = readFileSync(file);
    if (action === "signed") {
      const found = signedBy(bytes);
      written(Buffer.from(`${canonical(found)}\n`));
      return found.get("signature") === "valid" && (more.length === 0 || more[0] === found.get("key")) ? 0 : 1;
    }
    const lines = inLines(bytes);
    if (action === "seal") {
      const found = sealOf(lines);
      written(Buffer.from(`${canonical(found)}\n`));
      const asSealed = found.get("integrity") === "whole" && found.get("signature") !== "invalid";
      return asSealed && (more.length === 0 || more[0] === found.get("key")) ? 0 : 1;
    }
    const texts = action === "verify" ? [`${canonical(verified(lines))}\n`] : [...normal(lines)];
    for (const text of texts) written(Buffer.from(text));
  } catch (error) {
    process.stderr.write(`${error instanceof Complaint ? JSON.stringify(error) : error.message}\n`);
    return error instanceof Complaint ? 1 : 2;
  }
  return 0;
}

function written(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

const program = process.argv[1];
if (program && existsSync(program) && realpathSync(program) === fileURLToPath(import.meta.url)) {
  process.exitCode = main(process.argv.slice(2));
}
