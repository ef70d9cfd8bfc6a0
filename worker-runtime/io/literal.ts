import { getTextEncoding } from "@bufbuild/protobuf/wire";
import type { DType } from "../protocol/dtype.js";
import { invalidArgument } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import type { TensorElement, TensorValue } from "../protocol/tensor-values.js";
import {
  ElementError,
  elementParser,
  isBoolText,
  isComplexText,
  isNumberText,
  isWholeText,
} from "./parse-element.js";

/** One element as written. Numbers remain text until the dtype is known, so no digit of an int64 is lost. */
interface Word {
  readonly text: string;
  readonly quoted: boolean;
  /** The bytes of a quoted word with \x escapes; its text is then unused. */
  readonly bytes?: Uint8Array;
}

type Tree = Word | readonly Tree[];

/** Far deeper than the rank of any tensor (TensorFlow stops at 254); keeps typing errors from exhausting the stack. */
const MAX_DEPTH = 254;

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  "0": "\0",
  "/": "/",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

function isList(tree: Tree): tree is readonly Tree[] {
  return Array.isArray(tree);
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Tree {
    const tree = this.#tree(0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail("the end");
    return tree;
  }

  #fail(expected: string): never {
    const found =
      this.#at >= this.#text.length ? "the end" : JSON.stringify(this.#text.slice(this.#at, this.#at + 12));
    throw invalidArgument(
      `The value cannot be read: at character ${this.#at + 1} ${expected} was expected, found ${found}. ` +
        'Write 3, [1, 2, 3], [[1, 2], [3, 4]], true or "text".',
    );
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #tree(depth: number): Tree {
    this.#space();
    const next = this.#text[this.#at];
    if (next === "[") return this.#list(depth);
    if (next === '"' || next === "'") return this.#quoted(next);
    const word = /^[^,[\]"']+/.exec(this.#text.slice(this.#at, this.#at + 4096))?.[0];
    if (word === undefined || word.trim() === "") this.#fail("a value");
    this.#at += word.length;
    return { text: word.trim(), quoted: false };
  }

  #list(depth: number): Tree[] {
    if (depth >= MAX_DEPTH) this.#fail("less nesting");
    const items: Tree[] = [];
    this.#at += 1;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] === "]") break;
      items.push(this.#tree(depth + 1));
      this.#space();
      if (this.#text[this.#at] === ",") this.#at += 1;
      else if (this.#text[this.#at] !== "]") this.#fail('"," or "]"');
    }
    this.#at += 1;
    return items;
  }

  #quoted(quote: string): Word {
    const start = this.#at;
    let text = "";
    let raw: number[] | undefined;
    const add = (piece: string): void => {
      text += piece;
      if (raw !== undefined) for (const byte of getTextEncoding().encodeUtf8(piece)) raw.push(byte);
    };
    this.#at += 1;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) {
        this.#at = start;
        this.#fail(`a closing ${quote}`);
      }
      this.#at += 1;
      if (char === quote) break;
      if (char !== "\\") {
        // Keeps surrogate pairs together.
        const point = String.fromCodePoint(this.#text.codePointAt(this.#at - 1) ?? 0);
        this.#at += point.length - 1;
        add(point);
        continue;
      }
      const escaped = this.#text[this.#at] ?? "";
      const code = /^(?:x([0-9a-f]{2})|u([0-9a-f]{4}))/i.exec(this.#text.slice(this.#at, this.#at + 5));
      if (code?.[1] !== undefined) {
        raw ??= [...getTextEncoding().encodeUtf8(text)];
        raw.push(Number.parseInt(code[1], 16));
        this.#at += 3;
      } else if (code?.[2] !== undefined) {
        add(String.fromCharCode(Number.parseInt(code[2], 16)));
        this.#at += 5;
      } else {
        const piece = ESCAPES[escaped];
        if (piece === undefined) this.#fail("a known escape");
        add(piece);
        this.#at += 1;
      }
    }
    return raw === undefined ? { text, quoted: true } : { text, quoted: true, bytes: Uint8Array.from(raw) };
  }
}

function* wordsOf(tree: Tree): Generator<Word> {
  if (isList(tree)) for (const part of tree) yield* wordsOf(part);
  else yield tree;
}

const INT32_MIN = -(2n ** 31n);
const INT32_MAX = 2n ** 31n - 1n;

/** The dtype that Python's tf.constant would choose: int32 if it fits, float32, bool, string. */
function naturalDType(words: readonly Word[]): DType {
  if (words.length === 0) return "float32";
  if (words.some((word) => word.quoted)) return "string";
  const every = (test: (text: string) => boolean): boolean => words.every((word) => test(word.text));
  if (every(isBoolText)) return "bool";
  if (every(isWholeText)) {
    const fits = words.every(
      ({ text }) =>
        BigInt(text.replace(/^\+/, "")) >= INT32_MIN && BigInt(text.replace(/^\+/, "")) <= INT32_MAX,
    );
    return fits ? "int32" : "int64";
  }
  if (every(isNumberText)) return "float32";
  return every(isComplexText) ? "complex128" : "string";
}

function valueOfTree(tree: Tree, element: (word: Word) => TensorElement): TensorValue {
  return isList(tree) ? tree.map((part) => valueOfTree(part, element)) : element(tree);
}

/**
 * Parses a tensor from text: `3`, `-1.5e3`, `nan`, `inf`, `true`, `1+2j`, `"text"` (escapes as in JSON, and \xNN for a
 * byte), and nested lists of these. If the dtype is string, words need no quotes, and a text that begins with neither a
 * bracket nor a quote is a single element.
 * @param dtype defaults to int32 (int64 if a number needs it), float32, bool, complex128 or string
 * @throws TensorFlowError INVALID_ARGUMENT for invalid text, ragged lists, and elements outside the range of the dtype
 */
export function tensorFromText(text: string, dtype?: DType): Tensor {
  if (dtype === "string" && !/^\s*["'[]/.test(text)) return Tensor.of(text, "string");
  if (text.trim() === "")
    throw invalidArgument("No value is given. Write a number, a list like [1, 2, 3], or text.");
  const tree = new Reader(text).whole();
  const chosen = dtype ?? naturalDType([...wordsOf(tree)]);
  try {
    const parse = elementParser(chosen);
    const element = (word: Word): TensorElement => {
      if (chosen === "string") return word.bytes ?? word.text;
      if (word.quoted)
        throw new ElementError(`${JSON.stringify(word.text)} is text, but ${chosen} is wanted`);
      return parse(word.text);
    };
    return Tensor.of(valueOfTree(tree, element), chosen);
  } catch (error) {
    if (error instanceof ElementError) throw invalidArgument(`${error.message}.`, { cause: error });
    throw error;
  }
}
