import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { messagesOf, numberFormat } from "../../../renderer/texts/messages.js";
import { pseudo } from "../../../renderer/texts/pseudo.js";
import { bold, code } from "../../../renderer/ui/rich-parts.js";

const english = {
  plain: "It's <1 µs, as a text is.",
  greeting: "Hello {name}",
  section: {
    tasks: "{count, plural, =0 {No tasks} one {# task} other {# tasks}} on {machine}",
    fields: "{count, number} fields",
    waiting: "{share, number, percent} waiting",
    rich: "<b>{name} failed.</b> See <code>{path}</code>.",
  },
} as const;

const texts = messagesOf(english, { locale: "en-GB" });

describe("messages", () => {
  it("without parameters are texts", () => {
    expect(texts.plain).toBe("It's <1 µs, as a text is.");
  });

  it("have typed parameters", () => {
    expect(texts.greeting({ name: "Ada" })).toBe("Hello Ada");
    // @ts-expect-error a parameter is missing
    expect(() => texts.greeting({})).toThrow("name");
    // @ts-expect-error there is no such message
    expect(texts.section.nothing).toBeUndefined();
    // @ts-expect-error a number is formatted by the message
    const ofNumber: Parameters<typeof texts.greeting>[0] = { name: 1 };
    expect(ofNumber).toBeDefined();
  });

  it("write numbers with separators only where they help", () => {
    expect([0, 1, 1000, 12_000].map((count) => texts.section.tasks({ count, machine: "pi" }))).toEqual([
      ...["No tasks on pi", "1 task on pi", "1000 tasks on pi", "12,000 tasks on pi"],
    ]);
    expect(texts.section.fields({ count: 1_234_567 })).toBe("1,234,567 fields");
    expect(numberFormat("en-GB").format(-0)).toBe("0");
    expect(texts.section.waiting({ share: 0.31670679373442284 })).toBe("32% waiting");
  });

  it("have the plurals and numbers of their language", () => {
    const polish = messagesOf(
      { tasks: "{count, plural, one {# zadanie} few {# zadania} many {# zadań} other {# zadania}}" },
      { locale: "pl" },
    );
    expect([1, 3, 5, 22, 12_000].map((count) => polish.tasks({ count }))).toEqual([
      ...["1 zadanie", "3 zadania", "5 zadań", "22 zadania", "12\u00a0000 zadań"],
    ]);
  });

  it("have elements within their sentences", () => {
    const markup = renderToStaticMarkup(texts.section.rich({ name: "a<b", path: "/tmp", b: bold, code }));
    expect(markup).toBe("<b>a&lt;b failed.</b> See <code>/tmp</code>.");
  });
});

describe("the pseudo-language", () => {
  const odd = messagesOf(english, { locale: "en-GB", alter: pseudo });

  it("accents the words of a message, and nothing that is put into it", () => {
    expect(odd.greeting({ name: "Ada" })).toBe("[Héèllóò Ada]");
    expect(odd.section.tasks({ count: 2, machine: "pi" })).toBe("[2 táàškš óòñ pi]");
    expect(renderToStaticMarkup(odd.section.rich({ name: "a", path: "/b", b: bold, code }))).toBe(
      "[<b>a fáàíìléèd.</b> Šéèéè <code>/b</code>.]",
    );
  });

  it("makes texts about two fifths longer", () => {
    const text = "Other machines running Tensordeck find this one, and paired ones connect to it.";
    const { long } = messagesOf({ long: text }, { locale: "en-GB", alter: pseudo });
    expect(long.length / text.length).toBeGreaterThan(1.3);
  });
});
