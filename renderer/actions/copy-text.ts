import { ProblemError } from "../../main/api/wire.js";
import { texts } from "../texts/texts.js";

const words = texts.actions.copyText;

/** @throws ProblemError if the browser does not let the window write to the clipboard. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    throw new ProblemError({
      code: "PERMISSION_DENIED",
      message: words.message,
      remedy: words.remedy,
      details: String(error),
    });
  }
}
