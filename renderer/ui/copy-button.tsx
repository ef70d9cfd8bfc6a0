import { type ReactElement, useEffect, useState } from "react";
import { ProblemError } from "../../main/api/wire.js";
import { showProblem } from "../stores/app-store.js";
import { Button } from "./button.js";

const SHOWN_MILLIS = 1500;

/** Puts a text on the clipboard and says so. */
export function CopyButton({
  text,
  label = "Copy",
  copied: alreadyCopied = false,
}: {
  readonly text: string;
  readonly label?: string;
  /** The text is on the clipboard already, which is what is said first. */
  readonly copied?: boolean;
}): ReactElement {
  const [copied, setCopied] = useState(alreadyCopied);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MILLIS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      size="small"
      variant="ghost"
      icon={copied ? "check" : "copy"}
      onClick={() =>
        void copyText(text).then(
          () => setCopied(true),
          (error: unknown) => showProblem(error),
        )
      }
    >
      <span aria-live="polite">{copied ? "Copied" : label}</span>
    </Button>
  );
}

/** @throws ProblemError where the browser does not let the window write to the clipboard. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    throw new ProblemError({
      code: "PERMISSION_DENIED",
      message: "Nothing was copied: the browser keeps this page from the clipboard.",
      remedy: "Allow the clipboard in the settings of this page, or select the text and copy it by hand.",
      details: String(error),
    });
  }
}
