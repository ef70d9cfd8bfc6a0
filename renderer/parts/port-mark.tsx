import type { ReactElement } from "react";
import { classNames } from "../ui/class-names.js";
import type { Port } from "../viewport/ports.js";
import styles from "./port-mark.module.css";

interface PortMarkProps {
  readonly shape: Port["shape"];
  readonly output?: boolean;
}

/** A port as it looks on the canvas. */
export function PortMark({ shape, output }: PortMarkProps): ReactElement {
  return (
    <i
      className={classNames(
        styles.mark,
        output && styles.output,
        shape === "square" && styles.square,
        shape === "diamond" && styles.diamond,
      )}
    />
  );
}
