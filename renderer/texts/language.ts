/** The language of the window: chosen once, before anything is shown, so that constants of modules may hold texts. */
import { english } from "./english/index.js";
import { FALLBACK, LANGUAGES, type Language } from "./languages.js";
import type { Catalogue } from "./messages.js";

export interface ChosenLanguage extends Language {
  readonly tag: string;
  readonly catalogue: Catalogue;
}

/** Where a window remembers the user's choice: it is needed before the application has answered. */
export const LANGUAGE_KEY = "tensordeck.language";

let chosen = { ...(LANGUAGES[FALLBACK] as Language), tag: FALLBACK, catalogue: english as Catalogue };

export function chosenLanguage(): ChosenLanguage {
  return chosen;
}

/**
 * The first language that the window has among those that are wanted: itself, or the one that it is a variant of
 * ("de-AT": "de"). Languages for tests only if they are asked for by their whole tags.
 */
export function bestLanguage(
  wanted: readonly string[],
  languages: Readonly<Record<string, Language>> = LANGUAGES,
): string {
  const tags = Object.keys(languages);
  for (const one of wanted) {
    const parts = one.split("-");
    for (let length = parts.length; length > 0; length--) {
      const tag = parts.slice(0, length).join("-").toLowerCase();
      const found = tags.find((known) => known.toLowerCase() === tag);
      if (found !== undefined) return found;
    }
  }
  return FALLBACK;
}

/** What is asked for, most important first: in the address, by the user's choice, by the system. */
function wantedLanguages(): string[] {
  const asked = new URLSearchParams(location.search).get("language");
  const kept = localStorage.getItem(LANGUAGE_KEY);
  return [...(asked === "pseudo" ? ["en-x-pseudo"] : [asked]), kept, ...navigator.languages].filter(
    (tag) => tag !== null,
  );
}

/**
 * Fetches the texts of the language that the user or the system wants. Has to be done before `texts.ts` is imported.
 * English where a catalogue cannot be fetched.
 */
export async function chooseLanguage(wanted: readonly string[] = wantedLanguages()): Promise<void> {
  const tag = bestLanguage(wanted);
  const language = LANGUAGES[tag] as Language;
  try {
    chosen = { ...language, tag, catalogue: (await language.load?.()) ?? english };
  } catch {
    // A window in English is better than none.
  }
  document.documentElement.lang = chosen.tag;
  document.documentElement.dir = chosen.direction;
}
