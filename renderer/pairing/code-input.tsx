import { type ClipboardEvent, type KeyboardEvent, type ReactElement, useRef } from "react";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import styles from "./code-input.module.css";

const words = texts.pairing.codeInput;

const DIGITS = 6;
const POSITIONS = [0, 1, 2, 3, 4, 5] as const;

interface CodeInputProps {
  /** Six entries, each a digit or empty. */
  readonly digits: readonly string[];
  /** The entered code did not match. */
  readonly wrong: boolean;
  readonly disabled: boolean;
  onChange(digits: readonly string[]): void;
}

export const NO_DIGITS: readonly string[] = Array.from({ length: DIGITS }, () => "");

/** Six boxes of one digit each. Digits, Backspace and arrows move between them; a pasted code fills them. */
export function CodeInput({ digits, wrong, disabled, onChange }: CodeInputProps): ReactElement {
  const boxes = useRef<(HTMLInputElement | null)[]>([]);
  const focus = (at: number) => {
    const box = boxes.current[Math.min(Math.max(at, 0), DIGITS - 1)];
    box?.focus();
    box?.select();
  };
  const fill = (from: number, text: string) => {
    const typed = text.replace(/\D/g, "").slice(0, DIGITS - from);
    if (typed === "") return;
    // The first digit after a wrong code begins a new one.
    const start = wrong ? NO_DIGITS : digits;
    onChange(
      start.map((digit, at) => (at >= from && at < from + typed.length ? (typed[at - from] ?? "") : digit)),
    );
    focus(from + typed.length);
  };
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: DIGITS - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      focus(to);
      return;
    }
    if (event.key !== "Backspace" && event.key !== "Delete") return;
    event.preventDefault();
    // Backspace in an empty box deletes the digit before it, as in one long field.
    const target = event.key === "Backspace" && digits[at] === "" ? at - 1 : at;
    if (target < 0) return;
    onChange(digits.map((digit, other) => (other === target ? "" : digit)));
    focus(target);
  };
  const onPaste = (event: ClipboardEvent, at: number) => {
    event.preventDefault();
    const text = event.clipboardData.getData("text").replace(/\D/g, "");
    fill(text.length >= DIGITS ? 0 : at, text);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would lay its boxes out in its own way
    <div className={classNames(styles.boxes, wrong && styles.wrong)} role="group" aria-label={words.label}>
      {POSITIONS.map((at) => (
        <input
          key={at}
          ref={(box) => {
            boxes.current[at] = box;
          }}
          className={styles.box}
          aria-label={words.digit({ position: at + 1, count: DIGITS })}
          aria-invalid={wrong}
          inputMode="numeric"
          autoComplete="off"
          disabled={disabled}
          value={digits[at] ?? ""}
          onChange={(event) => fill(at, event.target.value.slice(-1))}
          onFocus={(event) => event.target.select()}
          onKeyDown={(event) => onKeyDown(event, at)}
          onPaste={(event) => onPaste(event, at)}
        />
      ))}
    </div>
  );
}
