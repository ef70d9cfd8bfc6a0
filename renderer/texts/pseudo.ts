/**
 * The pseudo-language: English with accents, in brackets and about 40 % longer. In it, a text without brackets is not in
 * the catalogue, and what is cut off will be cut off in other languages.
 */
import { IntlMessageFormat } from "intl-messageformat";
import { type Element, type Elements, isLiteral } from "./messages.js";

const ACCENTED: Readonly<Record<string, string>> = {
  a: "áà",
  e: "éè",
  i: "íì",
  o: "óò",
  u: "úù",
  y: "ý",
  n: "ñ",
  c: "ç",
  s: "š",
  A: "Á",
  E: "É",
  I: "Í",
  O: "Ó",
  U: "Ú",
  N: "Ñ",
  C: "Ç",
  S: "Š",
};

/** Doubled vowels make a text about two fifths longer, as many languages are. */
const accented = (text: string) => text.replace(/[a-z]/gi, (letter) => ACCENTED[letter] ?? letter);

/** Changes the words of a message and keeps its parameters, plurals and tags. */
export function pseudo(message: string): Elements {
  const { getAst } = new IntlMessageFormat(message, "en");
  return [literal("["), ...getAst().map(alter), literal("]")];
}

function literal(value: string): Element {
  const [element] = new IntlMessageFormat("x", "en").getAst();
  return { ...element, value } as Element;
}

function alter(element: Element): Element {
  if ("children" in element) return { ...element, children: element.children.map(alter) };
  if ("options" in element) {
    const options = Object.entries(element.options).map(
      ([name, option]) => [name, { ...option, value: option.value.map(alter) }] as const,
    );
    return { ...element, options: Object.fromEntries(options) } as Element;
  }
  return isLiteral(element) ? ({ ...element, value: accented(element.value) } as Element) : element;
}
