/** The content of a node's timeline label: "x = AddV2(a, b)". Written by NodeExecStatsWrapper in TensorFlow. */
export interface NodeLabel {
  readonly name: string;
  readonly op: string;
  readonly inputs: readonly string[];
  /** How many nodes ran as one with it, if it ran within a region; written by the portable engine's step statistics. */
  readonly together?: number;
}

/** Reads the label of a node; undefined for labels of another form. A device part after the name ("@@…") is dropped. */
export function parseNodeLabel(label: string): NodeLabel | undefined {
  const match = /^(.*?) = ([^(]*)\((.*)\)(?: in a region of (\d+) nodes?)?(?:@@.*)?$/s.exec(label);
  if (match === null) return undefined;
  const [, name = "", op = "", inputs = "", together] = match;
  return {
    ...{ name, op, inputs: inputs === "" ? [] : inputs.split(", ") },
    ...(together === undefined ? {} : { together: Number(together) }),
  };
}

/** A RecvTensor record's label, written by the receiving worker (rpc_rendezvous and grpc_worker_cache). */
export interface TransferLabel {
  /** Without the number of the output, which the label omits. */
  readonly node: string;
  readonly fromDevice: string;
  readonly toDevice: string;
  /** 0 if not in the label. */
  readonly bytes: number;
}

const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  B: 1,
  K: 2 ** 10,
  KB: 2 ** 10,
  M: 2 ** 20,
  MB: 2 ** 20,
  G: 2 ** 30,
  GB: 2 ** 30,
};

/** Reads "[4B] [0.25Mb/s] edge_12_z from /job:… to /job:…"; undefined for labels of another form. */
export function parseTransferLabel(label: string): TransferLabel | undefined {
  const match = /(?:^|\s)(\S+) from (\S+) to (\S+)\s*$/.exec(label);
  if (match === null) return undefined;
  const [, edge = "", fromDevice = "", toDevice = ""] = match;
  const size = /^\[([\d.]+)\s*([KMG]?B?)\]/.exec(label);
  const bytes = size === null ? 0 : Math.round(Number(size[1]) * (BYTES_PER_UNIT[size[2] ?? "B"] ?? 1));
  return { node: edge.replace(/^edge_\d+_/, ""), fromDevice, toDevice, bytes };
}
