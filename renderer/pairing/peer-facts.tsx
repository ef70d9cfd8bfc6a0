import type { ReactElement } from "react";
import { fingerprintLines } from "../cluster/machine-text.js";
import styles from "./peer-facts.module.css";

const DEVICE_ID = /^[a-z2-7]{52}$/;

/** Names and fingerprints to compare; device IDs are grouped, so two people can read them to each other. */
export function PeerFacts({
  facts,
}: {
  readonly facts: readonly (readonly [string, string])[];
}): ReactElement {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {(DEVICE_ID.test(value) ? fingerprintLines(value) : [value]).map((line) => (
              <span key={line}>{line}</span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
