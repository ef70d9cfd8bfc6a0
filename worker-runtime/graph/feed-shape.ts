/** The shapes in which the values of a file can be fed: rows keep their number, and their values their order. */
import { elementsOfShape } from "../protocol/shape.js";
import { type Shape, UNKNOWN_DIMENSION } from "./shape.js";

/**
 * The shape that values get to fit a placeholder: their own; a vector as a matrix of one column, and the reverse; rows
 * with dimensions of size 1 more or fewer; rows of several dimensions as vectors; a single row as it is. Undefined if they do
 * not fit.
 * @param given with sizes of -1 that are not known yet, which fit
 * @param declared with sizes of -1 for any; undefined for any rank
 */
export function shapeAsFed(
  given: readonly number[],
  declared: Shape | undefined,
): readonly number[] | undefined {
  if (declared === undefined || fits(given, declared)) return given;
  const [rows, ...row] = given;
  if (rows === undefined || declared.length === 0) return undefined;
  const wanted = declared.slice(1);
  const candidates = [
    row.length > 1 && wanted.length === 1 ? [rows, elementsOrUnknown(row)] : undefined,
    row.length === 0 && wanted.length === 1 ? [rows, 1] : undefined,
    row.filter(isNotOne).join() === wanted.filter(isNotOne).join() ? [rows, ...wanted] : undefined,
    rows === 1 ? row : undefined,
  ];
  return candidates.find((shape) => shape !== undefined && fits(shape, declared));
}

function fits(given: readonly number[], declared: Shape): boolean {
  const isAlike = (size: number, axis: number): boolean =>
    size === UNKNOWN_DIMENSION || given[axis] === UNKNOWN_DIMENSION || size === given[axis];
  return given.length === declared.length && declared.every(isAlike);
}

function elementsOrUnknown(shape: readonly number[]): number {
  return shape.includes(UNKNOWN_DIMENSION) ? UNKNOWN_DIMENSION : elementsOfShape(shape);
}

function isNotOne(size: number): boolean {
  return size !== 1;
}
