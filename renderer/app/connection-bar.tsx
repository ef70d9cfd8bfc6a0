import type { ReactElement } from "react";
import { useApp } from "../stores/app-store.js";

/** Says that the application is away. Nothing that is shown meanwhile is lost. */
export function ConnectionBar(): ReactElement | null {
  const lost = useApp((state) => state.connection === "lost");
  if (!lost) return null;
  return (
    <div className="connection" role="alert">
      <span className="spinner" aria-hidden="true" />
      <b>Connection lost, reconnecting…</b>
      <span>Your graph is still here. See whether the terminal that runs npm start is still open.</span>
    </div>
  );
}
