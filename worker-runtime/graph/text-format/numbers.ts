/**
 * A double as Python's repr writes it: shortest digits, a point or an exponent always present, an exponent from 1e16
 * and below 1e-4.
 */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const digits = Math.abs(exponent).toString().padStart(2, "0");
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
  }
  const text = value.toString();
  return text.includes(".") ? text : `${text}.0`;
}

/** A float32 as Python's text_format writes it: the fewest digits, at least six, that give the same float32. */
export function formatFloat(value: number): string {
  if (!Number.isFinite(value) || value === 0) return formatDouble(value);
  for (let precision = 6; precision < 9; precision++) {
    const rounded = Number(value.toPrecision(precision));
    if (Math.fround(rounded) === value) return formatDouble(rounded);
  }
  return formatDouble(Number(value.toPrecision(9)));
}

/** Reads an unsigned integer literal (decimal, 0x hexadecimal, 0 octal); undefined if the token is not one. */
export function parseUnsigned(token: string): bigint | undefined {
  if (/^0[xX][0-9a-fA-F]+$/.test(token)) return BigInt(token);
  if (/^0[0-7]+$/.test(token)) return BigInt(`0o${token.slice(1)}`);
  if (/^(0|[1-9][0-9]*)$/.test(token)) return BigInt(token);
  return undefined;
}

/** Reads an unsigned number (integers of any base, decimals, exponents, an `f` suffix); undefined if it is not one. */
export function parseUnsignedFloat(token: string): number | undefined {
  if (/^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fF]?$/.test(token) && !/^0[0-9]+$/.test(token)) {
    return Number(token.replace(/[fF]$/, ""));
  }
  const integer = parseUnsigned(token);
  return integer === undefined ? undefined : Number(integer);
}
