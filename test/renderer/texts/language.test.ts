// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bestLanguage } from "../../../renderer/texts/language.js";
import type { Language } from "../../../renderer/texts/languages.js";

const language = (name: string): Language => ({ name, locale: "en", direction: "ltr" });
const languages = { en: language("English"), de: language("Deutsch"), "zh-Hant": language("繁體中文") };

describe("the language of the window", () => {
  it.each([
    [["de"], "de"],
    [["de-AT", "en"], "de"],
    [["fr-CH", "DE-ch"], "de"],
    [["zh-Hant-TW"], "zh-Hant"],
    [["zh", "fr"], "en"],
    [[], "en"],
  ])("of those who want %j is %s", (wanted, tag) => {
    expect(bestLanguage(wanted, languages)).toBe(tag);
  });
});

describe("a window in another language", () => {
  beforeEach(() => {
    vi.resetModules();
  });
  afterEach(() => {
    localStorage.clear();
  });

  /** The language of a window that is loaded now. */
  async function loaded() {
    const { chooseLanguage } = await import("../../../renderer/texts/language.js");
    await chooseLanguage();
    const { texts } = await import("../../../renderer/texts/texts.js");
    return texts.common.cancel;
  }

  it("is in English where nobody asks for anything else", async () => {
    expect(await loaded()).toBe("Cancel");
    expect([document.documentElement.lang, document.documentElement.dir]).toEqual(["en", "ltr"]);
  });

  it("keeps what the user chose for the next time, and says so in the page", async () => {
    const { keepLanguage, languageChoices } = await import("../../../renderer/texts/language.js");
    expect(languageChoices()).toEqual([["en", "English"]]);
    keepLanguage("en-x-pseudo");
    vi.resetModules();
    expect(await loaded()).toBe("[Çáàñçéèl]");
    expect(document.documentElement.lang).toBe("en-x-pseudo");
    const now = await import("../../../renderer/texts/language.js");
    expect(now.languageChoices().map(([tag]) => tag)).toEqual(["en", "en-x-pseudo"]);
    now.keepLanguage(undefined);
    expect(now.keptLanguage()).toBeUndefined();
  });
});
