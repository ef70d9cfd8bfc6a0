import { type ReactElement, useEffect, useState } from "react";
import { texts } from "../texts/texts.js";
import { Button } from "./button.js";
import { useUiServices } from "./services.js";

const words = texts.ui.copyButton;

const SHOWN_MILLIS = 1500;

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({
  text,
  label = words.copy,
  copied: alreadyCopied = false,
  variant = "ghost",
  className,
}: {
  readonly text: string;
  readonly label?: string;
  /** The text has already been copied, which the button shows first. */
  readonly copied?: boolean;
  readonly variant?: "standard" | "ghost";
  readonly className?: string | undefined;
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
      variant={variant}
      className={className}
      icon={copied ? "check" : "copy"}
      onClick={() => void copyText(text).then(() => setCopied(true), showError)}
    >
      <span aria-live="polite">{copied ? words.copied : label}</span>
    </Button>
  );
}
