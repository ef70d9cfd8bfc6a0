import { useEffect, useState } from "react";

const SECOND = 1000;

/** The time in milliseconds since the epoch, anew every second while it runs on. */
export function useNow(runs: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!runs) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}
