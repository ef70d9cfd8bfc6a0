import { IntlMessageFormat } from "intl-messageformat";
import { describe, expect, it } from "vitest";
import { english } from "../../../renderer/texts/english/index.js";
import { LANGUAGES } from "../../../renderer/texts/languages.js";
import type { Catalogue } from "../../../renderer/texts/messages.js";

type Elements = ReturnType<IntlMessageFormat["getAst"]>;

/** All messages of a catalogue by their paths. */
function messages(catalogue: Catalogue, path = ""): (readonly [string, string])[] {
  return Object.entries(catalogue).flatMap(([key, entry]) =>
    typeof entry === "string" ? [[path + key, entry] as const] : messages(entry, `${path}${key}.`),
  );
}

/** The names of all parameters and tags; a plural asks for a number. */
function parameters(elements: Elements): string[] {
  return elements.flatMap((element) => {
    const inner =
      "options" in element
        ? Object.values(element.options).flatMap(({ value }) => parameters(value))
        : "children" in element
          ? parameters(element.children)
          : [];
    const isText = element.type === new IntlMessageFormat("x").getAst()[0]?.type;
    return "value" in element && !isText ? [element.value, ...inner] : inner;
  });
}

const parametersOf = (message: string) =>
  [...new Set(parameters(new IntlMessageFormat(message, "en").getAst()))].sort();

describe("the catalogue", () => {
  it("has only messages that can be read", () => {
    const broken = messages(english).filter(([, message]) => {
      try {
        parametersOf(message);
        return false;
      } catch {
        return true;
      }
    });
    expect(broken).toEqual([]);
  });

  it("begins and ends no message with a space, which would be half a sentence", () => {
    expect(messages(english).filter(([, message]) => message.trim() !== message)).toEqual([]);
  });

  it.each(Object.entries(LANGUAGES))(
    "has the messages and parameters of English in %s",
    async (_, language) => {
      const translated = (await language.load?.()) ?? english;
      expect(messages(translated).map(([key, message]) => [key, parametersOf(message)])).toEqual(
        messages(english).map(([key, message]) => [key, parametersOf(message)]),
      );
    },
  );

  it("finds the parameters of plurals, tags and what is in them", () => {
    const message = "<b>{a}</b> {n, plural, one {# of {c}} other {#}} {d, number}";
    expect(parametersOf(message)).toEqual(["a", "b", "c", "d", "n"]);
  });
});
