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

/** What one message is for those who use it. */
export type Message<M extends string> = [TagsOf<M>] extends [never]
  ? M extends `${string}{${string}`
    ? (values: Parameters<M>) => string
    : string
  : (values: Parameters<M> & { readonly [Tag in TagsOf<M>]: RichPart }) => ReactElement;

export type Messages<C> = {
  readonly [Key in keyof C]: C[Key] extends string ? Message<C[Key]> : Messages<C[Key]>;
};

type Value = string | number | Date | RichPart;

/** How texts of one language are made. */
export interface Wording {
  /** The tag by which Intl knows the language. */
  readonly locale: string;
  /** Changes a message before it is used; only the pseudo-language does that. */
  readonly alter?: (message: string) => ReturnType<IntlMessageFormat["getAst"]>;
}

/** Whether a message is a text as it stands. Without braces and closing tags there is nothing to parse in it. */
const isPlain = (message: string) => !message.includes("{") && !message.includes("</");

/** The texts of a catalogue. A message is parsed when it is needed for the first time. */
export function messagesOf<const C extends Catalogue>(catalogue: C, wording: Wording): Messages<C> {
  return section(catalogue, wording) as Messages<C>;
}

function section(catalogue: Catalogue, wording: Wording): object {
  return Object.fromEntries(
    Object.entries(catalogue).map(([key, entry]) => [
      key,
      typeof entry === "string" ? text(entry, wording) : section(entry, wording),
    ]),
  );
}

function text(message: string, wording: Wording): string | ((values: Record<string, Value>) => ReactNode) {
  if (isPlain(message))
    return wording.alter === undefined ? message : formatted(parsed(message, wording), {});
  let format: IntlMessageFormat | undefined;
  const isRich = message.includes("</");
  return (values) => {
    format ??= parsed(message, wording);
    return isRich ? rich(format, values) : formatted(format, values);
  };
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

/** Formats are expensive to make. Four figures are read at a glance, more need their separators: "1000", "12,000". */
export function numberFormat(locale: string, options?: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify([locale, options]);
  let format = numberFormats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(locale, {
      useGrouping: "min2",
      // No minus sign before a zero.
      signDisplay: "negative",
      ...(options?.maximumSignificantDigits === undefined ? { maximumFractionDigits: 20 } : {}),
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
