import type { ReactElement } from "react";
import { SCHEMES, type Scheme } from "../../../worker-runtime/graph/training/trainable/plan.js";
import { bytesSent, type SchemeFacts, type SchemeProblem, schemeProblem } from "../../document/trainable.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { bytesText } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import textStyles from "../../ui/text.module.css";
import styles from "./scheme-cards.module.css";
import { type DrawnTask, SchemeDiagram } from "./scheme-diagram.js";

const words = texts.dialogs.makeTrainable;

interface SchemeCardsProps {
  readonly scheme: Scheme;
  readonly facts: SchemeFacts;
  readonly workers: readonly DrawnTask[];
  readonly server: DrawnTask | undefined;
  onChoose(scheme: Scheme): void;
}

/** How several workers share one model. A scheme that does not suit says why, and cannot be chosen. */
export function SchemeCards({ scheme, facts, workers, server, onChoose }: SchemeCardsProps): ReactElement {
  return (
    <fieldset className={styles.cards}>
      <legend className={textStyles.spokenOnly}>{words.scheme}</legend>
      {SCHEMES.map((one) => {
        const problem = schemeProblem(one, facts);
        const sent = bytesSent(one, facts);
        return (
          <label key={one} className={classNames(styles.card, one === scheme && styles.chosen)}>
            <span className={styles.head}>
              <input
                type="radio"
                name="scheme"
                checked={one === scheme}
                disabled={problem !== undefined}
                onChange={() => onChoose(one)}
              />
              <b>{words.schemes[one].name}</b>
            </span>
            <SchemeDiagram scheme={one} workers={workers} server={server ?? workers[0]} />
            <span className={textStyles.muted}>{words.schemes[one].what}</span>
            <span className={styles.when}>{words.schemes[one].when}</span>
            {sent === undefined ? null : (
              <span className={textStyles.muted}>{words.sends({ bytes: bytesText(sent) })}</span>
            )}
            <span className={classNames(styles.fit, problem ? textStyles.warning : styles.fits)}>
              <Icon name={problem ? "warning" : "check"} size={12} />
              {problem ? problemText(problem) : words.fits}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

function problemText(problem: SchemeProblem): string {
  switch (problem.kind) {
    case "one-worker":
      return words.oneWorker;
    case "no-batch":
      return words.noBatch;
    case "mixed-types":
      return words.mixedTypes;
    case "unknown-size":
      return words.unknownSize;
    case "uneven":
      return words.uneven({ rows: problem.rows, workers: problem.workers });
  }
}
