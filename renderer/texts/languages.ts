/** The languages of the window. A further one is a folder beside `english/`, and one line here. */
import type { English } from "./english/index.js";
import type { Translation } from "./messages.js";
import { pseudo } from "./pseudo.js";

export interface Language {
  /** Its name in itself, for those who look for it. */
  readonly name: string;
  /** The tag by which Intl formats its numbers, plurals, lists and dates. */
  readonly locale: string;
  readonly direction: "ltr" | "rtl";
  /** Fetches its catalogue; left out: the English one, which every window has. */
  load?(): Promise<Translation<English>>;
  /** Changes each message before it is used. */
  readonly alter?: typeof pseudo;
  /** True: never chosen because of the system's language. */
  readonly forTests?: boolean;
}

/** By their tags of BCP 47, as browsers and systems name them. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  en: { name: "English", locale: "en-GB", direction: "ltr" },
  "en-x-pseudo": { name: "[Pséüdö]", locale: "en-GB", direction: "ltr", alter: pseudo, forTests: true },
};

export const FALLBACK = "en";
