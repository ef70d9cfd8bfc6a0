import type { ReactElement } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { PairingState } from "../../main/api/machines.js";
import { engineText, roleText } from "../cluster/machine-text.js";
import { takesTasks } from "../cluster/machines.js";
import { machineCommands } from "../commands/machine-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { attempt } from "../stores/app-store.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { closePairing, grantRole } from "../stores/pairing-store.js";
import { newestOfMachine, useSamples } from "../stores/samples-store.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { bytesText, countText, durationText } from "../ui/format.js";
import { ProofList, type ProofRow } from "../ui/proof-list.js";
import textStyles from "../ui/text.module.css";
import styles from "./pairing-step.module.css";
import { RoleSelect } from "./role-select.js";

interface PairedDialogProps {
  readonly state: PairingState;
  onClose(): void;
}

/** Two machines are now paired: what each may do on the other, and what to do next. */
export function PairedDialog({ state, onClose }: PairedDialogProps): ReactElement {
  const { machine: peer, role, grantedRole } = state;
  const own = useCluster((store) => machinesOf(store).find(({ kind }) => kind === "this"));
  const machine = useCluster((store) => machinesOf(store).find(({ id }) => id === peer.id));
  const ownName = own?.name ?? "this machine";
  const usable = machine !== undefined && takesTasks(machine) && (role ?? "run") !== "view";
  const close = () => attempt(closePairing);
  const roundTrip = useSamples((store) => newestOfMachine(store, peer.id)?.roundTripMillis);
  const proofs: ProofRow[] = [
    {
      what: `${ownName} → ${peer.name}`,
      outcome: "ok",
      detail: role === undefined ? "paired" : `may ${roleText(role).there}`,
    },
    { what: `${peer.name} → ${ownName}`, outcome: "ok", detail: `may ${roleText(grantedRole).there}` },
    roundTrip === undefined
      ? { what: "Control channel", outcome: "busy", detail: "encrypted, connecting…" }
      : {
          what: "Control channel",
          outcome: "ok",
          detail: `encrypted, ${durationText(roundTrip)} round trip`,
        },
    ...(machine && machine.cores > 0
      ? [{ what: "Engine", outcome: "ok" as const, detail: powerText(machine) }]
      : []),
  ];
  return (
    <Dialog
      icon="link"
      title={`Paired with ${peer.name}`}
      onClose={onClose}
      footer={
        <>
          {machine ? (
            <CommandButton command={machineCommands.forget} target={machine} variant="ghost" before={close} />
          ) : null}
          <span className={textStyles.grow} />
          <Button onClick={onClose}>Close</Button>
          {machine ? (
            <CommandButton
              command={machineCommands.addWorker}
              target={machine}
              icon
              variant="primary"
              before={close}
            />
          ) : null}
        </>
      }
    >
      <DialogBody className={styles.step}>
        <h3>{peer.name} is paired</h3>
        <p>Both machines stored each other's fingerprint. They reconnect without a code.</p>
        <ProofList rows={proofs} />
        <RoleSelect
          machine={peer.name}
          role={grantedRole}
          onChange={(chosen) => attempt(() => grantRole(chosen))}
        />
        <p className={styles.remark}>{nextText(machine, usable)}</p>
      </DialogBody>
    </Dialog>
  );
}

function powerText({ engines, cores, memoryBytes }: Machine): string {
  const [engine] = engines;
  return [
    engine ? engineText(engine) : "no engine yet",
    countText(cores, "core"),
    bytesText(memoryBytes),
  ].join(", ");
}

function nextText(machine: Machine | undefined, usable: boolean): string {
  if (machine === undefined) return "It appears in the cluster panel in a moment.";
  if (machine.tasks.length > 0) return `It already has ${countText(machine.tasks.length, "task")}.`;
  return usable
    ? "It has no tasks yet. Add a worker to use it in a run."
    : "It has no tasks yet. Workers can be added once it is connected and lets this machine run.";
}
