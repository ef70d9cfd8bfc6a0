// Values as Electron's IPC clones them, as text: the browser's protocol carries only that between a page and the test. The page
// is given the text of this file, which therefore imports nothing.

/** Kinds of arrays of numbers, by name; in the page and in Node alike. */
const VIEWS = [
  ...[
    "Int8Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "Int16Array",
    "Uint16Array",
    "Int32Array",
    "Uint32Array",
  ],
  ...["Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"],
];

/** Numbers that JSON has no words for. */
const NUMBERS = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

export function encodeValue(value) {
  return JSON.stringify(tagged(structuredClone(value)));
}

export function decodeValue(text) {
  return untagged(JSON.parse(text));
}

/** Plain values stand for themselves; others are arrays that begin with the name of their kind. */
function tagged(value) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (value === undefined) return ["undefined"];
  if (typeof value === "number") {
    return Object.is(value, -0) ? ["-0"] : Number.isFinite(value) ? value : ["number", String(value)];
  }
  if (typeof value === "bigint") return ["bigint", String(value)];
  if (Array.isArray(value)) return ["array", value.map(tagged)];
  if (value instanceof Date) return ["date", value.getTime()];
  if (value instanceof Map) return ["map", [...value].map(([key, one]) => [tagged(key), tagged(one)])];
  if (value instanceof Set) return ["set", [...value].map(tagged)];
  if (value instanceof Error) return ["error", value.message];
  if (value instanceof ArrayBuffer) return ["buffer", base64(new Uint8Array(value))];
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    return ["view", value.constructor.name, base64(new Uint8Array(buffer, byteOffset, byteLength))];
  }
  return ["object", Object.entries(value).map(([key, one]) => [key, tagged(one)])];
}

function untagged(value) {
  if (!Array.isArray(value)) return value;
  const [kind, content, bytes] = value;
  switch (kind) {
    case "undefined":
      return undefined;
    case "-0":
      return -0;
    case "number":
      return NUMBERS[content];
    case "bigint":
      return BigInt(content);
    case "array":
      return content.map(untagged);
    case "date":
      return new Date(content);
    case "map":
      return new Map(content.map(([key, one]) => [untagged(key), untagged(one)]));
    case "set":
      return new Set(content.map(untagged));
    case "error":
      return new Error(content);
    case "buffer":
      return bytesOf(content).buffer;
    case "view": {
      if (!VIEWS.includes(content)) throw new TypeError(`${content} is no array of numbers.`);
      return new globalThis[content](bytesOf(bytes).buffer);
    }
    case "object":
      return Object.fromEntries(content.map(([key, one]) => [key, untagged(one)]));
    default:
      throw new TypeError(`A value is not of the kind ${kind}.`);
  }
}

function base64(bytes) {
  let characters = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    characters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(characters);
}

function bytesOf(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
