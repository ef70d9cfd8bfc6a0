import type { ReactElement } from "react";
import { classNames } from "./class-names.js";
import styles from "./status-dot.module.css";

const LOOKS = {
  ok: styles.ok,
  warning: styles.warning,
  error: styles.error,
  off: styles.off,
  ring: styles.ring,
} as const;

/** off: nothing runs there. ring: it is not ours. */
export type StatusDotKind = keyof typeof LOOKS;

/** The state of something as a dot; a text beside it says the same. */
export function StatusDot({ kind }: { readonly kind: StatusDotKind }): ReactElement {
  return <span className={classNames(styles.dot, LOOKS[kind])} aria-hidden="true" />;
}
