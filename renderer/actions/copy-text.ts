import { ProblemError } from "../../main/api/wire.js";

/** @throws ProblemError if the browser does not let the window write to the clipboard. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    throw new ProblemError({
      code: "PERMISSION_DENIED",
      message: "Nothing was copied: the browser does not let this page write to the clipboard.",
      remedy: "Allow the clipboard in the settings of this page, or select the text and copy it by hand.",
      details: String(error),
    });
  }
}
