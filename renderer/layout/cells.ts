/** The input and the result of a layout. Pure; all lengths are pixels at 100 % zoom. */
import type { Point } from "../document/model.js";

/** A place where edges begin or end on a side of a cell. */
export interface CellPort {
  readonly id: string;
  /** Below the top of the cell. */
  readonly y: number;
}

/** A box to be placed: a node, a closed scope, or an open one with its contents. */
export interface Cell {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** On the left side. */
  readonly inputs: readonly CellPort[];
  /** On the right side. */
  readonly outputs: readonly CellPort[];
}

/** Stands for the cell in `CellEnd` where an edge enters or leaves the scope that is laid out. */
export const BOUNDARY = "";

export interface CellEnd {
  readonly cell: string;
  readonly port: string;
}

export interface CellEdge {
  readonly id: string;
  readonly from: CellEnd;
  readonly to: CellEnd;
}

/** The contents of one scope. */
export interface CellGraph {
  readonly cells: readonly Cell[];
  readonly edges: readonly CellEdge[];
  /** Width divided by height of the space that the contents are to fill. */
  readonly aspect: number;
}

export interface CellLayout {
  readonly width: number;
  readonly height: number;
  /** Top left corners by cell. */
  readonly places: ReadonlyMap<string, Point>;
  /** The corners of each edge, its ends included; consecutive ones differ in one coordinate. */
  readonly routes: ReadonlyMap<string, readonly Point[]>;
  /** Where edges enter on the left side and leave on the right one, by port. */
  readonly entries: ReadonlyMap<string, number>;
  readonly exits: ReadonlyMap<string, number>;
}

/** Computes layouts, one at a time. */
export interface LayoutEngine {
  /** Rejects with an AbortError once the signal is aborted, and with another Error if the layout fails. */
  layout(graph: CellGraph, signal: AbortSignal): Promise<CellLayout>;
}
