/**
 * The dialog over the window, which captures its keys. Dialogs belong to this window; a pairing and the firewall wizard
 * belong to the application, open without user action, and are shown over any open dialog.
 */
import { useFirewall } from "./firewall-store.js";
import { usePairing } from "./pairing-store.js";
import { useUi } from "./ui-store.js";

/** True while a dialog, a pairing or the firewall wizard is open. */
export function isModalOpen(): boolean {
  return (
    useUi.getState().dialog !== undefined ||
    usePairing.getState().state !== undefined ||
    useFirewall.getState().wizard !== undefined
  );
}

/** The same for a component, which is drawn again when it changes. */
export function useModalOpen(): boolean {
  const dialog = useUi((store) => store.dialog !== undefined);
  const pairing = usePairing((store) => store.state !== undefined);
  const firewall = useFirewall((store) => store.wizard !== undefined);
  return dialog || pairing || firewall;
}

/** Calls the listener whenever the first of them has opened or the last has closed. */
export function onModalChange(listener: (open: boolean) => void): void {
  let before = isModalOpen();
  const look = () => {
    const open = isModalOpen();
    if (open === before) return;
    before = open;
    listener(open);
  };
  useUi.subscribe(look);
  usePairing.subscribe(look);
  useFirewall.subscribe(look);
}
