import type { Session } from "electron";
import { isWindowUrl } from "./window-address.js";

/** The only permission that the window requests: "Copy" in menus and dialogs. */
const GRANTED = "clipboard-sanitized-write";

/** Whether a permission requested by a page is granted. */
export function isPermissionGranted(permission: string, requestingUrl: string): boolean {
  return permission === GRANTED && isWindowUrl(requestingUrl);
}

/** Refuses camera, microphone, location, notifications, devices and everything else. */
export function confinePermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(isPermissionGranted(permission, details.requestingUrl));
  });
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) =>
    isPermissionGranted(permission, requestingOrigin),
  );
  session.setDevicePermissionHandler(() => false);
}
