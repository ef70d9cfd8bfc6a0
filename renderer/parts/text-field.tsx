import { type ReactElement, useEffect, useId, useState } from "react";
import { COMMITS_ATTRIBUTE } from "../commands/keyboard.js";
import { InputFrame } from "./input-frame.js";
import styles from "./text-field.module.css";

interface TextFieldProps {
  readonly value: string;
  readonly labelledBy?: string;
  readonly label?: string;
  readonly placeholder?: string;
  readonly multiline?: boolean;
  /** Texts to choose from. */
  readonly suggestions?: readonly string[];
  /** Takes the text over. Returns or throws why it cannot. */
  commit(text: string): string | undefined;
}

/** A field whose text counts when Enter is pressed or the field is left. Escape brings the old text back. */
export function TextField({
  value,
  labelledBy,
  label,
  placeholder,
  multiline,
  suggestions = [],
  commit,
}: TextFieldProps): ReactElement {
  const [text, setText] = useState(value);
  const [error, setError] = useState<string>();
  const errorId = useId();
  const listId = useId();
  useEffect(() => {
    setText(value);
    setError(undefined);
  }, [value]);
  const change = (changed: string) => {
    setText(changed);
    // It was about the text before.
    setError(undefined);
  };
  const finish = () => {
    if (text === value) {
      setError(undefined);
      return;
    }
    try {
      setError(commit(text));
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  const shared = {
    value: text,
    placeholder,
    spellCheck: false,
    "aria-label": label,
    "aria-labelledby": labelledBy,
    "aria-invalid": error !== undefined,
    "aria-describedby": error === undefined ? undefined : errorId,
    [COMMITS_ATTRIBUTE]: "",
    onBlur: finish,
    onKeyDown: (event: React.KeyboardEvent) => {
      // With Ctrl or Cmd it is a shortcut, which commits the text itself.
      if (event.ctrlKey || event.metaKey) return;
      if (event.key === "Enter" && !(multiline && event.shiftKey)) {
        event.preventDefault();
        finish();
      } else if (event.key === "Escape") {
        event.stopPropagation();
        setText(value);
        setError(undefined);
      }
    },
  };
  return (
    <span className={styles.field}>
      <InputFrame monospace invalid={error !== undefined}>
        {multiline ? (
          <textarea
            {...shared}
            rows={Math.min(6, Math.max(1, text.split("\n").length, Math.ceil(text.length / 34)))}
            onChange={(event) => change(event.target.value)}
          />
        ) : (
          <input
            {...shared}
            list={suggestions.length > 0 ? listId : undefined}
            onChange={(event) => change(event.target.value)}
          />
        )}
      </InputFrame>
      {suggestions.length > 0 ? (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      ) : null}
      {error === undefined ? null : (
        <span id={errorId} className={styles.error} role="alert">
          {error}
        </span>
      )}
    </span>
  );
}
