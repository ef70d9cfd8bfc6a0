import { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { OpDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import type { NodeRole } from "../../../graph/structural-ops.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { BoundNode } from "../executor/bind-kernel.js";
import type { NodeLinks } from "../executor/graph-links.js";
import type { FrameOutline } from "../executor/static-frames.js";
import { executableNode, type KnownNodes } from "../executor/wire-graph.js";
import { KernelNode } from "../kernels/kernel-node.js";
import type { Lowering, UpdateLowering } from "../lowering/lowering.js";
import type { LoweringRegistry } from "../lowering/registry.js";
import { eachOf, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import type { AbsorbedConstant, RegionMember, RegionOutline } from "./region-outline.js";
import type { RowVariables } from "./row-variables.js";

/** Creates the work of regions. */
export interface RegionFormer {
  readonly lowerings: LoweringRegistry;
  /** @returns the work of the node that runs the region. */
  make(outline: RegionOutline): BoundNode["work"];
  /** @returns the lowering of a node that changes variables and may be in a region; undefined for any other node. */
  updateLowering(bound: BoundNode): UpdateLowering | undefined;
}

/** The nodes of a graph and their inputs. */
export interface LinkedGraph extends KnownNodes {
  readonly links: readonly NodeLinks[];
}

/** A node that may be in a region. */
export interface Candidate {
  readonly lowering: Lowering | undefined;
  readonly update: UpdateLowering | undefined;
  readonly constant: Tensor | undefined;
}

/** The origin of a value. */
type Place = string;

/** Names a value in the graph. */
export const dataPlace = (source: number, output: number): Place => `${source}:${output}`;
const controlPlace = (source: number): Place => `^${source}`;

/** One region while it is being formed. */
class Forming {
  readonly members: readonly number[];
  /** Values from outside, in the order of the region's inputs: data first. */
  readonly data = new Map<Place, { readonly source: number; readonly output: number }>();
  readonly control = new Set<number>();
  readonly constants = new Map<Place, { readonly source: number; readonly value: Tensor }>();
  readonly absorbed: AbsorbedConstant[] = [];
  /** Values used outside the region, with the numbers of its outputs. */
  readonly outputs = new Map<Place, number>();

  constructor(members: readonly number[]) {
    this.members = members;
  }

  /** The number of an output that is used outside. */
  outputOf(place: Place): number {
    const known = this.outputs.get(place) ?? this.outputs.size;
    this.outputs.set(place, known);
    return known;
  }
}

/** Replaces the regions of a graph by one node each. */
export class Contraction {
  readonly #graph: LinkedGraph;
  readonly #rowVariables: RowVariables;
  readonly #candidates: readonly (Candidate | undefined)[];
  readonly #isFree: (index: number) => boolean;
  readonly #regions: readonly Forming[];
  readonly #regionOf = new Map<number, Forming>();

  constructor(
    graph: LinkedGraph,
    candidates: readonly (Candidate | undefined)[],
    regions: readonly (readonly number[])[],
    isFree: (index: number) => boolean,
    rowVariables: RowVariables,
  ) {
    this.#graph = graph;
    this.#rowVariables = rowVariables;
    this.#candidates = candidates;
    this.#isFree = isFree;
    this.#regions = regions.map((members) => new Forming(members));
    for (const region of this.#regions) {
      for (const member of region.members) {
        this.#regionOf.set(member, region);
      }
    }
  }

  *contract(former: RegionFormer): PausingWork<LinkedGraph> {
    const { bound, links, roles, framed } = this.#graph;
    yield* eachOf(this.#regions, (region) => this.#findInputs(region), 1);
    yield* eachOf(links, (_, index) => this.#findOutputs(index), NODES_PER_PAUSE);
    const unused = this.#unusedConstants();
    this.#absorb(unused);
    const kept = [...bound.keys()].filter((index) => !this.#regionOf.has(index) && !unused.has(index));
    const numbers = new Map(kept.map((index, number) => [index, number]));
    const regionNumbers = new Map(this.#regions.map((region, number) => [region, kept.length + number]));
    const data = (source: number, output: number) => {
      const region = this.#regionOf.get(source);
      return region === undefined
        ? { source: numbers.get(source) ?? 0, output }
        : { source: regionNumbers.get(region) ?? 0, output: region.outputOf(dataPlace(source, output)) };
    };
    const made: {
      bound: BoundNode[];
      roles: NodeRole[];
      links: NodeLinks[];
      frames: FrameOutline[];
      outputFrames: FrameOutline[];
    } = { bound: [], roles: [], links: [], frames: [], outputFrames: [] };
    const linkOf = (
      sources: Iterable<{ source: number; output: number }>,
      control: Iterable<number>,
    ): NodeLinks => {
      const plain: number[] = [];
      const ofRegions: { source: number; output: number }[] = [];
      for (const source of control) {
        const region = this.#regionOf.get(source);
        if (region === undefined) {
          plain.push(numbers.get(source) ?? 0);
        } else {
          ofRegions.push({
            source: regionNumbers.get(region) ?? 0,
            output: region.outputOf(controlPlace(source)),
          });
        }
      }
      return {
        data: [...sources].map(({ source, output }) => data(source, output)),
        control: plain,
        ...(ofRegions.length === 0 ? {} : { regionControl: ofRegions }),
      };
    };
    for (const index of kept) {
      const [node, role, link] = [bound[index], roles[index], links[index]];
      if (node !== undefined && role !== undefined && link !== undefined) {
        made.bound.push(node);
        made.roles.push(role);
        made.links.push(linkOf(link.data, link.control));
        made.frames.push(framed.frames[index] ?? framed.root);
        made.outputFrames.push(framed.outputFrames[index] ?? framed.root);
      }
    }
    for (const region of this.#regions) {
      const frame = framed.frames[region.members[0] ?? 0] ?? framed.root;
      made.links.push(linkOf(region.data.values(), region.control));
      made.bound.push(this.#boundRegion(region, former));
      made.roles.push("plain");
      made.frames.push(frame);
      made.outputFrames.push(frame);
      yield;
    }
    return {
      bound: made.bound,
      roles: made.roles,
      links: made.links,
      framed: { root: framed.root, frames: made.frames, outputFrames: made.outputFrames },
    };
  }

  #findInputs(region: Forming): void {
    for (const member of region.members) {
      const { data, control } = this.#graph.links[member] ?? { data: [], control: [] };
      for (const { source, output } of data) {
        if (this.#isFree(source)) {
          const constant = this.#candidates[source]?.constant;
          if (constant !== undefined) {
            region.constants.set(dataPlace(source, output), { source, value: constant });
          }
        } else if (this.#regionOf.get(source) !== region) {
          region.data.set(dataPlace(source, output), { source, output });
        }
      }
      for (const source of control) {
        if (this.#regionOf.get(source) !== region && !this.#isFree(source)) {
          region.control.add(source);
        }
      }
    }
  }

  /** Numbers the outputs of regions that a node uses. */
  #findOutputs(index: number): void {
    const own = this.#regionOf.get(index);
    const { data, control } = this.#graph.links[index] ?? { data: [], control: [] };
    for (const { source, output } of data) {
      const region = this.#regionOf.get(source);
      if (region !== own) {
        region?.outputOf(dataPlace(source, output));
      }
    }
    for (const source of control) {
      const region = this.#regionOf.get(source);
      if (region !== own) {
        region?.outputOf(controlPlace(source));
      }
    }
  }

  /** Constants that only regions use. */
  #unusedConstants(): ReadonlySet<number> {
    const unused = new Set<number>();
    for (const { constants } of this.#regions) {
      for (const { source } of constants.values()) {
        unused.add(source);
      }
    }
    for (const [index, { data, control }] of this.#graph.links.entries()) {
      if (!this.#regionOf.has(index)) {
        for (const source of [...data.map(({ source: from }) => from), ...control]) {
          unused.delete(source);
        }
      }
    }
    return unused;
  }

  /** Gives each constant that only regions use to one of them. */
  #absorb(unused: ReadonlySet<number>): void {
    const left = new Set(unused);
    for (const { constants, absorbed } of this.#regions) {
      for (const { source, value } of constants.values()) {
        const node = this.#graph.bound[source];
        if (left.delete(source) && node !== undefined) {
          absorbed.push({ node: executableNode(node, "plain", []), value });
        }
      }
    }
  }

  #boundRegion(region: Forming, former: RegionFormer): BoundNode {
    const { bound, links } = this.#graph;
    const slots = new Map<Place, number>();
    const slotOf = (place: Place): number => {
      const known = slots.get(place) ?? slots.size;
      slots.set(place, known);
      return known;
    };
    for (const place of region.data.keys()) {
      slotOf(place);
    }
    // In the order of `linkOf`: nodes first, then regions.
    const controls = [...region.control];
    const ordered = [
      ...controls.filter((source) => !this.#regionOf.has(source)),
      ...controls.filter((source) => this.#regionOf.has(source)),
    ];
    for (const source of ordered) {
      slotOf(controlPlace(source));
    }
    const inputCount = slots.size;
    const members = region.members.flatMap((index): RegionMember[] => {
      const [node, link, candidate] = [bound[index], links[index], this.#candidates[index]];
      if (node === undefined || link === undefined || candidate === undefined) {
        return [];
      }
      const isRef = link.data.map(
        ({ source, output }) => bound[source]?.node.outputs[output]?.isRef ?? false,
      );
      return [
        {
          node: executableNode(node, "plain", isRef),
          inputs: link.data.map(({ source, output }) => slotOf(dataPlace(source, output))),
          waits: link.control
            .filter((source) => !this.#isFree(source))
            .map((source) => slotOf(controlPlace(source))),
          outputs: node.node.outputs.map((_, output) => slotOf(dataPlace(index, output))),
          done: slotOf(controlPlace(index)),
          ...candidate,
        },
      ];
    });
    const outputs = [...region.outputs].sort((a, b) => a[1] - b[1]).map(([place]) => place);
    const constants = new Map([...region.constants].map(([place, { value }]) => [slotOf(place), value]));
    for (const [place, { source }] of region.data) {
      const constant = this.#candidates[source]?.constant;
      if (constant !== undefined) {
        constants.set(slotOf(place), constant);
      }
    }
    const outline: RegionOutline = {
      inputCount,
      slotCount: slots.size,
      members,
      outputs: outputs.map(slotOf),
      usedByRows: new Set(
        [...region.data].flatMap(([place, from]) => (this.#rowVariables.has(from) ? slotOf(place) : [])),
      ),
      constants,
      absorbed: region.absorbed,
    };
    const last = bound[region.members.at(-1) ?? 0];
    return {
      node: this.#nodeOf(region, ordered, outputs),
      deviceType: last?.deviceType ?? "CPU",
      facts: { leavesDead: true },
      work: former.make(outline),
    };
  }

  /**
   * The node that replaces the region. It has the name of its last member, which appears in errors and lists of waiting
   * nodes.
   */
  #nodeOf(region: Forming, controls: readonly number[], outputs: readonly Place[]): KernelNode {
    const { bound } = this.#graph;
    const last = bound[region.members.at(-1) ?? 0]?.node;
    const argOf = (type: DataType, index: number, isRef = false) => ({
      ...OpDef.fromPartial({ inputArg: [{ name: `arg${index}`, type, isRef }] }).inputArg[0],
    });
    const inputs = [...region.data.values()].map(({ source, output }) => bound[source]?.node.outputs[output]);
    const opDef = OpDef.fromPartial({
      name: last?.op ?? "",
      inputArg: inputs.map((input, index) =>
        argOf(input?.dtype ?? DataType.DT_FLOAT, index, input?.isRef ?? false),
      ),
      outputArg: outputs.map((place, index) => {
        if (place.startsWith("^")) {
          return argOf(DataType.DT_BOOL, index);
        }
        const [source, output] = place.split(":").map(Number);
        const value = bound[source ?? 0]?.node.outputs[output ?? 0];
        return argOf(value?.dtype ?? DataType.DT_FLOAT, index, value?.isRef ?? false);
      }),
    });
    const def = NodeDef.fromPartial({
      name: last?.name ?? "",
      op: last?.op ?? "",
      device: last?.device ?? "",
      input: [
        ...[...region.data.values()].map(({ source, output }) => `${bound[source]?.node.name}:${output}`),
        ...controls.map((source) => `^${bound[source]?.node.name}`),
      ],
    });
    return new KernelNode(def, opDef, last?.scope);
  }
}
