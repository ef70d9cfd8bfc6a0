/** Keeps the system's own menu bar, if there is one, in sync with the window's commands. */
import type { MenuBridge } from "../../main/api/bridge.js";
import { contextOf } from "../commands/key-context.js";
import { runAsked } from "../commands/keyboard.js";
import { type BuiltMenu, buildNativeMenu } from "../commands/native-menu.js";
import { onStateChange } from "../commands/state-changes.js";
import { isModalOpen, onModalChange } from "../stores/modal.js";

/** Changes within this time are sent together. */
const SETTLE_MILLIS = 50;

/** Shows the commands in the menu bar from now on, and runs those that are chosen there. */
export function followNativeMenu(bridge: MenuBridge): void {
  let built: BuiltMenu | undefined;
  let shown = "";
  let waits = false;
  const show = () => {
    waits = false;
    built = buildNativeMenu(contextOf(document.activeElement));
    const text = JSON.stringify(built.menu);
    if (text === shown) return;
    shown = text;
    bridge.show(built.menu);
  };
  const changed = () => {
    if (!waits) setTimeout(show, SETTLE_MILLIS);
    waits = true;
  };
  onStateChange(changed);
  onModalChange(changed);
  document.addEventListener("focusin", changed);
  document.addEventListener("focusout", changed);
  bridge.onChosen((key) => {
    const choice = built?.chosen.get(key);
    // The window may have changed since the menu was drawn.
    if (choice && !isModalOpen()) runAsked(choice.command, choice.action, document.activeElement);
  });
  show();
}
