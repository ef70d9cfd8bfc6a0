import type { ReactElement } from "react";
import { useApp } from "../stores/app-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy-button.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import textStyles from "../ui/text.module.css";
import { Fact, FactList } from "./fact-list.js";

const words = texts.dialogs.aboutDialog;

/** Versions and places, to be copied into a report. */
export function AboutDialog(): ReactElement {
  const info = useApp((state) => state.info);
  const runtime = useRuntime((state) => state.state?.runtime);
  const facts: [string, string][] = [
    ["Tensordeck", info?.version ?? words.notConnected],
    [words.window, info?.host === "electron" ? words.desktopWindow : words.browser],
    [words.machine, info ? `${info.hostname}, ${info.platform}` : ""],
    [
      "TensorFlow",
      runtime ? `${runtime.version}, ${runtime.gpu ? words.withCuda : words.cpuOnly}` : words.noneFound,
    ],
    [words.library, runtime ? runtime.path : ""],
    [words.foundAs, runtime ? runtime.origin : ""],
    [words.licence, "Apache 2.0"],
  ];
  const shown = facts.filter(([, value]) => value !== "");
  return (
    <Dialog
      title={words.title}
      onClose={uiActions.close}
      footer={
        <>
          <Button icon="file" onClick={() => uiActions.open({ kind: "licences" })}>
            {words.licences}
          </Button>
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
