import type { ReactElement, ReactNode } from "react";
import { uiActions } from "../stores/ui-store.js";
import { IconButton } from "../ui/button.js";

/** What is shown, and the button that puts the panel away. */
export function InspectorHead({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <div className="ih">
      {children}
      <IconButton
        small
        icon="panel-right"
        className="ih-close"
        label="Hide the inspector"
        shortcut="Mod+I"
        onClick={() => uiActions.toggleInspector(false)}
      />
    </div>
  );
}
