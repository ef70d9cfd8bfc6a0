import { type ReactElement, useEffect, useState } from "react";
import { PAIRING_MILLIS } from "../stores/pairing-store.js";
import { texts } from "../texts/texts.js";
import { minutesText } from "../ui/format.js";
import styles from "./countdown.module.css";

const words = texts.pairing.countdown;

const TICK_MILLIS = 500;

/** How long the pairing stays open. */
export function Countdown({ expiresAt }: { readonly expiresAt: number }): ReactElement {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MILLIS);
    return () => clearInterval(timer);
  }, []);
  const left = expiresAt - now;
  const share = Math.min(1, Math.max(0, left / PAIRING_MILLIS));
  return (
    <div className={styles.countdown} role="timer" aria-label={words.timeLeft}>
      <i aria-hidden="true">
        <u style={{ width: `${100 * share}%` }} />
      </i>
      <span>{words.left({ time: minutesText(left) })}</span>
    </div>
  );
}
