/** The language of the window: chosen once, before anything is shown, so that constants of modules may hold texts. */
import { english } from "./english/index.js";
import { FALLBACK, LANGUAGES, type Language } from "./languages.js";
import type { Catalogue } from "./messages.js";

export interface ChosenLanguage extends Language {
  /** As `LANGUAGES` has it. */
  readonly tag: string;
  readonly catalogue: Catalogue;
}

/** Where a window keeps the user's choice: it is needed before the application has answered. */
const LANGUAGE_KEY = "tensordeck.language";

let chosen: ChosenLanguage = { ...FALLBACK, catalogue: english };

export function chosenLanguage(): ChosenLanguage {
  return chosen;
}

/** The languages that a user can choose: all, but one for tests only while it is shown. */
export function languageChoices(): readonly (readonly [tag: string, name: string])[] {
  return Object.entries(LANGUAGES).flatMap(([tag, { name, forTests }]) =>
    forTests && tag !== chosen.tag ? [] : [[tag, name] as const],
  );
}

/** The user's choice; undefined: the system's language. */
export function keptLanguage(): string | undefined {
  return localStorage.getItem(LANGUAGE_KEY) ?? undefined;
}

/** Keeps the user's choice, which holds from the next load of the page. @param tag undefined: the system's language */
export function keepLanguage(tag: string | undefined): void {
  if (tag === undefined) localStorage.removeItem(LANGUAGE_KEY);
  else localStorage.setItem(LANGUAGE_KEY, tag);
}

/** Keeps the user's choice and loads the page anew, in that language. */
export function changeLanguage(tag: string | undefined): void {
  keepLanguage(tag);
  const { searchParams } = new URL(location.href);
  if (searchParams.has("language")) {
    // The language in the address would come first.
    searchParams.delete("language");
    location.search = searchParams.toString();
  } else location.reload();
}

/**
 * The first of the wanted languages that the window has, or of which it has the one that it is a variant of ("de-AT":
 * "de"); English if there is none.
 */
export function bestLanguage(
  wanted: readonly string[],
  languages: Readonly<Record<string, Language>> = LANGUAGES,
): string {
  const tags = Object.keys(languages);
  for (const one of wanted) {
    const parts = one.toLowerCase().split("-");
    for (let length = parts.length; length > 0; length--) {
      const found = tags.find((tag) => tag.toLowerCase() === parts.slice(0, length).join("-"));
      if (found !== undefined) return found;
    }
  }
  return FALLBACK.tag;
}

/** The requested languages, most important first: in the address (`?language=de`), by the user's choice, by the system. */
function wantedLanguages(): string[] {
  const asked = new URLSearchParams(location.search).get("language") ?? undefined;
  return [asked, keptLanguage(), ...navigator.languages].filter((tag) => tag !== undefined);
}

/**
 * Fetches the texts of a language, by default of the one that the user or the system wants; English where that fails.
 * `texts.ts`, and whatever imports it, must not be loaded before.
 */
export async function chooseLanguage(wanted: readonly string[] = wantedLanguages()): Promise<void> {
  const tag = bestLanguage(wanted);
  const language = LANGUAGES[tag] ?? FALLBACK;
  try {
    chosen = { ...language, tag, catalogue: (await language.load?.()) ?? english };
  } catch {
    // A window in English is better than none.
  }
  document.documentElement.lang = chosen.tag;
  document.documentElement.dir = chosen.direction;
}
