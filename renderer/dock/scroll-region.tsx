import type { HTMLAttributes, ReactElement, Ref } from "react";
import styles from "./scroll-region.module.css";

interface ScrollRegionProps extends HTMLAttributes<HTMLElement> {
  readonly label: string;
  readonly ref?: Ref<HTMLElement>;
}

/** A scrolling region of the dock. It is focusable, so that keys scroll it even if nothing in it has the focus. */
export function ScrollRegion({ label, ref, children, ...rest }: ScrollRegionProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard would not reach what is out of view
    <section {...rest} ref={ref} className={styles.region} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
