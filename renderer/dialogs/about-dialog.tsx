import type { ReactElement } from "react";
import { useApp } from "../stores/app-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { uiActions } from "../stores/ui-store.js";
import { CopyButton } from "../ui/copy-button.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import textStyles from "../ui/text.module.css";
import { Fact, FactList } from "./fact-list.js";

/** Versions and places, to be copied into a report. */
export function AboutDialog(): ReactElement {
  const info = useApp((state) => state.info);
  const runtime = useRuntime((state) => state.state?.runtime);
  const facts: [string, string][] = [
    ["Tensordeck", info?.version ?? "not connected"],
    ["Window", info?.host === "electron" ? "desktop window" : "browser, served on 127.0.0.1"],
    ["Machine", info ? `${info.hostname}, ${info.platform}` : ""],
    [
      "TensorFlow",
      runtime ? `${runtime.version}, ${runtime.gpu ? "built with CUDA" : "CPU only"}` : "none found",
    ],
    ["Library", runtime ? runtime.path : ""],
    ["Found as", runtime ? runtime.origin : ""],
    ["Licence", "Apache 2.0"],
  ];
  const shown = facts.filter(([, value]) => value !== "");
  return (
    <Dialog
      title="About Tensordeck"
      onClose={uiActions.close}
      footer={
        <>
          <span className={textStyles.grow} />
          <CopyButton text={shown.map(([name, value]) => `${name}: ${value}`).join("\n")} />
        </>
      }
    >
      <DialogBody>
        <FactList>
          {shown.map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </FactList>
      </DialogBody>
    </Dialog>
  );
}
