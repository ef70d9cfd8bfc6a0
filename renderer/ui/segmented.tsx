import type { KeyboardEvent, ReactElement } from "react";
import { classNames } from "./class-names.js";
import styles from "./segmented.module.css";

interface SegmentedProps<Id extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly label: string }[];
  readonly selected: Id | undefined;
  /** compact: low enough for a row of a panel. wide: the buttons share the width of their place. */
  readonly size?: "standard" | "compact" | "wide";
  onSelect(id: Id): void;
}

/** How far each arrow goes, as in a group of radio buttons. */
const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** A row of buttons of which one is chosen. Tab goes to the chosen one; the arrows choose another. */
export function Segmented<Id extends string>(props: SegmentedProps<Id>): ReactElement {
  const { label, options, selected, size = "standard", onSelect } = props;
  const chosen = options.findIndex(({ id }) => id === selected);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, index: number) => {
    const to = (index + (STEPS[event.key] ?? 0) + options.length) % options.length;
    const option = options[to];
    if (to === index || option === undefined) return;
    event.preventDefault();
    onSelect(option.id);
    event.currentTarget.parentElement?.querySelectorAll<HTMLElement>('[role="radio"]')[to]?.focus();
  };
  return (
    <div
      className={classNames(
        styles.segmented,
        size === "compact" && styles.compact,
        size === "wide" && styles.wide,
      )}
      role="radiogroup"
      aria-label={label}
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a row of buttons that choose one, as the design has it
        <button
          type="button"
          key={option.id}
          role="radio"
          aria-checked={option.id === selected}
          tabIndex={index === Math.max(0, chosen) ? 0 : -1}
          onClick={() => onSelect(option.id)}
          onKeyDown={(event) => onKeyDown(event, index)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
