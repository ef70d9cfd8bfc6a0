// Whether a desktop window can be shown at all.

/** Why no window can be shown, or undefined if one can. */
export function noDisplayReason(platform = process.platform, env = process.env) {
  if (platform === "win32" || platform === "darwin") return undefined;
  if (env.DISPLAY || env.WAYLAND_DISPLAY) return undefined;
  return "This session has no display (neither DISPLAY nor WAYLAND_DISPLAY is set).";
}
