// Where a request goes: the server's address, the path of an operation, its query.

export type Values = { readonly [name: string]: unknown };

/** Return the address that paths are appended to. Throws TypeError where it is none. */
export function baseOf(url: string): string {
  let base: URL;
  try {
    base = new URL(url);
  } catch {
    throw new TypeError(`url: ${JSON.stringify(url)} is no address; it looks like http://127.0.0.1:8420`);
  }
  if (base.protocol !== "http:" && base.protocol !== "https:") throw new TypeError("url: must begin with http:// or https://");
  if (base.username !== "" || base.password !== "") throw new TypeError("url: give the key as `key`, not in the address");
  if (base.search !== "" || base.hash !== "") throw new TypeError("url: must end with its path");
  return base.origin + base.pathname.replace(/\/+$/, "");
}

/** Return a path with its parts filled in, and the values that are left. Throws TypeError where a part cannot be one. */
export function filled(path: string, values: Values): [string, Values] {
  const left: { [name: string]: unknown } = { ...values };
  const whole = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left[name];
    delete left[name];
    if (typeof value !== "string" || value === "" || value === "." || value === "..")
      throw new TypeError(`${name}: must be text that is neither empty, "." nor ".."`);
    if (value.includes("/")) throw new TypeError(`${name}: a "/" cannot be sent in a path`);
    try {
      return encodeURIComponent(value);
    } catch {
      throw new TypeError(`${name}: is not valid Unicode`);
    }
  });
  return [whole, left];
}

/** Return a query with its question mark; lists are repeated, what is null or undefined is left out. */
export function query(values: Values): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== null && one !== undefined) found.append(name, String(one));
  const text = found.toString();
  return text === "" ? "" : `?${text}`;
}
