/** The texts of the window, in its language: `texts.dialogs.settingsDialog.title`. */
import type { English } from "./english/index.js";
import { chosenLanguage } from "./language.js";
import { type Messages, messagesOf } from "./messages.js";

const language = chosenLanguage();

export const texts = messagesOf(language.catalogue, language) as Messages<English>;

/** The tag by which Intl formats numbers, lists and dates for the window. */
export const { locale } = language;
