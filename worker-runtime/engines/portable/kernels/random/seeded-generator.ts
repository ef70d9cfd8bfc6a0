import { randomBytes } from "node:crypto";
import type { Resource } from "../../resources/resource-manager.js";
import type { OpContext } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { RESERVED_BLOCKS_PER_OUTPUT } from "./distributions.js";
import { PHILOX_BLOCK_SIZE, Philox } from "./philox.js";

const GENERATOR = "tensordeck::SeededGenerator";

/**
 * Finds the generator of a node: one for all graphs of a session that have the node, so that its numbers go on whichever
 * graph of the session runs. Where a step belongs to no session, the generator is the kernel's own.
 */
export function generatorOf(node: KernelNode): (context: OpContext) => SeededGenerator {
  let own: SeededGenerator | undefined;
  return ({ step }) => {
    if (step.session === undefined) {
      own ??= new SeededGenerator(node);
      return own;
    }
    const resources = step.resources(node.device);
    const name = resources.privateName(step.session, "", node);
    return resources.lookupOrCreate("", GENERATOR, name, () => new SeededGenerator(node));
  };
}

/**
 * The generator that a stateful random op keeps from step to step. Every execution sets its part of the stream aside
 * before it computes, so that executions of one node at the same time have numbers of their own.
 */
export class SeededGenerator implements Resource {
  readonly typeName = GENERATOR;
  readonly #stream: Philox;

  /** The generator of a node's attributes "seed" and "seed2"; where both are 0 it is seeded with noise. */
  constructor(node: KernelNode) {
    const seed = BigInt.asUintN(64, node.long("seed"));
    const seed2 = BigInt.asUintN(64, node.long("seed2"));
    this.#stream =
      seed === 0n && seed2 === 0n
        ? Philox.ofSeeds(randomBytes(8).readBigUInt64LE(), randomBytes(8).readBigUInt64LE())
        : Philox.ofSeeds(seed, seed2);
  }

  /** Sets blocks of four 32-bit numbers aside. @returns the stream where they begin. */
  reserveBlocks(blocks: number): Philox {
    const reserved = this.#stream.clone();
    this.#stream.skip(blocks);
    return reserved;
  }

  /** Sets 32-bit numbers aside. */
  reserveSamples(samples: number): Philox {
    return this.reserveBlocks(Math.ceil(samples / PHILOX_BLOCK_SIZE));
  }

  /** Sets aside what TensorFlow does for so many outputs of any distribution. */
  reserveOutputs(outputs: number): Philox {
    return this.reserveBlocks(outputs * RESERVED_BLOCKS_PER_OUTPUT);
  }
}
