import { Fragment, type ReactElement } from "react";

const partsOf = (name: string): readonly string[] => name.split(/(?<=[_/.-])/);

/** The number of characters of the longest part of a name that is not broken. */
export function longestPart(name: string): number {
  return Math.max(...partsOf(name).map((part) => part.length));
}

/** A name that is broken behind one of its signs, not within a word, where it needs two lines: "global_average_", "pooling". */
export function BreakableName({ name }: { readonly name: string }): ReactElement {
  const [first, ...others] = partsOf(name);
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
