/**
 * Turns a catalogue, whose entries are messages in ICU's MessageFormat, into what components use: a text where a message
 * has no parameters, a function of its parameters where it has some. Keys and parameters are types: a misspelt key, a
 * forgotten parameter or a number that is passed as a text does not compile.
 */
import type { GetICUArgs } from "@schummar/icu-type-parser";
import { IntlMessageFormat } from "intl-messageformat";
import { createElement, Fragment, type ReactElement, type ReactNode } from "react";

/** Messages by their keys, in sections. */
export interface Catalogue {
  readonly [key: string]: string | Catalogue;
}

/** Another language's version of a catalogue: the same keys. Its parameters are compared by `test/renderer/texts`. */
export type Translation<C> = {
  readonly [Key in keyof C]: C[Key] extends string ? string : Translation<C[Key]>;
};

type Parameters<M extends string> = GetICUArgs<
  M,
  // A number is formatted by the message ("{count, number}", or "#" in a plural), so a plain parameter is a text.
  { ICUArgument: string; ICUNumberArgument: number; ICUDateArgument: Date }
>;

type TagsOf<M extends string> = M extends `${string}</${infer Name}>${infer Rest}`
  ? Name | TagsOf<Rest>
  : never;

/** Makes an element of what stands between the tags of a message. */
export type RichPart = (children: ReactNode) => ReactElement;

/** The type of one message for those who use it. */
export type Message<M extends string> = [TagsOf<M>] extends [never]
  ? M extends `${string}{${string}`
    ? (values: Parameters<M>) => string
    : string
  : (values: Parameters<M> & { readonly [Tag in TagsOf<M>]: RichPart }) => ReactElement;

export type Messages<C> = {
  readonly [Key in keyof C]: C[Key] extends string ? Message<C[Key]> : Messages<C[Key]>;
};

export type Elements = ReturnType<IntlMessageFormat["getAst"]>;
export type Element = Elements[number];

/** The parser's numbers for words and for a plain parameter; its enum is no part of the package's interface. */
const LITERAL = 0;
const ARGUMENT = 1;

export function isLiteral(element: Element): element is Element & { value: string } {
  return (element.type as number) === LITERAL;
}

function isArgument(element: Element): element is Element & { value: string } {
  return (element.type as number) === ARGUMENT;
}

type Value = string | number | Date | RichPart;

/** How texts of one language are made. */
export interface Wording {
  /** The tag by which Intl knows the language. */
  readonly locale: string;
  /** Changes a message before it is used; only the pseudo-language does that. */
  readonly alter?: (message: string) => Elements;
}

/** Whether a message is a text as it stands. Without braces and closing tags there is nothing to parse in it. */
const isPlain = (message: string) => !message.includes("{") && !message.includes("</");

/** The texts of a catalogue. A section is made, and a message parsed, when it is needed for the first time. */
export function messagesOf<const C extends Catalogue>(catalogue: C, wording: Wording): Messages<C> {
  return section(catalogue, wording) as Messages<C>;
}

function section(catalogue: Catalogue, wording: Wording): object {
  const made: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(catalogue)) {
    if (typeof entry === "string") made[key] = text(entry, wording);
    else makeLater(made, key, () => section(entry, wording));
  }
  return made;
}

/** A window starts with a part of the sections: dialogs, tabs and help are opened later or never. */
function makeLater(made: object, key: string, make: () => object): void {
  const get = () => {
    const value = make();
    Object.defineProperty(made, key, { value, enumerable: true });
    return value;
  };
  Object.defineProperty(made, key, { get, enumerable: true, configurable: true });
}

function text(message: string, wording: Wording): string | ((values: Record<string, Value>) => ReactNode) {
  if (isPlain(message))
    return wording.alter === undefined ? message : formatted(parsed(message, wording), {});
  let format: ((values: Record<string, Value>) => ReactNode) | undefined;
  return (values) => {
    format ??= formatOf(message, wording);
    return format(values);
  };
}

function formatOf(message: string, wording: Wording): (values: Record<string, Value>) => ReactNode {
  const format = parsed(message, wording);
  if (message.includes("</")) return (values) => rich(format, values);
  return joined(format.getAst()) ?? ((values) => formatted(format, values));
}

/**
 * Joins words and parameters where a message has nothing else, no number or plural; undefined for one that has. Some are
 * made for every node of a graph, and the formatter takes five times as long.
 */
function joined(elements: Elements): ((values: Record<string, Value>) => string) | undefined {
  const parts = elements.map((element) =>
    isLiteral(element)
      ? { words: element.value }
      : isArgument(element)
        ? { parameter: element.value }
        : undefined,
  );
  if (!parts.every((part) => part !== undefined)) return undefined;
  return (values) => {
    let text = "";
    for (const { words, parameter } of parts) text += words ?? given(values, parameter);
    return text;
  };
}

function given(values: Record<string, Value>, parameter: string): string {
  const value = values[parameter];
  if (value === undefined) throw new Error(`The message needs a value for ${parameter}.`);
  return String(value);
}

function parsed(message: string, { locale, alter }: Wording): IntlMessageFormat {
  return new IntlMessageFormat(alter?.(message) ?? message, locale, undefined, {
    formatters: {
      getNumberFormat: (_, options) => numberFormat(locale, options as Intl.NumberFormatOptions),
      getDateTimeFormat: (...args) => new Intl.DateTimeFormat(...args),
      getPluralRules: (_, options) => pluralRules(locale, options),
    },
  });
}

function formatted(format: IntlMessageFormat, values: Record<string, Value>): string {
  return String(format.format<string>(values as Record<string, string>));
}

/** The parts become children of one fragment, which needs no keys for them. */
function rich(format: IntlMessageFormat, values: Record<string, Value>): ReactElement {
  const wrapped = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "function"
        ? (parts: ReactNode[]) => value(parts.length > 1 ? createElement(Fragment, null, ...parts) : parts[0])
        : value,
    ]),
  );
  const parts = format.format<ReactNode>(wrapped as Record<string, ReactNode>);
  return createElement(Fragment, null, ...(Array.isArray(parts) ? parts : [parts as ReactNode]));
}

const numberFormats = new Map<string, Intl.NumberFormat>();

/**
 * Formats are expensive to make. Four figures are read at a glance, more need their separators: "1000", "12,000". Decimals
 * are those of the number, but a share is in whole percent.
 */
export function numberFormat(locale: string, options?: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify([locale, options]);
  let format = numberFormats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(locale, {
      useGrouping: "min2",
      // No minus sign before a zero.
      signDisplay: "negative",
      ...(options?.maximumSignificantDigits === undefined
        ? { maximumFractionDigits: options?.style === "percent" ? 0 : 20 }
        : {}),
      ...options,
    });
    numberFormats.set(key, format);
  }
  return format;
}

const rules = new Map<string, Intl.PluralRules>();

function pluralRules(locale: string, options?: Intl.PluralRulesOptions): Intl.PluralRules {
  const key = JSON.stringify([locale, options]);
  let found = rules.get(key);
  if (found === undefined) {
    found = new Intl.PluralRules(locale, options);
    rules.set(key, found);
  }
  return found;
}
