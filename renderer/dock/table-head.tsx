import type { ReactElement } from "react";
import textStyles from "../ui/text.module.css";
import tableStyles from "./data-table.module.css";

export interface Column {
  readonly name: string;
  /** number: aligned at the end. spoken: without a visible name, as that of buttons. */
  readonly kind?: "number" | "spoken";
}

/** The names of a table's columns. */
export function TableHead({ columns }: { readonly columns: readonly Column[] }): ReactElement {
  return (
    <thead>
      <tr>
        {columns.map(({ name, kind }) => (
          <th key={name} scope="col" className={kind === "number" ? tableStyles.number : undefined}>
            {kind === "spoken" ? <span className={textStyles.spokenOnly}>{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
