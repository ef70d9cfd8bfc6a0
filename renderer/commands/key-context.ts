/** Which commands a key press may run, depending on the focus. */
import { isModalOpen } from "../stores/modal.js";

/** Where the focus is when a key is pressed. */
export interface KeyContext {
  /** In a text field or another control that wants the key itself. */
  readonly typing: boolean;
  /** In a panel other than the canvas, or in a menu or dialog. */
  readonly elsewhere: boolean;
  /** In a menu or a list that finds its entries by their first letters. */
  readonly ownLetters: boolean;
  /** A dialog is open. */
  readonly modal: boolean;
}

const TYPING =
  'input:not([type="checkbox"]):not([type="radio"]):not([type="range"]), textarea, select, [contenteditable="true"]';
const OWN_LETTERS = '[role="menu"], [role="dialog"], [role="listbox"]';
const OWN_KEYS = `${OWN_LETTERS}, [data-own-keys]`;

export function contextOf(target: EventTarget | null): KeyContext {
  const element = target instanceof Element ? target : undefined;
  const inCanvas = element?.closest("[data-canvas]") !== null && element !== undefined;
  const nowhere = element === undefined || element === document.body || element === document.documentElement;
  return {
    typing: element?.closest(TYPING) != null,
    elsewhere: !(inCanvas || nowhere) || element?.closest(OWN_KEYS) != null,
    ownLetters: element?.closest(OWN_LETTERS) != null,
    modal: isModalOpen(),
  };
}
