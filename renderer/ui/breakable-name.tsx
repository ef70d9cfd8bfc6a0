import { Fragment, type ReactElement } from "react";
import { nameParts } from "./name-parts.js";

/** A name that is broken behind one of its signs, not within a word, where it needs two lines: "global_average_", "pooling". */
export function BreakableName({ name }: { readonly name: string }): ReactElement {
  const [first, ...others] = nameParts(name);
  return (
    <>
      {first}
      {others.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one name have nothing else that tells them apart
        <Fragment key={index}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </>
  );
}
