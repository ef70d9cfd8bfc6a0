import { randomBytes } from "node:crypto";
import type { Resource } from "../../resources/resource-manager.js";
import type { OpContext } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { RESERVED_BLOCKS_PER_OUTPUT } from "./distributions.js";
import { PHILOX_BLOCK_SIZE, Philox } from "./philox.js";

const GENERATOR = "tensordeck::SeededGenerator";

/**
 * Finds the generator of a node. All graphs of a session that have the node share one, so its sequence continues
 * whichever of them runs. For a step without a session, the generator belongs to the kernel.
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
 * The generator that a stateful random op keeps from step to step. Every execution reserves its part of the stream
 * before it computes, so that concurrent executions of one node get different numbers.
 */
export class SeededGenerator implements Resource {
  readonly typeName = GENERATOR;
  readonly #stream: Philox;

  /** Seeded by a node's attributes "seed" and "seed2", or with noise if both are 0. */
  constructor(node: KernelNode) {
    const seed = BigInt.asUintN(64, node.long("seed"));
    const seed2 = BigInt.asUintN(64, node.long("seed2"));
    this.#stream =
      seed === 0n && seed2 === 0n
        ? Philox.ofSeeds(randomBytes(8).readBigUInt64LE(), randomBytes(8).readBigUInt64LE())
        : Philox.ofSeeds(seed, seed2);
  }

  /** Reserves blocks of four 32-bit numbers. @returns the stream, positioned at the first of them. */
  reserveBlocks(blocks: number): Philox {
    const reserved = this.#stream.clone();
    this.#stream.skip(blocks);
    return reserved;
  }

  /** Reserves 32-bit numbers. */
  reserveSamples(samples: number): Philox {
    return this.reserveBlocks(Math.ceil(samples / PHILOX_BLOCK_SIZE));
  }

  /** Reserves what TensorFlow does for this many outputs of any distribution. */
  reserveOutputs(outputs: number): Philox {
    return this.reserveBlocks(outputs * RESERVED_BLOCKS_PER_OUTPUT);
  }
}
