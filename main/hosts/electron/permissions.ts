import type { Session } from "electron";
import { isWindowUrl } from "./window-address.js";

/** The only right beyond a page's own that the window asks for: "Copy" in menus and dialogs. */
const GRANTED = "clipboard-sanitized-write";

/** Whether a permission that a page asks for is given. */
export function isPermissionGranted(permission: string, requestingUrl: string): boolean {
  return permission === GRANTED && isWindowUrl(requestingUrl);
}

/** Refuses camera, microphone, location, notifications, devices and all the rest. */
export function confinePermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(isPermissionGranted(permission, details.requestingUrl));
  });
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) =>
    isPermissionGranted(permission, requestingOrigin),
  );
  session.setDevicePermissionHandler(() => false);
}
