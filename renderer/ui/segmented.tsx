import type { ReactElement } from "react";

interface SegmentedProps<Id extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly label: string }[];
  readonly selected: Id | undefined;
  onSelect(id: Id): void;
}

/** A row of buttons of which one is chosen. */
export function Segmented<Id extends string>(props: SegmentedProps<Id>): ReactElement {
  const { label, options, selected, onSelect } = props;
  return (
    <div className="seg" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        // biome-ignore lint/a11y/useSemanticElements: a row of buttons that choose one, as the design has it
        <button
          type="button"
          key={option.id}
          role="radio"
          aria-checked={option.id === selected}
          onClick={() => onSelect(option.id)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
