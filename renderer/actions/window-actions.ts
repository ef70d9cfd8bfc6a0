import { client } from "../transport/client.js";

/** Opens another window of a headless application, in another tab of the browser. Rejects with a ProblemError. */
export async function openNewWindow(): Promise<void> {
  // Opened at once, while it still counts as a user gesture; its address is set when known.
  const opened = window.open("about:blank", "_blank");
  try {
    const url = await client().call("app.newWindowUrl");
    if (opened) opened.location.href = url;
    else window.location.assign(url);
  } catch (error) {
    opened?.close();
    throw error;
  }
}
