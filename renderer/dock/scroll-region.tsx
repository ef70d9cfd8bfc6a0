import type { HTMLAttributes, ReactElement, Ref } from "react";

interface ScrollRegionProps extends HTMLAttributes<HTMLElement> {
  readonly label: string;
  readonly ref?: Ref<HTMLElement>;
}

/** What scrolls in the dock. It takes the focus, so that keys scroll it where nothing in it does. */
export function ScrollRegion({ label, ref, children, ...rest }: ScrollRegionProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard would not reach what is out of view
    <section {...rest} ref={ref} className="dock-scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
