import type { ReactElement } from "react";
import { Icon } from "../ui/icon.js";
import { SearchField } from "../ui/search-field.js";

interface FindFieldProps {
  /** The whole name of what is looked for. */
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly className?: string | undefined;
  onChange(value: string): void;
}

/** The field above a table in which its rows are searched. */
export function FindField({ label, placeholder, value, className, onChange }: FindFieldProps): ReactElement {
  return (
    <SearchField size="bar" className={className}>
      <Icon name="search" size={14} />
      <input
        aria-label={label}
        placeholder={placeholder}
        value={value}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </SearchField>
  );
}
