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
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Dialog, DialogBody } from "../ui/dialog.js";
import { bytesText, durationText } from "../ui/format.js";
import { ProofList, type ProofRow } from "../ui/proof-list.js";
import textStyles from "../ui/text.module.css";
import styles from "./pairing-step.module.css";
import { RoleSelect } from "./role-select.js";

const words = texts.pairing.pairedDialog;

interface PairedDialogProps {
  readonly state: PairingState;
  onClose(): void;
}

/** Two machines are now paired: what each may do on the other, and what to do next. */
export function PairedDialog({ state, onClose }: PairedDialogProps): ReactElement {
  const { machine: peer, role, grantedRole } = state;
  const own = useCluster((store) => machinesOf(store).find(({ kind }) => kind === "this"));
  const machine = useCluster((store) => machinesOf(store).find(({ id }) => id === peer.id));
  const ownName = own?.name ?? words.thisMachine;
  const usable = machine !== undefined && takesTasks(machine) && (role ?? "run") !== "view";
  const close = () => attempt(closePairing);
  const roundTrip = useSamples((store) => newestOfMachine(store, peer.id)?.roundTripMillis);
  const proofs: ProofRow[] = [
    {
      what: `${ownName} → ${peer.name}`,
      outcome: "ok",
      detail: role === undefined ? words.paired : words.may({ rights: roleText(role).there }),
    },
    {
      what: `${peer.name} → ${ownName}`,
      outcome: "ok",
      detail: words.may({ rights: roleText(grantedRole).there }),
    },
    roundTrip === undefined
      ? { what: words.controlChannel, outcome: "busy", detail: words.channelConnecting }
      : {
          what: words.controlChannel,
          outcome: "ok",
          detail: words.channelConnected({ roundTrip: durationText(roundTrip) }),
        },
    ...(machine && machine.cores > 0
      ? [{ what: words.engine, outcome: "ok" as const, detail: powerText(machine) }]
      : []),
  ];
  return (
    <Dialog
      icon="link"
      title={words.title({ peer: peer.name })}
      onClose={onClose}
      footer={
        <>
          {machine ? (
            <CommandButton command={machineCommands.forget} target={machine} variant="ghost" before={close} />
          ) : null}
          <span className={textStyles.grow} />
          <Button onClick={onClose}>{texts.common.close}</Button>
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
        <h3>{words.headline({ peer: peer.name })}</h3>
        <p>{words.fingerprintsStored}</p>
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
    engine ? engineText(engine) : words.noEngineYet,
    words.cores({ cores }),
    bytesText(memoryBytes),
  ].join(", ");
}

function nextText(machine: Machine | undefined, usable: boolean): string {
  if (machine === undefined) return words.appearsSoon;
  if (machine.tasks.length > 0) return words.hasTasks({ tasks: machine.tasks.length });
  return usable ? words.addWorker : words.addWorkerLater;
}
