import { type ReactElement, useEffect, useState } from "react";
import { Button } from "./button.js";
import { useUiServices } from "./services.js";

const SHOWN_MILLIS = 1500;

/** Copies a text to the clipboard and confirms it. */
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
  const { copyText, showError } = useUiServices();
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
      onClick={() => void copyText(text).then(() => setCopied(true), showError)}
    >
      <span aria-live="polite">{copied ? "Copied" : label}</span>
    </Button>
  );
}
