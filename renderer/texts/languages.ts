/** The languages of the window. A further one is a folder beside `english/`, and one line here. */
import type { English } from "./english/index.js";
import type { Translation, Wording } from "./messages.js";
import { pseudo } from "./pseudo.js";

export interface Language extends Wording {
  /** Its name in itself, for those who look for it. */
  readonly name: string;
  readonly direction: "ltr" | "rtl";
  /** Fetches its catalogue; left out: the English one, which every window has. */
  load?(): Promise<Translation<English>>;
  /** True: chosen only by those who ask for it by its tag. */
  readonly forTests?: boolean;
}

const ENGLISH: Language = { name: "English", locale: "en-GB", direction: "ltr" };

/** By their tags of BCP 47, as browsers and systems name them. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  en: ENGLISH,
  "en-x-pseudo": { ...ENGLISH, name: "Pseudo-English", alter: pseudo, forTests: true },
};

export const FALLBACK = { ...ENGLISH, tag: "en" };
