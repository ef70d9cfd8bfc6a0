import { type ComponentType, createElement, type ReactElement, useEffect, useState } from "react";

export interface Preloadable<P extends object> {
  (props: P): ReactElement | null;
  /** Fetches the code; the component then draws at its first render. */
  preload(): Promise<void>;
}

/**
 * A component whose code is fetched when it is first rendered, or before. Unlike React's `lazy`, which delays
 * the revealed content for up to 300 ms even if the code is loaded, it renders at once when the code was
 * preloaded.
 */
export function preloadable<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): Preloadable<P> {
  let loaded: ComponentType<P> | undefined;
  const preload = async () => {
    loaded ??= (await load()).default;
  };
  const Component = (props: P): ReactElement | null => {
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      let gone = false;
      void preload().then(() => {
        if (!gone) setReady(true);
      });
      return () => {
        gone = true;
      };
    }, []);
    return loaded ? createElement(loaded, props) : null;
  };
  return Object.assign(Component, { preload });
}
